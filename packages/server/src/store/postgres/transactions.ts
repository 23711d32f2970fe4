import type { Topic, Tx } from '../../ports/store.ts'
import type { Database } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { isTimeout, withTimeout } from '../transaction/timeout.ts'
import { openTransaction } from '../transaction/transaction.ts'
import type { PgClient, PgSource } from './driver.ts'
import { PgConnection } from './driver.ts'
import { isReadOnly, leavesConnectionUsable, spoilsConnection } from './error.ts'

export interface PgTransactions {
  /** A read of one statement, without a transaction. */
  query<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A snapshot. Its BEGIN is pipelined with its first statement, and its caller does not wait for its end. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** Use cases that each run once in a separate transaction. Failed calls reject with the driver's error. */
export function createPgTransactions(deps: {
  readonly source: PgSource
  readonly database: Database
  readonly limits: StoreLimits
  /** Notifies other processes. Called in the transaction, just before its commit. */
  readonly send: (client: PgClient, topics: ReadonlySet<Topic>) => Promise<void>
  readonly onCommitted: (topics: ReadonlySet<Topic>) => void
  readonly onError: (error: unknown) => void
}): PgTransactions {
  const { source, database, limits, send, onCommitted, onError } = deps

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

  return {
    async query(work) {
      const client = await source.connect()
      const transaction = openTransaction(new PgConnection(client), database, 'query')
      let broken = true
      try {
        const result = await withTimeout(limits.transactionTimeoutMs, () => work(transaction.tx))
        broken = false
        return result
      } catch (error) {
        broken = !leavesConnectionUsable(error)
        throw error
      } finally {
        transaction.end()
        client.release(broken)
      }
    },

    async read(work) {
      const client = await source.connect()
      const transaction = openTransaction(new PgConnection(client), database, 'read')
      const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      begun.catch(() => {})
      try {
        return await withTimeout(limits.transactionTimeoutMs, async () => {
          const result = await work(transaction.tx)
          await begun
          return result
        })
      } catch (error) {
        // A use case that writes where it must not says nothing about the server.
        throw isReadOnly(error) ? new Error((error as Error).message, { cause: error }) : error
      } finally {
        transaction.end()
        void rollback(client)
      }
    },

    async write(work) {
      const client = await source.connect()
      const transaction = openTransaction(new PgConnection(client), database, 'write')
      try {
        const result = await withTimeout(limits.transactionTimeoutMs, async () => {
          await client.query('BEGIN')
          const result = await work(transaction.tx)
          await transaction.flush()
          await send(client, transaction.topics)
          await client.query('COMMIT')
          return result
        }).finally(
          // Before the rollback: after a timeout the use case still runs, and its next statement must not follow it.
          () => transaction.end(),
        )
        client.release(false)
        onCommitted(transaction.topics)
        return result
      } catch (error) {
        // After a timeout the use case may still use the connection.
        if (spoilsConnection(error) || isTimeout(error)) client.release(true)
        else await rollback(client)
        throw error
      }
    },
  }
}
