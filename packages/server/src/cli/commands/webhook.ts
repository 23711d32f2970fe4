import { systemClock } from '../../adapters/system/clock.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { formatCount } from '../../domain/count.ts'
import { createResends } from '../../services/webhook-resend.ts'
import type { Command } from '../command.ts'
import { withStore } from '../store.ts'
import { parseArguments, requireValue } from '../usage.ts'
import { accountService } from './account.ts'

export const webhooksResend: Command = {
  name: 'webhooks resend',
  usage: 'webhooks resend EMAIL',
  summary: 'sends the failed webhook events of an account again, each once',
  arguments: [['EMAIL', 'the account']],
  example: 'webhooks resend shop@example.com',
  async run(args, { out, config }) {
    const email = requireValue(parseArguments(args, [], 1).positionals[0], 'EMAIL')
    const settings = config()
    const { resent, left } = await withStore(
      settings,
      async store => {
        const account = await accountService(settings, store).findByEmail(email)
        return createResends({ store, clock: systemClock, random: systemRandom }).resendFailed(account)
      },
      { out },
    )
    const events = (count: number) => `${formatCount(count)} failed ${count === 1 ? 'event' : 'events'}`
    out.result({ email, resent, left }, [
      resent === 0 ? 'no failed events' : `${events(resent)} queued again; the running service sends them`,
      ...(left > 0 ? [`${events(left)} left: repeat the command once these are delivered`] : []),
    ])
    return 0
  },
}
