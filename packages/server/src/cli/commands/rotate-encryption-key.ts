import { createVault, encryptionKeyId } from '../../adapters/crypto/vault.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import type { Config } from '../../config/settings.ts'
import { createAuditLog } from '../../services/audit.ts'
import { createSecrets } from '../../services/encryption-key.ts'
import { runningProcesses } from '../../store/open.ts'
import type { Command } from '../command.ts'
import { requireDatabase, withStore } from '../store.ts'
import { parseArguments } from '../usage.ts'

export const rotateEncryptionKey: Command = {
  name: 'rotate-encryption-key',
  usage: 'rotate-encryption-key',
  summary: 'encrypts every secret again with the first key of ENCRYPTION_KEY=new,old',
  arguments: [],
  example: 'rotate-encryption-key',
  async run(args, { out, config }) {
    parseArguments(args, [], 0)
    const settings = config()
    if (settings.encryptionKeys.length < 2)
      throw new Error(
        'ENCRYPTION_KEY holds one key: set it to the new key, a comma and the old key, restart the service with it, ' +
          'run this command, then remove the old key',
      )
    requireDatabase(settings)
    await requireNewKeyEverywhere(settings)
    const vault = createVault(settings.encryptionKeys, systemRandom)
    const secrets = await withStore(
      settings,
      async store => {
        await createAuditLog({ store, clock: systemClock }).recordCommand('encryption_key_rotated')
        return createSecrets({ store, vault }).reseal()
      },
      { out },
    )
    // A process may have started meanwhile.
    await requireNewKeyEverywhere(settings)
    out.result({ secrets }, [`${secrets} secrets are encrypted with the new key; the old key is no longer needed`])
    return 0
  },
}

/** @throws Error when a running process could not open a secret that is encrypted with the new key */
async function requireNewKeyEverywhere({ databaseUrl, encryptionKeys: [newKey] }: Config): Promise<void> {
  const newId = newKey && encryptionKeyId(newKey)
  const processes = await runningProcesses(databaseUrl)
  const lacking = processes.filter(({ encryptionKeyIds }) => !encryptionKeyIds.some(id => id === newId))
  if (lacking.length === 0) return
  const [names, verb, them] = [
    lacking.map(({ name }) => name).join(', '),
    lacking.length === 1 ? 'does' : 'do',
    lacking.length === 1 ? 'it' : 'them',
  ]
  throw new Error(
    `${names} ${verb} not have the new key: restart ${them} with the same ENCRYPTION_KEY=new,old, ` +
      'then run this command again',
  )
}
