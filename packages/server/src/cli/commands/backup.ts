import { resolve } from 'node:path'
import { backupDatabase } from '../../store/open.ts'
import type { Command } from '../command.ts'
import { stoppable } from '../stop-signal.ts'
import { requireDatabase } from '../store.ts'
import { parseArguments, requireValue } from '../usage.ts'

export const backup: Command = {
  name: 'backup',
  usage: 'backup FILE',
  summary: 'writes a consistent copy of the database to a new file; the service may be running',
  arguments: [['FILE', 'a new file in an existing folder']],
  example: 'backup /backups/zatgate-monday.db',
  async run(args, { out, config }) {
    const file = resolve(requireValue(parseArguments(args, [], 1).positionals[0], 'FILE'))
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
    return 0
  },
}
