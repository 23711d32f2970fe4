import { resolve } from 'node:path'
import { backupDatabase } from '../../store/open.ts'
import type { Context } from '../context.ts'
import { stoppable } from '../stop-signal.ts'
import { requireDatabase } from '../store.ts'

export async function backup(values: { readonly file: string }, { config, out }: Context): Promise<void> {
  const file = resolve(values.file)
  const settings = config()
  requireDatabase(settings)
  const progress = out.progress('backup', 'bytes')
  try {
    await stoppable(
      () => `stopped: no backup was written to ${file}`,
      signal => backupDatabase(settings.databaseUrl, file, { signal, onProgress: progress.update }),
    )
  } finally {
    progress.end()
  }
  out.result({ file }, [`backup written to ${file}`])
  out.note('Secrets in the backup are encrypted. Store ENCRYPTION_KEY separately.')
}
