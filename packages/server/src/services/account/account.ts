import type { Account, Network } from '../../domain/account/account.ts'
import {
  CONFIRMATIONS,
  needsRecentSignIn,
  normaliseEmail,
  type SaleTerms,
  saleTermsOf,
} from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { effectivePlan, FREE_PLAN, findPlan, type Plan, unknownPlanError } from '../../domain/account/plan.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import { planUpdatedEvent } from '../../domain/notify/event.ts'
import { MAX_TOLERANCE_BPS } from '../../domain/sale/invoice-fields.ts'
import { formatMonth, startOfNextMonth } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Outbox } from '../notify/outbox.ts'
import { recordChange } from './audit.ts'
import { mailLimitOfNewPlan } from './plan-limit.ts'

/** An account with its effective plan and its usage in the current month. */
export interface AccountOverview {
  readonly account: Account
  /** The plan in effect now. */
  readonly plan: Plan
  /** Unix seconds; null: the plan does not end. */
  readonly planExpiresAt: number | null
  /** Invoices created in the current calendar month (UTC). */
  readonly usedThisMonth: number
  /** Unix seconds: the start of the next month. */
  readonly resetsAt: number
}

/** Accounts for each read of the list. */
const LIST_PAGE = 1_000

export interface Accounts {
  /** Finds the account of an email address, or creates it. @throws AppError `invalid_email` */
  findOrCreate(email: string): Promise<Account>
  /** @throws AppError `no_such_account` */
  findByEmail(email: string): Promise<Account>
  /** All accounts, oldest first, for the operator. */
  list(): Promise<Account[]>
  overview(account: Account): Promise<AccountOverview>
  /** Changes the email without a code, for the operator. It cannot be undone with a link. @throws AppError `invalid_email`, `email_taken` */
  setEmail(account: Account, email: string, actor: Actor): Promise<string>
  /**
   * Sets terms of new invoices; those that are absent stay.
   * @param hasRecentSignIn whether the owner entered a code recently, or needs none
   * @throws AppError `invalid_confirmations`, `invalid_tolerance_bps`; `recent_sign_in_required` for fewer confirmations or
   * a higher tolerance than now without a recent sign-in
   */
  setTerms(
    account: Account,
    changes: Partial<SaleTerms>,
    actor?: Actor,
    hasRecentSignIn?: boolean,
  ): Promise<AccountOverview>
  /** Assigns a plan; `expiresAt` is in Unix seconds, null: no end. @throws AppError `no_such_account`, `unknown_plan` */
  setPlan(email: string, plan: string, expiresAt: number | null, actor?: Actor): Promise<Account>
}

/** The dependencies and defaults of a new account. */
export interface AccountDefaults {
  readonly clock: Clock
  readonly random: Random
  readonly network: Network
  /** Required confirmations of a new account. */
  readonly confirmations: number
}

/** Finds the account with this normalised email, or creates it on the Free plan. @throws AppError `email_taken` */
export async function findOrCreateAccount(
  tx: Pick<Tx, 'accounts' | 'emailChanges'>,
  email: string,
  { clock, random, network, confirmations }: AccountDefaults,
): Promise<Account> {
  const createdAt = nowSecs(clock)
  const draft = { publicId: random.uuid(), email, network, confirmations, plan: FREE_PLAN, createdAt }
  const known = await tx.accounts.byEmail(email)
  if (known) return known
  const created = await tx.accounts.insert(draft)
  if (created) await requireUnreserved(tx, email, created.id, createdAt)
  const account = created ?? (await tx.accounts.byEmail(email))
  if (!account) throw new Error('the account can neither be found nor created')
  return account
}

/** The normalised text. @throws AppError `invalid_email` */
export function requireEmail(text: string): string {
  const email = normaliseEmail(text)
  if (email === null) throw invalidField('email', 'an address such as name@example.com')
  return email
}

/** The normalised text. @throws AppError `invalid_email` for other text, and for the account's present email */
export function otherEmail({ email: present }: Account, text: string): string {
  const email = requireEmail(text)
  if (email === present) throw invalidField('email', 'another address than the present one')
  return email
}

/**
 * Changes the email and mails that to `account.email`. An address that its previous owner can get back is taken.
 * @throws AppError `email_taken`, `account_being_deleted`, `too_many_changes`
 */
export async function changeEmail(tx: Tx, account: Account, email: string, actor: Actor, at: number): Promise<void> {
  await recordChange(tx, account, actor, { kind: 'email_changed', at, detail: email })
  if (!(await tx.accounts.setEmail(account.id, email)))
    throw emailTakenError('another account has this address: use another address, or delete that account first')
  await requireUnreserved(tx, email, account.id, at)
}

/** Call after the address is written: then no other transaction can reserve it. @throws AppError `email_taken` */
async function requireUnreserved(
  tx: Pick<Tx, 'emailChanges'>,
  email: string,
  accountId: number,
  now: number,
): Promise<void> {
  const reservedBy = await tx.emailChanges.reservedBy(email, now)
  if (reservedBy !== null && reservedBy.accountId !== accountId) throw reservedEmailError()
}

export function reservedEmailError(): AppError {
  return emailTakenError(
    'the email of the account with this address was changed less than seven days ago: a mail to this address has a link that undoes it',
  )
}

/** @throws AppError `invalid_confirmations`, `invalid_tolerance_bps` */
function requireTerms({ confirmations, toleranceBps }: Partial<SaleTerms>): void {
  const isWithin = (value: number, min: number, max: number) => Number.isInteger(value) && value >= min && value <= max
  const { min, max } = CONFIRMATIONS
  if (confirmations !== undefined && !isWithin(confirmations, min, max))
    throw invalidField('confirmations', `${min} to ${max}`)
  if (toleranceBps !== undefined && !isWithin(toleranceBps, 0, MAX_TOLERANCE_BPS))
    throw invalidField('tolerance_bps', `0 to ${MAX_TOLERANCE_BPS}`)
}

function emailTakenError(detail: string): AppError {
  return new AppError('email_taken', { detail })
}

export function createAccounts(
  deps: AccountDefaults & { readonly store: Store; readonly outbox: Outbox; readonly plans: readonly Plan[] },
): Accounts {
  const { store, outbox, clock, plans } = deps

  async function findByEmail(email: string): Promise<Account> {
    const normal = normaliseEmail(email)
    const account = normal && (await store.read(tx => tx.accounts.byEmail(normal)))
    if (!account) throw new AppError('no_such_account')
    return account
  }

  async function overview(account: Account): Promise<AccountOverview> {
    const now = nowSecs(clock)
    const { plan, expiresAt } = effectivePlan(plans, account, now)
    const usedThisMonth = await store.read(tx => tx.usage.used(account.id, formatMonth(now)))
    return { account, plan, planExpiresAt: expiresAt, usedThisMonth, resetsAt: startOfNextMonth(now) }
  }

  return {
    findByEmail,
    overview,

    async findOrCreate(text) {
      const email = requireEmail(text)
      return store.write(tx => findOrCreateAccount(tx, email, deps))
    },

    async list() {
      const all: Account[] = []
      for (;;) {
        const page = await store.read(tx => tx.accounts.list(all.at(-1)?.id ?? 0, LIST_PAGE))
        for (const account of page) all.push(account)
        if (page.length < LIST_PAGE) return all
      }
    },

    async setEmail(account, text, actor) {
      const email = otherEmail(account, text)
      await store.write(async tx => {
        await changeEmail(tx, (await tx.accounts.lock(account.id)) ?? account, email, actor, nowSecs(clock))
        // A previous address cannot undo the operator's change.
        await tx.emailChanges.removeFrom(account.id, 0)
      })
      return email
    },

    async setTerms(account, changes, actor = SERVICE, hasRecentSignIn = true) {
      requireTerms(changes)
      const at = nowSecs(clock)
      const changed = await store.write(async tx => {
        const before = await tx.accounts.lock(account.id)
        if (!before) return account
        const terms = { ...saleTermsOf(before), ...changes }
        if (!hasRecentSignIn && needsRecentSignIn(before, terms)) throw new AppError('recent_sign_in_required')
        const { confirmations, toleranceBps } = terms
        if (confirmations === before.confirmations && toleranceBps === before.toleranceBps) return before
        await tx.accounts.setTerms(account.id, terms)
        if (confirmations !== before.confirmations)
          await recordChange(tx, account, actor, { kind: 'confirmations_set', at, detail: String(confirmations) })
        if (toleranceBps !== before.toleranceBps)
          await recordChange(tx, account, actor, { kind: 'tolerance_set', at, detail: `${toleranceBps} bps` })
        return { ...account, ...terms }
      })
      return overview(changed)
    },

    async setPlan(email, name, expiresAt, actor = SERVICE) {
      const account = await findByEmail(email)
      const plan = findPlan(plans, name)
      if (!plan) throw unknownPlanError(plans)
      const assignment = { plan: plan.name, planExpiresAt: expiresAt }
      const now = nowSecs(clock)
      return store.write(async tx => {
        const before = await tx.accounts.lock(account.id)
        if (before?.plan === assignment.plan && before.planExpiresAt === expiresAt) return before
        await tx.accounts.setPlan(account.id, assignment.plan, expiresAt)
        await recordChange(tx, account, actor, { kind: 'plan_assigned', at: now, detail: plan.name })
        await outbox.append(tx, [planUpdatedEvent(account.id, assignment, now)])
        const changed = { ...account, ...assignment }
        if (before?.plan !== plan.name) await mailLimitOfNewPlan(tx, plans, changed, now)
        return changed
      })
    },
  }
}
