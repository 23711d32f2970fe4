import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { createOrigin } from '../../services/database-identity.ts'
import { type Command, readArguments } from '../command.ts'
import { when } from '../output.ts'
import { withStore } from '../store.ts'

export const restored: Command = {
  name: 'restored',
  usage: 'restored',
  summary: 'moves the address counters on after a restore that cannot be noticed, such as of a disk snapshot',
  async run(args, { out, config }) {
    readArguments(args, [], 0)
    const settings = config()
    const { lateWatchDays } = settings
    const { viewingKeys, watchedUntil } = await withStore(settings, store => {
      const log = createLogger(settings.logLevel)
      return createOrigin({ store, clock: systemClock, random: systemRandom, lateWatchDays, log }).moveCounters()
    })
    out.result({ viewing_keys: viewingKeys, watched_until: watchedUntil }, describe(viewingKeys, watchedUntil))
    if (viewingKeys > 0) out.note('Restart the service if it is running: it keeps a few addresses ready.')
    return 0
  },
}

function describe(viewingKeys: number, watchedUntil: number): string[] {
  if (viewingKeys === 0) return ['no viewing keys: there is no address counter to move']
  return [
    `viewing keys whose address counter was moved on: ${viewingKeys}`,
    'addresses from here on are new, whatever was shown after the backup was made',
    `all viewing keys are watched until at least ${when(watchedUntil)}`,
  ]
}
