import { encryptionKeyId } from '../../adapters/crypto/vault.ts'
import type { Config } from '../../config/settings.ts'
import { runningProcesses } from '../../store/open.ts'
import type { Context } from '../context.ts'
import { withServices } from '../services.ts'
import { requireDatabase } from '../store.ts'

export async function rotateEncryptionKey(context: Context): Promise<void> {
  const settings = context.config()
  if (settings.encryptionKeys.length < 2)
    throw new Error(
      'ENCRYPTION_KEY holds one key: set it to the new key, a comma and the old key, restart the service with it, ' +
        'run this command, then remove the old key',
    )
  requireDatabase(settings)
  await requireNewKeyEverywhere(settings)
  const resealed = await withServices(context, async ({ auditLog, secrets }) => {
    await auditLog.recordCommand('encryption_key_rotated')
    return secrets.reseal()
  })
  // A process may have started meanwhile.
  await requireNewKeyEverywhere(settings)
  context.out.result({ secrets: resealed }, [
    `${resealed} secrets are encrypted with the new key; the old key is no longer needed`,
  ])
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
