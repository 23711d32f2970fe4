import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../domain/error.ts'
import type { Rows, Store, Topic } from '../../ports.ts'
import { TOPICS } from '../../ports.ts'
import { GroupCommit } from '../batching/group-commit.ts'
import { createLookup } from '../batching/lookup.ts'
import { POSTGRES } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { closing } from '../limits.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migrations/index.ts'
import { createWakes } from '../notifications.ts'
import { postgresIdentity } from '../repository/database-identity.ts'
import { openDb, openTransaction, within } from '../transaction/transaction.ts'
import { MOST_SAVEPOINTS, postgresBatches } from './batches.ts'
import type { PgClient, PgSource } from './driver.ts'
import { PgConnection } from './driver.ts'
import { isStalePlan, isTransient, pgFault } from './error.ts'

const CHANNEL = 'zatgate'
/** Any number that no other program of the database locks: "zatg". */
const MIGRATION_LOCK = 0x7a617467
/** While the server makes one batch durable, the next is sent. */
const LANES = 2
const BACKOFF_MS = { first: 5, most: 200 }

/**
 * The store in PostgreSQL, for several processes. A use case is a READ COMMITTED transaction whose order is kept by
 * row locks, run again when it loses a deadlock; those that come in crowds share one. A read is a snapshot (REPEATABLE READ): its BEGIN travels with its first statement, and nobody waits for its end.
 */
export async function openPostgresStore(
  source: PgSource,
  migrations: readonly Migration[],
  limits: StoreLimits,
  onFault: (error: unknown) => void,
): Promise<Store> {
  const wakes = createWakes(onFault)
  const self = randomUUID()
  const crowdLimits = { ...limits, batch: Math.min(limits.batch, MOST_SAVEPOINTS) }
  let closed: Promise<void> | undefined
  let stopListening: () => Promise<void>
  let dialect = POSTGRES
  try {
    await migratePostgres(source, migrations)
    dialect = { ...POSTGRES, identity: await postgresIdentity(source) }
    stopListening = await source.listen(
      CHANNEL,
      payload => wakes.fire(topicsOf(payload, self)),
      () => wakes.fire(TOPICS),
    )
  } catch (error) {
    await source.close()
    throw error
  }
  const crowds = new GroupCommit(
    postgresBatches(source, dialect, limits.workMs, notify),
    crowdLimits,
    LANES,
    wakes.fire,
  )

  async function notify(client: PgClient, topics: ReadonlySet<Topic>): Promise<void> {
    if (topics.size > 0) await client.query('SELECT pg_notify($1, $2)', [CHANNEL, payloadOf(topics, self)])
  }

  async function glanceOnce<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), dialect, 'glance')
    let broken = true
    try {
      const result = await within(limits.workMs, () => work(transaction.rows))
      broken = false
      return result
    } finally {
      transaction.end()
      client.release(broken)
    }
  }

  async function read<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), dialect, 'read')
    const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    begun.catch(() => {})
    try {
      return await within(limits.workMs, async () => {
        const result = await work(transaction.rows)
        await begun
        return result
      })
    } finally {
      transaction.end()
      void giveBack(client)
    }
  }

  async function write<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), dialect, 'write')
    try {
      const result = await within(limits.workMs, async () => {
        await client.query('BEGIN')
        const result = await work(transaction.rows)
        await transaction.flush()
        await notify(client, transaction.topics)
        await client.query('COMMIT')
        return result
      })
      client.release(false)
      wakes.fire(transaction.topics)
      return result
    } catch (error) {
      if (isStalePlan(error)) client.release(true)
      else await giveBack(client)
      throw error
    } finally {
      transaction.end()
    }
  }

  /** Ends the transaction and frees the connection; a connection that cannot do that is thrown away. */
  async function giveBack(client: PgClient): Promise<void> {
    try {
      await within(limits.lockMs, () => client.query('ROLLBACK'))
      client.release(false)
    } catch (error) {
      client.release(true)
      onFault(error)
    }
  }

  /** Runs what lost a deadlock again, after a while. */
  async function persist<T>(once: () => Promise<T>): Promise<T> {
    for (let attempt = 1, waitMs = BACKOFF_MS.first; ; attempt++, waitMs = Math.min(waitMs * 2, BACKOFF_MS.most)) {
      if (closed) throw closing()
      try {
        return await once()
      } catch (error) {
        if (!isTransient(error) || attempt >= limits.attempts) throw pgFault(error)
      }
      await sleep(Math.random() * waitMs)
    }
  }

  async function close(): Promise<void> {
    await crowds.close()
    await stopListening()
    await within(limits.workMs, () => source.close())
  }

  const glance: Store['glance'] = work => persist(() => glanceOnce(work))

  return {
    read: work => persist(() => read(work)),
    glance,
    lookup: createLookup(glance, limits),
    write: (work, { crowd } = {}) => (crowd === undefined ? persist(() => write(work)) : crowds.write(work, crowd)),
    listen: wakes.listen,
    async backup() {
      throw new Fault('conflict', 'backup_not_here', 'a PostgreSQL database is backed up with pg_dump')
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

/** A notification names its topics, and its sender, who has woken its own listeners already. */
function payloadOf(topics: Iterable<Topic>, sender: string): string {
  return `${sender} ${[...topics].join(' ')}`
}

function topicsOf(payload: string, self: string): Topic[] {
  const [sender, ...topics] = payload.split(' ')
  return sender === self ? [] : TOPICS.filter(topic => topics.includes(topic))
}
