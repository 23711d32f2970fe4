import type { Store } from '../ports.ts'
import type { StoreLimits } from './limits.ts'
import { USUAL_LIMITS } from './limits.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { pgPool } from './postgres/driver.ts'
import { openPostgresStore } from './postgres/store.ts'
import { openSqliteStore } from './sqlite/store.ts'

export interface StoreOptions {
  /** Told of what no caller hears: a listener that throws, a lost notification connection. */
  readonly onFault?: (error: unknown) => void
  readonly limits?: Partial<StoreLimits>
}

/**
 * Opens the database, makes or migrates its tables, and keeps it until `close`.
 * @param url `sqlite:<path>` or `postgres://…`
 * @throws Error when the URL is neither, the database cannot be reached, or is newer than this code.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const limits = { ...USUAL_LIMITS, ...options.limits }
  const onFault = options.onFault ?? (() => {})
  if (url.startsWith('sqlite:')) return openSqliteStore(sqlitePath(url), MIGRATIONS, limits, onFault)
  if (/^postgres(ql)?:/.test(url)) return openPostgresStore(pgPool(url, limits, onFault), MIGRATIONS, limits, onFault)
  throw new Error('the database URL is neither sqlite:<path> nor postgres://…')
}

function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length)
  if (path === '' || path.startsWith(':'))
    throw new Error('sqlite:<path> names a file, such as sqlite:./data/zatgate.db')
  return path
}
