import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../domain/backoff.ts'
import type { Store } from '../../ports/store.ts'
import { GroupCommit } from '../batching/group-commit.ts'
import { createLookup } from '../batching/lookup.ts'
import { type Database, POSTGRES } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { closingError } from '../limits.ts'
import type { MigrationWatch } from '../migrate.ts'
import type { Migration } from '../migrations/index.ts'
import { createNotifications } from '../notifications.ts'
import { postgresIdentity } from '../repository/database-identity.ts'
import { withTimeout } from '../transaction/timeout.ts'
import { MAX_SAVEPOINTS, postgresBatchDriver } from './batches.ts'
import type { PgSource } from './driver.ts'
import { isTransient, translatePgError } from './error.ts'
import { migratePostgres } from './migrate.ts'
import { createPgNotifications } from './notifications.ts'
import { createPgTransactions } from './transactions.ts'

const BACKOFF = { firstMs: 5, maxMs: 200 }

/**
 * The store in PostgreSQL, for several processes. A write is a READ COMMITTED transaction ordered by row locks; it runs
 * again after a deadlock. Batched writes share a transaction. A read is a snapshot (REPEATABLE READ).
 */
export async function openPostgresStore(
  source: PgSource,
  migrations: readonly Migration[],
  limits: StoreLimits,
  onError: (error: unknown) => void,
  migration?: MigrationWatch,
): Promise<Store> {
  const notifications = createNotifications(onError)
  const { send, receive } = createPgNotifications(source)
  let database: Database
  let stopReceiving: () => Promise<void>
  try {
    await migratePostgres(source, migrations, migration)
    database = { dialect: POSTGRES, identity: await postgresIdentity(source) }
    stopReceiving = await receive(notifications.notify)
  } catch (error) {
    await source.close()
    throw error
  }
  const batchedWrites = new GroupCommit(
    postgresBatchDriver(source, database, limits.transactionTimeoutMs, send),
    { ...limits, maxBatch: Math.min(limits.maxBatch, MAX_SAVEPOINTS) },
    notifications.notify,
  )
  const onCommitted = notifications.notify
  const transactions = createPgTransactions({ source, database, limits, send, onCommitted, onError })
  let closed: Promise<void> | undefined

  /** Runs a use case again, after a random delay, while it fails with a deadlock or a similar transient error. */
  async function retry<T>(once: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      if (closed) throw closingError()
      try {
        return await once()
      } catch (error) {
        if (!isTransient(error) || attempt >= limits.maxAttempts) throw translatePgError(error)
      }
      await sleep(Math.random() * backoffMs(attempt, BACKOFF))
    }
  }

  async function close(): Promise<void> {
    await batchedWrites.close()
    await stopReceiving()
    await withTimeout(limits.transactionTimeoutMs, () => source.close())
  }

  const query: Store['query'] = work => retry(() => transactions.query(work))

  return {
    read: work => retry(() => transactions.read(work)),
    query,
    lookup: createLookup(query, limits),
    write: work => retry(() => transactions.write(work)),
    writeBatched: (accountId, work) => batchedWrites.writeBatched(accountId, work),
    listen: notifications.listen,
    close: () => (closed ??= close()),
  }
}
