import { systemClock } from '../../adapters/system/clock.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { OPERATOR } from '../../domain/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import { createSessions } from '../../services/session.ts'
import type { Command } from '../command.ts'
import { withStore } from '../store.ts'
import { parseArguments, requireValue } from '../usage.ts'
import { accountService } from './account.ts'

export const sessionCreate: Command = {
  name: 'session create',
  usage: 'session create --email E',
  summary: 'creates a session token for an account, valid for 30 days',
  async run(args, { out, config }) {
    const email = requireValue(parseArguments(args, ['email'], 0).values.email, '--email')
    const settings = config()
    const { session, token } = await withStore(settings, async store => {
      const account = await accountService(settings, store).findByEmail(email)
      const sessions = createSessions({
        store,
        clock: systemClock,
        random: systemRandom,
        onError: error => {
          throw error
        },
      })
      return sessions.create(account, 'command line', OPERATOR)
    })
    out.result({ session_token: token, id: session.publicId, expires_at: session.expiresAt }, [token])
    out.note(`valid until ${formatUtc(session.expiresAt)}`)
    return 0
  },
}
