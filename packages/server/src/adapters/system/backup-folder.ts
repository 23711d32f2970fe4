import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The folder in which the guides put the backups of a SQLite file. */
export function backupFolder(databaseFile: string): string {
  return join(dirname(databaseFile), 'backups')
}

/** When the newest file of a folder was changed, in Unix seconds; null without one. */
export async function newestFileSecs(folder: string): Promise<number | null> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const files = entries.filter(entry => entry.isFile() && !entry.name.endsWith('.partial'))
    const times = await Promise.all(files.map(async ({ name }) => (await stat(join(folder, name))).mtimeMs / 1_000))
    return times.reduce<number | null>((newest, time) => Math.max(newest ?? 0, time), null)
  } catch {
    return null
  }
}
