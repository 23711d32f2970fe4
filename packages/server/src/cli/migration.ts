import type { MigrationWatch } from '../store/migrate.ts'
import type { Output } from './output.ts'
import { stoppable } from './stop-signal.ts'

/**
 * Opens a database, shows how far its migrations are, and lets a stop signal roll them back.
 * @param print where lines go when standard error is not a terminal
 */
export async function withMigrationProgress<T>(
  out: Output,
  open: (migration: MigrationWatch) => Promise<T>,
  print?: (line: string) => void,
): Promise<T> {
  const progress = out.progress('migration', 'rows', print)
  let running = ''
  try {
    return await stoppable(
      () =>
        running === ''
          ? 'stopped before the database was opened'
          : `stopped in the migration ${running}: it was rolled back, and the database is as before`,
      signal =>
        open({
          signal,
          onProgress({ name, index, count, rows, totalRows }) {
            running = name
            progress.update(rows, totalRows, `migration ${name} (${index} of ${count})`)
          },
        }),
    )
  } finally {
    progress.end()
  }
}
