import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../domain/error.ts'
import type { Store, Topic, Tx } from '../../ports/store.ts'
import { TOPICS } from '../../ports/store.ts'
import { GroupCommit } from '../batching/group-commit.ts'
import { createLookup } from '../batching/lookup.ts'
import { POSTGRES } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { closingError } from '../limits.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migrations/index.ts'
import { createNotifications } from '../notifications.ts'
import { postgresIdentity } from '../repository/database-identity.ts'
import { openDb, openTransaction, withTimeout } from '../transaction/transaction.ts'
import { MAX_SAVEPOINTS, postgresBatchDriver } from './batches.ts'
import type { PgClient, PgSource } from './driver.ts'
import { PgConnection } from './driver.ts'
import { isStalePlan, isTransient, translatePgError } from './error.ts'

const CHANNEL = 'zatgate'
/** The advisory lock's key: "zatg" in ASCII, unlikely to be used by another program. */
const MIGRATION_LOCK = 0x7a617467
/** While the server commits one batch, the next one is sent. */
const BATCH_CONCURRENCY = 2
const BACKOFF_MS = { first: 5, max: 200 }

/**
 * The store in PostgreSQL, for several processes. A write is a READ COMMITTED transaction ordered by row locks; it runs
 * again after a deadlock. Batched writes share a transaction. A read is a snapshot (REPEATABLE READ): its BEGIN is
 * pipelined with its first statement, and its caller does not wait for its end.
 */
export async function openPostgresStore(
  source: PgSource,
  migrations: readonly Migration[],
  limits: StoreLimits,
  onError: (error: unknown) => void,
): Promise<Store> {
  const notifications = createNotifications(onError)
  const sender = randomUUID()
  const batchLimits: StoreLimits = { ...limits, maxBatch: Math.min(limits.maxBatch, MAX_SAVEPOINTS) }
  let closed: Promise<void> | undefined
  let stopListening: () => Promise<void>
  let dialect = POSTGRES
  try {
    await migratePostgres(source, migrations)
    dialect = { ...POSTGRES, identity: await postgresIdentity(source) }
    stopListening = await source.listen(
      CHANNEL,
      payload => notifications.notify(topicsOf(payload, sender)),
      () => notifications.notify(TOPICS),
    )
  } catch (error) {
    await source.close()
    throw error
  }
  const batchedWrites = new GroupCommit(
    postgresBatchDriver(source, dialect, limits.transactionTimeoutMs, notify),
    batchLimits,
    BATCH_CONCURRENCY,
    notifications.notify,
  )

  async function notify(client: PgClient, topics: ReadonlySet<Topic>): Promise<void> {
    if (topics.size > 0) await client.query('SELECT pg_notify($1, $2)', [CHANNEL, payloadOf(topics, sender)])
  }

  async function queryOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), dialect, 'query')
    let broken = true
    try {
      const result = await withTimeout(limits.transactionTimeoutMs, () => work(transaction.tx))
      broken = false
      return result
    } finally {
      transaction.end()
      client.release(broken)
    }
  }

  async function read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), dialect, 'read')
    const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    begun.catch(() => {})
    try {
      return await withTimeout(limits.transactionTimeoutMs, async () => {
        const result = await work(transaction.tx)
        await begun
        return result
      })
    } finally {
      transaction.end()
      void rollback(client)
    }
  }

  async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), dialect, 'write')
    try {
      const result = await withTimeout(limits.transactionTimeoutMs, async () => {
        await client.query('BEGIN')
        const result = await work(transaction.tx)
        await transaction.flush()
        await notify(client, transaction.topics)
        await client.query('COMMIT')
        return result
      })
      client.release(false)
      notifications.notify(transaction.topics)
      return result
    } catch (error) {
      if (isStalePlan(error)) client.release(true)
      else await rollback(client)
      throw error
    } finally {
      transaction.end()
    }
  }

  /** Ends the transaction and releases the connection. Discards the connection when that fails. */
  async function rollback(client: PgClient): Promise<void> {
    try {
      await withTimeout(limits.lockTimeoutMs, () => client.query('ROLLBACK'))
      client.release(false)
    } catch (error) {
      client.release(true)
      onError(error)
    }
  }

  /** Runs a use case again, after a delay, while it fails with a deadlock or a similar transient error. */
  async function retry<T>(once: () => Promise<T>): Promise<T> {
    for (let attempt = 1, waitMs = BACKOFF_MS.first; ; attempt++, waitMs = Math.min(waitMs * 2, BACKOFF_MS.max)) {
      if (closed) throw closingError()
      try {
        return await once()
      } catch (error) {
        if (!isTransient(error) || attempt >= limits.maxAttempts) throw translatePgError(error)
      }
      await sleep(Math.random() * waitMs)
    }
  }

  async function close(): Promise<void> {
    await batchedWrites.close()
    await stopListening()
    await withTimeout(limits.transactionTimeoutMs, () => source.close())
  }

  const query: Store['query'] = work => retry(() => queryOnce(work))

  return {
    read: work => retry(() => read(work)),
    query,
    lookup: createLookup(query, limits),
    write: work => retry(() => write(work)),
    writeBatched: (accountId, work) => batchedWrites.writeBatched(accountId, work),
    listen: notifications.listen,
    async backup() {
      throw new AppError('conflict', 'backup_not_here', 'use pg_dump to back up a PostgreSQL database')
    },
    close: () => (closed ??= close()),
  }
}

async function migratePostgres(source: PgSource, migrations: readonly Migration[]): Promise<void> {
  const client = await source.connect()
  try {
    await client.query('BEGIN')
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
      await client.query(`SET LOCAL ${limit} = 0`)
    }
    await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await migrate(openDb<unknown>(new PgConnection(client), POSTGRES), POSTGRES, migrations)
    await client.query('COMMIT')
    client.release(false)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    client.release(true)
    throw error
  }
}

/** A notification names its sender, which has already notified its own listeners, and its topics. */
function payloadOf(topics: Iterable<Topic>, sender: string): string {
  return `${sender} ${[...topics].join(' ')}`
}

function topicsOf(payload: string, ownId: string): Topic[] {
  const [sender, ...topics] = payload.split(' ')
  return sender === ownId ? [] : TOPICS.filter(topic => topics.includes(topic))
}
