import type { Account, Network } from '../domain/account.ts'
import { CONFIRMATIONS, normaliseEmail } from '../domain/account.ts'
import { invalidField, noSuch } from '../domain/error.ts'
import { planUpdated } from '../domain/event.ts'
import { FREE_PLAN, findPlan, type Plan, planAt, unknownPlan } from '../domain/plan.ts'
import { monthOf, startOfNextMonth } from '../domain/time.ts'
import type { Clock, Random, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'

/** An account with what follows from the plans and the clock. */
export interface Overview {
  readonly account: Account
  /** The plan that counts now. */
  readonly plan: Plan
  /** Unix seconds; null: for ever. */
  readonly planExpiresAt: number | null
  readonly usedThisMonth: number
  readonly resetsAt: number
}

export interface Accounts {
  /** The account of an email, made when there is none. @throws Fault `invalid_email` */
  open(email: string): Promise<Account>
  /** @throws Fault `no_such_account` */
  find(email: string): Promise<Account>
  list(): Promise<Account[]>
  overview(account: Account): Promise<Overview>
  /** @throws Fault `invalid_confirmations` */
  setConfirmations(account: Account, confirmations: number): Promise<Overview>
  /** The operator's word. @throws Fault `no_such_account`, `unknown_plan` */
  setPlan(email: string, plan: string, expiresAt: number | null): Promise<Account>
}

export function createAccounts(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly network: Network
  readonly plans: readonly Plan[]
  /** What a new account starts with. */
  readonly confirmations: number
}): Accounts {
  const { store, clock, random, network, plans } = deps

  async function find(email: string): Promise<Account> {
    const normal = normaliseEmail(email)
    const account = normal && (await store.read(rows => rows.accounts.byEmail(normal)))
    if (!account) throw noSuch('account')
    return account
  }

  async function overview(account: Account): Promise<Overview> {
    const now = nowSecs(clock)
    const { plan, expiresAt } = planAt(plans, account, now)
    const usedThisMonth = await store.read(rows => rows.usage.used(account.id, monthOf(now)))
    return { account, plan, planExpiresAt: expiresAt, usedThisMonth, resetsAt: startOfNextMonth(now) }
  }

  return {
    find,
    overview,

    async open(email) {
      const normal = normaliseEmail(email)
      if (normal === null) throw invalidField('email')
      const account = {
        publicId: random.uuid(),
        email: normal,
        network,
        confirmations: deps.confirmations,
        plan: FREE_PLAN,
        createdAt: nowSecs(clock),
      }
      return (await store.write(rows => rows.accounts.insert(account))) ?? find(normal)
    },

    list: () => store.read(rows => rows.accounts.list()),

    async setConfirmations(account, confirmations) {
      const { least, most } = CONFIRMATIONS
      if (!Number.isInteger(confirmations) || confirmations < least || confirmations > most)
        throw invalidField('confirmations', `${least} to ${most}`)
      await store.write(rows => rows.accounts.setConfirmations(account.id, confirmations))
      return overview({ ...account, confirmations })
    },

    async setPlan(email, name, expiresAt) {
      const account = await find(email)
      const plan = findPlan(plans, name)
      if (!plan) throw unknownPlan(plans)
      const holding = { plan: plan.name, planExpiresAt: expiresAt }
      const now = nowSecs(clock)
      return store.write(async rows => {
        const before = await rows.accounts.lock(account.id)
        if (before?.plan === holding.plan && before.planExpiresAt === expiresAt) return before
        await rows.accounts.setPlan(account.id, holding.plan, expiresAt)
        await rows.events.append([planUpdated(account.id, holding, now)])
        rows.wake('events')
        return { ...account, ...holding }
      })
    },
  }
}
