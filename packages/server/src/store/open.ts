import { AppError } from '../domain/error.ts'
import type { WorkWatch } from '../ports/progress.ts'
import type { Store } from '../ports/store.ts'
import type { StoreLimits } from './limits.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { MigrationWatch } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { openError } from './open-error.ts'
import { createPgPool } from './postgres/driver.ts'
import { connectedProcesses } from './postgres/process.ts'
import { openPostgresStore } from './postgres/store.ts'
import { untilReachable } from './postgres/wait.ts'
import type { ServiceProcess } from './process.ts'
import { backupSqlite } from './sqlite/backup.ts'
import { processHolding, takeProcessLock } from './sqlite/process-lock.ts'
import { openSqliteStore } from './sqlite/store.ts'

const IN_USE = 'stop it, or set DATABASE_URL or DATA_DIR to another place'

export interface StoreOptions {
  /** Called with errors that reach no caller: a listener that throws, a lost notification connection. */
  readonly onError?: (error: unknown) => void
  readonly limits?: Partial<StoreLimits>
  /** Set by a process that serves from the database. Only one may on SQLite. Others see it with `runningProcesses`. */
  readonly process?: ServiceProcess | undefined
  /** Follows and stops the migrations of an older database. */
  readonly migration?: MigrationWatch | undefined
  /** Waits some minutes for a PostgreSQL that cannot be reached yet. Called now and then with the reason. */
  readonly onWait?: ((reason: string) => void) | undefined
}

/**
 * Opens the database and creates or migrates its tables.
 * @param url `sqlite:<path>` or `postgres://…`
 * @throws Error when the URL is neither, or when the database cannot be reached or is newer than this code
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  try {
    return await open(url, options)
  } catch (error) {
    throw openError(url, error)
  }
}

async function open(url: string, options: StoreOptions): Promise<Store> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const onError = options.onError ?? (() => {})
  if (/^postgres(ql)?:/.test(url))
    return untilReachable(
      () =>
        openPostgresStore(
          createPgPool(url, limits, onError, options.process),
          MIGRATIONS,
          limits,
          onError,
          options.migration,
        ),
      options.onWait && (error => options.onWait?.((openError(url, error) as Error).message)),
      options.migration?.signal,
    )
  const path = sqlitePath(url)
  const lock = options.process && takeProcessLock(path, options.process, IN_USE)
  try {
    return await openSqliteStore(path, MIGRATIONS, limits, onError, { lock, migration: options.migration })
  } catch (error) {
    lock?.release()
    throw error
  }
}

/**
 * Writes a consistent copy of a SQLite database to a new file while the service runs. Its tables stay as they are: the
 * service may be of an earlier version. The copy has no database identity.
 * @param watch its progress is counted in bytes
 * @throws AppError `file_exists`, `no_such_folder`; `backup_not_here` on PostgreSQL; the reason of the signal
 */
export async function backupDatabase(url: string, file: string, watch?: WorkWatch): Promise<void> {
  const source = sqliteFile(url)
  if (source === null) throw new AppError('backup_not_here')
  await backupSqlite(source, file, watch)
}

/** The processes that serve from this database now. */
export async function runningProcesses(url: string): Promise<readonly ServiceProcess[]> {
  if (!url.startsWith('sqlite:')) return connectedProcesses(url)
  const holder = processHolding(sqlitePath(url))
  return holder ? [holder] : []
}

/** The path of a SQLite database; null for PostgreSQL. */
export function sqliteFile(url: string): string | null {
  return url.startsWith('sqlite:') ? sqlitePath(url) : null
}

function sqlitePath(url: string): string {
  if (!url.startsWith('sqlite:')) throw new Error('the database URL must be sqlite:<path> or postgres://…')
  const path = url.slice('sqlite:'.length)
  if (path === '' || path.startsWith(':'))
    throw new Error('sqlite:<path> must name a file, such as sqlite:./data/zatgate.db')
  return path
}
