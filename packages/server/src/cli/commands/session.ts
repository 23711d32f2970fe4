import { systemClock } from '../../adapters/system/clock.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { createCredentials } from '../../services/credentials.ts'
import { type Command, needed, readArguments } from '../command.ts'
import { when } from '../output.ts'
import { withStore } from '../store.ts'
import { accountsOf } from './account.ts'

export const sessionCreate: Command = {
  name: 'session create',
  usage: 'session create --email E',
  summary: 'prints a session token for an account, valid 30 days',
  async run(args, { out, config }) {
    const email = needed(readArguments(args, ['email'], 0).values.email, '--email')
    const settings = config()
    const { session, token } = await withStore(settings, async store => {
      const account = await accountsOf(settings, store).find(email)
      const credentials = createCredentials({
        store,
        clock: systemClock,
        random: systemRandom,
        onError: error => {
          throw error
        },
      })
      return credentials.createSession(account, 'command line')
    })
    out.result({ session_token: token, id: session.publicId, expires_at: session.expiresAt }, [token])
    out.note(`valid until ${when(session.expiresAt)}`)
    return 0
  },
}
