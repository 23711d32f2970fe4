import { systemClock } from '../../adapters/system/clock.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import type { Config } from '../../config/settings.ts'
import type { Store } from '../../ports.ts'
import { createAccounts } from '../../services/account.ts'
import { type Command, needed, readArguments } from '../command.ts'
import { table, when } from '../output.ts'
import { withStore } from '../store.ts'

export const accountList: Command = {
  name: 'account list',
  usage: 'account list',
  summary: 'lists every account',
  async run(args, { out, config }) {
    readArguments(args, [], 0)
    const settings = config()
    const accounts = await withStore(settings, store => accountsOf(settings, store).list())
    out.result(
      accounts.map(account => ({
        id: account.publicId,
        email: account.email,
        plan: account.plan,
        plan_expires_at: account.planExpiresAt,
        viewing_key_set: account.viewingKeyId !== null,
        confirmations: account.confirmations,
        created_at: account.createdAt,
      })),
      accounts.length === 0
        ? ['no accounts yet']
        : table(
            ['email', 'plan', 'until', 'viewing key', 'created'],
            accounts.map(({ email, plan, planExpiresAt, viewingKeyId, createdAt }) => [
              email,
              plan,
              planExpiresAt === null ? '' : when(planExpiresAt),
              viewingKeyId === null ? 'none' : 'set',
              when(createdAt),
            ]),
          ),
    )
    return 0
  },
}

export const accountPlan: Command = {
  name: 'account plan',
  usage: 'account plan EMAIL PLAN',
  summary: 'puts an account on a plan, for ever',
  async run(args, { out, config }) {
    const [email, plan] = readArguments(args, [], 2).positionals
    const [who, what] = [needed(email, 'EMAIL'), needed(plan, 'PLAN')]
    const settings = config()
    const account = await withStore(settings, store => accountsOf(settings, store).setPlan(who, what, null))
    out.result({ email: account.email, plan: account.plan, plan_expires_at: null }, [
      `${account.email} is on the ${account.plan} plan`,
    ])
    return 0
  },
}

export function accountsOf({ network, plans, confirmations }: Config, store: Store) {
  return createAccounts({ store, clock: systemClock, random: systemRandom, network, plans, confirmations })
}
