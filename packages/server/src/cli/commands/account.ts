import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import type { Config } from '../../config/settings.ts'
import type { Account } from '../../domain/account.ts'
import { OPERATOR } from '../../domain/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import { NO_METRICS } from '../../ports/metrics.ts'
import type { Store } from '../../ports/store.ts'
import { createAccounts, requireEmail } from '../../services/account.ts'
import { type AccountDeletions, createAccountDeletions } from '../../services/account-deletion.ts'
import { createOutbox } from '../../services/outbox.ts'
import { createSetAsides } from '../../services/set-aside.ts'
import type { Command } from '../command.ts'
import { type Output, table } from '../output.ts'
import { withStore } from '../store.ts'
import { parseArguments, requireValue } from '../usage.ts'

export const accountList: Command = {
  name: 'account list',
  usage: 'account list',
  summary: 'lists every account',
  arguments: [],
  example: 'account list --json',
  async run(args, { out, config }) {
    parseArguments(args, [], 0)
    const settings = config()
    const accounts = await withStore(settings, store => accountService(settings, store).list(), { out })
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
            ['email', 'plan', 'plan expires', 'viewing key', 'created'],
            accounts.map(({ email, plan, planExpiresAt, viewingKeyId, createdAt }) => [
              email,
              plan,
              planExpiresAt === null ? '' : formatUtc(planExpiresAt),
              viewingKeyId === null ? 'not set' : 'set',
              formatUtc(createdAt),
            ]),
          ),
    )
    return 0
  },
}

export const accountCreate: Command = {
  name: 'account create',
  usage: 'account create EMAIL',
  summary: 'opens an account, also while REGISTRATION is closed',
  arguments: [['EMAIL', 'the address that receives the sign-in codes']],
  example: 'account create shop@example.com',
  async run(args, { out, config }) {
    const email = requireValue(parseArguments(args, [], 1).positionals[0], 'EMAIL')
    // Before the database: an invalid email must not create one.
    requireEmail(email)
    const settings = config()
    const account = await withStore(settings, store => accountService(settings, store).findOrCreate(email), {
      create: true,
      out,
    })
    out.result({ id: account.publicId, email: account.email, plan: account.plan }, [`${account.email} can sign in`])
    return 0
  },
}

export const accountPlan: Command = {
  name: 'account plan',
  usage: 'account plan EMAIL PLAN',
  summary: 'assigns a plan that never expires to an account',
  arguments: [
    ['EMAIL', 'the account'],
    ['PLAN', 'the name of a plan, such as Free, Pro or Business'],
  ],
  example: 'account plan shop@example.com Business',
  async run(args, { out, config }) {
    const { positionals } = parseArguments(args, [], 2)
    const [email, plan] = [requireValue(positionals[0], 'EMAIL'), requireValue(positionals[1], 'PLAN')]
    const settings = config()
    const account = await withStore(
      settings,
      store => accountService(settings, store).setPlan(email, plan, null, OPERATOR),
      { out },
    )
    out.result({ email: account.email, plan: account.plan, plan_expires_at: null }, [
      `${account.email} is now on the ${account.plan} plan`,
    ])
    return 0
  },
}

export const accountEmail: Command = {
  name: 'account email',
  usage: 'account email EMAIL NEW_EMAIL',
  summary: 'changes the email of an account whose owner has lost the mailbox; the previous address gets a mail',
  arguments: [
    ['EMAIL', 'the present address'],
    ['NEW_EMAIL', 'the new one, which no other account has'],
  ],
  example: 'account email shop@example.com pay@example.com',
  async run(args, { out, config }) {
    const { positionals } = parseArguments(args, [], 2)
    const [email, text] = [requireValue(positionals[0], 'EMAIL'), requireValue(positionals[1], 'NEW_EMAIL')]
    const settings = config()
    const changed = await withStore(
      settings,
      async store => {
        const accounts = accountService(settings, store)
        return accounts.setEmail(await accounts.findByEmail(email), text, OPERATOR)
      },
      { out },
    )
    out.result({ email: changed }, [`the account of ${email} is now that of ${changed}`])
    return 0
  },
}

export const accountDelete: Command = {
  name: 'account delete',
  usage: 'account delete EMAIL',
  summary: 'deletes an account after a week, once its invoices are settled; its keys and sessions end now',
  arguments: [['EMAIL', 'the account']],
  example: 'account delete shop@example.com',
  async run(args, { out, config }) {
    const email = requireValue(parseArguments(args, [], 1).positionals[0], 'EMAIL')
    const dueAt = await withDeletions({ config: config(), out }, email, (deletions, account) =>
      deletions.request(account, OPERATOR),
    )
    out.result({ email, due_at: dueAt }, [
      `${email} will be deleted on ${formatUtc(dueAt)} or later`,
      `to keep it: zatgate account keep ${email}`,
    ])
    return 0
  },
}

export const accountKeep: Command = {
  name: 'account keep',
  usage: 'account keep EMAIL',
  summary: 'cancels the deletion of an account; its API keys stay revoked',
  arguments: [['EMAIL', 'the account']],
  example: 'account keep shop@example.com',
  async run(args, { out, config }) {
    const email = requireValue(parseArguments(args, [], 1).positionals[0], 'EMAIL')
    await withDeletions({ config: config(), out }, email, (deletions, account) => deletions.cancel(account, OPERATOR))
    out.result({ email }, [`${email} is not deleted`])
    return 0
  },
}

function withDeletions<T>(
  { config, out }: { readonly config: Config; readonly out: Output },
  email: string,
  work: (deletions: AccountDeletions, account: Account) => Promise<T>,
): Promise<T> {
  return withStore(
    config,
    async store => {
      const account = await accountService(config, store).findByEmail(email)
      const log = createLogger(config.logLevel, { format: config.logFormat })
      const deps = { store, clock: systemClock, log }
      const setAsides = createSetAsides({ ...deps, metrics: NO_METRICS })
      return work(createAccountDeletions({ ...deps, setAsides }), account)
    },
    { out },
  )
}

export function accountService({ network, plans, confirmations }: Config, store: Store) {
  const outbox = createOutbox({ random: systemRandom })
  return createAccounts({ store, outbox, clock: systemClock, random: systemRandom, network, plans, confirmations })
}
