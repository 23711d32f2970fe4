import { POSTGRES } from '../dialect.ts'
import { type MigrationWatch, migrate } from '../migrate.ts'
import type { Migration } from '../migrations/index.ts'
import { openDb } from '../transaction/open-db.ts'
import type { PgClient, PgSource } from './driver.ts'
import { PgConnection } from './driver.ts'

/** The advisory lock's key: "zatg" in ASCII, unlikely to be used by another program. */
const MIGRATION_LOCK = 0x7a617467

/** Migrates in one transaction without time limits. Only one process migrates at a time. */
export async function migratePostgres(
  source: PgSource,
  migrations: readonly Migration[],
  watch: MigrationWatch = {},
): Promise<void> {
  const client = await source.connect()
  let stopCanceling = () => {}
  try {
    await client.query('BEGIN')
    if (watch.signal) stopCanceling = await cancelOnAbort(source, client, watch.signal)
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
      await client.query(`SET LOCAL ${limit} = 0`)
    }
    await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await migrate(openDb<unknown>(new PgConnection(client), POSTGRES), POSTGRES, migrations, watch)
    await client.query('COMMIT')
    client.release(false)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    client.release(true)
    throw watch.signal?.aborted ? watch.signal.reason : error
  } finally {
    stopCanceling()
  }
}

/** Cancels the statement that the connection runs, or the wait for its lock, when the signal aborts. */
async function cancelOnAbort(source: PgSource, client: PgClient, signal: AbortSignal): Promise<() => void> {
  if (!client.backendId) return () => {}
  const id = await client.backendId()
  const cancel = () =>
    void source
      .connect()
      .then(other =>
        other.query('SELECT pg_cancel_backend($1)', [id]).then(
          () => other.release(false),
          () => other.release(true),
        ),
      )
      // Without a second connection the statement ends by itself.
      .catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  return () => signal.removeEventListener('abort', cancel)
}
