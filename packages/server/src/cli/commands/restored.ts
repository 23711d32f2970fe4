import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { formatUtc } from '../../domain/time.ts'
import { createDatabaseIdentity } from '../../services/database-identity.ts'
import type { Command } from '../command.ts'
import { requireDatabase, withStore } from '../store.ts'
import { parseArguments } from '../usage.ts'

export const restored: Command = {
  name: 'restored',
  usage: 'restored',
  summary: 'advances the address counters after a restore that zatgate cannot detect, such as a disk snapshot',
  arguments: [],
  example: 'restored',
  async run(args, { out, config }) {
    parseArguments(args, [], 0)
    const settings = config()
    const { lateWatchDays, logLevel, logFormat } = settings
    const system = { clock: systemClock, random: systemRandom, log: createLogger(logLevel, { format: logFormat }) }
    requireDatabase(settings)
    const { viewingKeys, watchedUntil } = await withStore(
      settings,
      store => createDatabaseIdentity({ ...system, store, lateWatchDays }).advanceCounters(),
      { out },
    )
    out.result({ viewing_keys: viewingKeys, watched_until: watchedUntil }, describe(viewingKeys, watchedUntil))
    if (viewingKeys > 0) out.note('Restart the service if it is running: it has reserved addresses in memory.')
    return 0
  },
}

function describe(viewingKeys: number, watchedUntil: number): string[] {
  if (viewingKeys === 0) return ['no viewing keys: there is no address counter to advance']
  return [
    `viewing keys whose address counter was advanced: ${viewingKeys}`,
    'new addresses differ from all addresses handed out after the backup was made',
    `all viewing keys are scanned until at least ${formatUtc(watchedUntil)}`,
  ]
}
