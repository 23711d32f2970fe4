import { systemClock } from '../../adapters/system/clock.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { OPERATOR } from '../../domain/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import type { Store } from '../../ports/store.ts'
import { createSessions } from '../../services/session.ts'
import type { Command } from '../command.ts'
import { withStore } from '../store.ts'
import { parseArguments, requireValue } from '../usage.ts'
import { accountService } from './account.ts'

export const sessionEnd: Command = {
  name: 'session end',
  usage: 'session end --email E',
  summary: 'ends every session of an account, tokens of scripts included; its API keys keep working',
  arguments: [['--email E', 'the account']],
  example: 'session end --email shop@example.com',
  async run(args, { out, config }) {
    const email = requireValue(parseArguments(args, ['email'], 0).values.email, '--email')
    const settings = config()
    const ended = await withStore(
      settings,
      async store => sessionService(store).endAll(await accountService(settings, store).findByEmail(email), OPERATOR),
      { out },
    )
    out.result({ email, ended }, [`${ended} sessions of ${email} are ended`])
    return 0
  },
}

export const sessionCreate: Command = {
  name: 'session create',
  usage: 'session create --email E',
  summary: 'creates a session token for an account, valid for 30 days',
  arguments: [['--email E', 'the account']],
  example: 'session create --email shop@example.com',
  async run(args, { out, config }) {
    const email = requireValue(parseArguments(args, ['email'], 0).values.email, '--email')
    const settings = config()
    const { session, token } = await withStore(
      settings,
      async store => {
        const account = await accountService(settings, store).findByEmail(email)
        return sessionService(store).create(account, 'command line', OPERATOR)
      },
      { out },
    )
    out.result({ session_token: token, id: session.publicId, expires_at: session.expiresAt }, [token])
    out.note(`valid until ${formatUtc(session.expiresAt)}`)
    return 0
  },
}

function sessionService(store: Store) {
  const onError = (error: unknown) => {
    throw error
  }
  return createSessions({ store, clock: systemClock, random: systemRandom, onError })
}
