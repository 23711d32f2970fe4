import type pg from 'pg'
import { ReadOnlyDatabaseError } from '../../domain/error.ts'
import type { StoreLimits } from '../limits.ts'

const STATEMENT_MS = 30_000

/** Options of a connection to this database. The modes of `sslmode` are those of libpq. */
export function connectionOptions(url: string): pg.ClientConfig {
  const hasMode = new URLSearchParams(url.split('?', 2)[1]).has('sslmode')
  // Without `ssl`, the driver would read the environment.
  return hasMode ? { connectionString: `${url}&uselibpqcompat=true` } : { connectionString: url, ssl: false }
}

/** The encoding of the database lacks characters of names, emails and metadata. */
export class DatabaseEncodingError extends Error {
  constructor(encoding: string) {
    super(
      `it has the encoding ${encoding}, which cannot store every text: create it with ENCODING 'UTF8' TEMPLATE template0, and move the data with pg_dump`,
    )
    this.name = 'DatabaseEncodingError'
  }
}

/**
 * Sets the time limits of a new connection. Not as parameters of its start, which PgBouncer refuses.
 * @throws DatabaseEncodingError
 * @throws ReadOnlyDatabaseError on a standby, which would refuse writes and return outdated rows
 */
export async function prepareSession(client: pg.ClientBase, { lockTimeoutMs }: StoreLimits): Promise<void> {
  const { rows } = await client.query<{ read_only: string; encoding: string }>(
    `SELECT set_config('statement_timeout', '${STATEMENT_MS}', false), set_config('lock_timeout', '${lockTimeoutMs}', false),
       set_config('idle_in_transaction_session_timeout', '${STATEMENT_MS}', false),
       current_setting('transaction_read_only') AS read_only, current_setting('server_encoding') AS encoding`,
  )
  if (rows[0]?.encoding !== 'UTF8') throw new DatabaseEncodingError(String(rows[0]?.encoding))
  if (rows[0]?.read_only === 'on') throw new ReadOnlyDatabaseError()
}
