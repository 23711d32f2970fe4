import { createKeyedHash } from '../../adapters/crypto/keyed-hash.ts'
import { createVault } from '../../adapters/crypto/vault.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { createUnusedAddressFiles } from '../../adapters/system/unused-address.ts'
import type { Config } from '../../config/settings.ts'
import { formatUtc } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
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
    await dropKeptAddresses(settings, system)
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

/** Leaves the addresses unused that the last process kept: the memory of the machine may have been restored too. */
async function dropKeptAddresses(
  { encryptionKeys, databaseUrl }: Config,
  system: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): Promise<void> {
  if (encryptionKeys.length === 0) return
  const secrets = { vault: createVault(encryptionKeys, system.random), keyedHash: createKeyedHash(encryptionKeys) }
  await createUnusedAddressFiles({ ...system, ...secrets, databaseUrl }).take()
}

function describe(viewingKeys: number, watchedUntil: number): string[] {
  if (viewingKeys === 0) return ['no viewing keys: there is no address counter to advance']
  return [
    `viewing keys whose address counter was advanced: ${viewingKeys}`,
    'new addresses differ from all addresses handed out after the backup was made',
    `all viewing keys are scanned until at least ${formatUtc(watchedUntil)}`,
  ]
}
