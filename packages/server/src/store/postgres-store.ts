import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../domain/fault.ts'
import type { Rows, Store, Topic } from '../ports.ts'
import { TOPICS } from '../ports.ts'
import { POSTGRES } from './dialect.ts'
import type { PgClient, PgSource } from './drivers/postgres.ts'
import { PgConnection } from './drivers/postgres.ts'
import { isStalePlan, isTransient, pgFault } from './drivers/postgres-fault.ts'
import type { StoreLimits } from './limits.ts'
import { closing } from './limits.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migrations/index.ts'
import { openDb, openTransaction, within } from './transaction.ts'
import { createWakes } from './wakes.ts'

const CHANNEL = 'zatgate'
/** Any number that no other program of the database locks: "zatg". */
const MIGRATION_LOCK = 0x7a617467

/**
 * The store in PostgreSQL, for several processes. A use case is a READ COMMITTED transaction whose order is kept by
 * row locks; run again when it loses a deadlock. A read is a snapshot (REPEATABLE READ): its BEGIN travels with its
 * first statement, and nobody waits for its end.
 */
export async function openPostgresStore(
  source: PgSource,
  migrations: readonly Migration[],
  limits: StoreLimits,
  onFault: (error: unknown) => void,
): Promise<Store> {
  const wakes = createWakes(onFault)
  const self = randomUUID()
  let stopListening: () => Promise<void>
  try {
    await migratePostgres(source, migrations)
    stopListening = await source.listen(
      CHANNEL,
      payload => wakes.fire(topicsOf(payload, self)),
      () => wakes.fire(TOPICS),
    )
  } catch (error) {
    await source.close()
    throw error
  }

  async function readOnce<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), POSTGRES, true)
    const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    try {
      const [result] = await within(limits.workMs, () => Promise.all([work(transaction.rows), begun]))
      transaction.end()
      rollBack(client).then(done => client.release(!done))
      return result
    } catch (error) {
      transaction.end()
      const done = !isStalePlan(error) && (await rollBack(client))
      client.release(!done)
      throw error
    }
  }

  async function writeOnce<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    const client = await source.connect()
    const transaction = openTransaction(new PgConnection(client), POSTGRES, false)
    try {
      await client.query('BEGIN')
      const result = await within(limits.workMs, async () => {
        const result = await work(transaction.rows)
        await transaction.flush()
        return result
      })
      transaction.end()
      if (transaction.topics.size > 0)
        await client.query('SELECT pg_notify($1, $2)', [CHANNEL, payloadOf(transaction.topics, self)])
      await client.query('COMMIT')
      client.release(false)
      wakes.fire(transaction.topics)
      return result
    } catch (error) {
      transaction.end()
      const done = !isStalePlan(error) && (await rollBack(client))
      client.release(!done)
      throw error
    }
  }

  /** Whether the connection is fit for another use case. */
  async function rollBack(client: PgClient): Promise<boolean> {
    try {
      await within(limits.lockMs, () => client.query('ROLLBACK'))
      return true
    } catch (error) {
      onFault(error)
      return false
    }
  }

  async function again<T>(once: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      if (closed) throw closing()
      try {
        return await once()
      } catch (error) {
        if (!isTransient(error) || attempt >= limits.attempts) throw pgFault(error)
      }
      await sleep(Math.random() * 5 * 2 ** attempt)
    }
  }

  async function close(): Promise<void> {
    await stopListening()
    await within(limits.workMs, () => source.close())
  }

  let closed: Promise<void> | undefined
  return {
    read: work => again(() => readOnce(work)),
    write: work => again(() => writeOnce(work)),
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
    await client.query(
      'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
    )
    await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await migrate(openDb<unknown>(new PgConnection(client), POSTGRES), POSTGRES, migrations)
    await client.query('COMMIT')
    client.release(false)
  } catch (error) {
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
