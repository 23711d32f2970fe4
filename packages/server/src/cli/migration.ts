import type { MigrationWatch } from '../store/migrate.ts'
import { stoppable } from './stop-signal.ts'

/** Opens a database, prints each migration of an existing one, and lets a stop signal roll them back. */
export async function withMigrations<T>(
  print: (line: string) => void,
  open: (migration: MigrationWatch) => Promise<T>,
): Promise<T> {
  let running = ''
  return stoppable(
    () =>
      running === ''
        ? 'stopped before the database was opened'
        : `stopped in the migration ${running}: it was rolled back, and the database is as before`,
    signal =>
      open({
        signal,
        onProgress({ name, index, count }) {
          running = name
          print(`migration ${name} (${index} of ${count})`)
        },
      }),
  )
}
