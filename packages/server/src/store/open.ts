import type { Store } from '../ports/store.ts'
import type { StoreLimits } from './limits.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { createPgPool } from './postgres/driver.ts'
import { openPostgresStore } from './postgres/store.ts'
import { openSqliteStore } from './sqlite/store.ts'

export interface StoreOptions {
  /** Called with errors that reach no caller: a listener that throws, a lost notification connection. */
  readonly onError?: (error: unknown) => void
  readonly limits?: Partial<StoreLimits>
}

/**
 * Opens the database and creates or migrates its tables.
 * @param url `sqlite:<path>` or `postgres://…`
 * @throws Error when the URL is neither, or when the database cannot be reached or is newer than this code
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const onError = options.onError ?? (() => {})
  if (url.startsWith('sqlite:')) return openSqliteStore(sqlitePath(url), MIGRATIONS, limits, onError)
  if (/^postgres(ql)?:/.test(url))
    return openPostgresStore(createPgPool(url, limits, onError), MIGRATIONS, limits, onError)
  throw new Error('the database URL must be sqlite:<path> or postgres://…')
}

function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length)
  if (path === '' || path.startsWith(':'))
    throw new Error('sqlite:<path> must name a file, such as sqlite:./data/zatgate.db')
  return path
}
