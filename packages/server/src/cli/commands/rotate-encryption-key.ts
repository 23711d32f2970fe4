import { createVault } from '../../adapters/crypto/vault.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { createSecrets } from '../../services/encryption-key.ts'
import type { Command } from '../command.ts'
import { withStore } from '../store.ts'
import { parseArguments } from '../usage.ts'

export const rotateEncryptionKey: Command = {
  name: 'rotate-encryption-key',
  usage: 'rotate-encryption-key',
  summary: 'encrypts every secret again with the first key of ENCRYPTION_KEY=new,old',
  async run(args, { out, config }) {
    parseArguments(args, [], 0)
    const settings = config()
    if (settings.encryptionKeys.length < 2)
      throw new Error(
        'ENCRYPTION_KEY holds one key: set it to the new key, a comma and the old key, restart the service with it, ' +
          'run this command, then remove the old key',
      )
    const vault = createVault(settings.encryptionKeys, systemRandom)
    const secrets = await withStore(settings, store => createSecrets({ store, vault }).reseal())
    out.result({ secrets }, [`${secrets} secrets are encrypted with the new key; the old key is no longer needed`])
    return 0
  },
}
