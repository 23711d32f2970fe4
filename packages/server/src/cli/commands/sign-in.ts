import { systemClock } from '../../adapters/system/clock.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import type { Config } from '../../config/settings.ts'
import { isLoopback } from '../../config/transport.ts'
import type { Account } from '../../domain/account.ts'
import { AppError } from '../../domain/error.ts'
import { SIGN_IN_LINK } from '../../domain/sign-in.ts'
import { formatUtc } from '../../domain/time.ts'
import type { Store } from '../../ports/store.ts'
import { requireEmail } from '../../services/account.ts'
import { createSignInLink } from '../../services/sign-in-link.ts'
import type { Command } from '../command.ts'
import { withStore } from '../store.ts'
import { parseArguments, requireValue } from '../usage.ts'
import { accountService } from './account.ts'

export const signIn: Command = {
  name: 'sign-in',
  usage: 'sign-in EMAIL',
  summary: 'prints a link that signs in to an account once, within ten minutes, for example before mail works',
  arguments: [['EMAIL', 'the account']],
  example: 'sign-in shop@example.com',
  async run(args, { out, config }) {
    const email = requireEmail(requireValue(parseArguments(args, [], 1).positionals[0], 'EMAIL'))
    const settings = config()
    const baseUrl = settings.publicUrl ?? localUrl(settings)
    const { secret, expiresAt } = await withStore(
      settings,
      async store =>
        createSignInLink(
          { store, clock: systemClock, random: systemRandom },
          await existingAccount(settings, store, email),
        ),
      { out },
    )
    const url = `${baseUrl}${SIGN_IN_LINK.path}/${secret}`
    out.result({ email, url, expires_at: expiresAt }, [url])
    out.note(`valid once, until ${formatUtc(expiresAt)}; do not pass it on: it signs in to the account`)
    if (settings.publicUrl === null)
      out.note('PUBLIC_URL is not set: open the link on the machine where the service runs')
    return 0
  },
}

async function existingAccount(config: Config, store: Store, email: string): Promise<Account> {
  try {
    return await accountService(config, store).findByEmail(email)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'no_such_account') throw error
    throw new Error(`no account has the email ${email}: open it first, with zatgate account create ${email}`)
  }
}

/** Of the machine itself. Browsers keep a sign-in over plain http at `localhost` alone. */
function localUrl({ host, port }: Config): string {
  if (port === 0) throw new Error('PORT is 0, so the port of the service is not known: set PUBLIC_URL to its address')
  if (isLoopback(host) || host === '::' || host === '0.0.0.0') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
