import type { DatabaseConnection } from 'kysely'
import { AppError } from '../../domain/error.ts'
import type { NewInvoice } from '../../ports/repository/invoice.ts'
import type { Topic, Tx } from '../../ports/store.ts'
import type { Database } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { insertInvoices } from '../repository/invoice.ts'
import type { UsageIncrement } from '../repository/usage.ts'
import { incrementAll } from '../repository/usage.ts'
import type { Tables } from '../tables.ts'
import { RevocableConnection } from '../transaction/connection.ts'
import { openDb } from '../transaction/open-db.ts'
import { withTimeout } from '../transaction/timeout.ts'
import { openTransaction } from '../transaction/transaction.ts'
import { batchLoader } from './batch-loader.ts'

/** The result of one use case of a batch. */
export type BatchedWriteResult =
  | { readonly kind: 'done'; readonly value: unknown }
  /** It rejected the request before it changed anything, so the rest of the batch goes on. */
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'failed'; readonly error: unknown }

/**
 * Use cases that run concurrently in one transaction. The statements that most of them need are sent once for all
 * calls of the same event loop turn.
 */
export interface WriteBatch {
  readonly topics: ReadonlySet<Topic>
  run(work: (tx: Tx) => Promise<unknown>): Promise<BatchedWriteResult>
  end(): void
}

export function openWriteBatch(connection: DatabaseConnection, database: Database, limits: StoreLimits): WriteBatch {
  const fence = new RevocableConnection(connection)
  const db = openDb<Tables>(fence, database.dialect)
  const countUsage = batchLoader((items: readonly UsageIncrement[]) => incrementAll(db, items), limits)
  const insertInvoice = batchLoader((invoices: readonly NewInvoice[]) => insertInvoices(db, invoices), limits)
  const topics = new Set<Topic>()

  async function run(work: (tx: Tx) => Promise<unknown>): Promise<BatchedWriteResult> {
    const transaction = openTransaction(connection, database, 'write')
    let changed = false
    const tx: Tx = {
      ...transaction.tx,
      usage: {
        ...transaction.tx.usage,
        async increment(accountId, month, limit) {
          const result = await countUsage({ accountId, month, limit })
          changed ||= result.counted
          return result
        },
      },
      invoices: {
        ...transaction.tx.invoices,
        async insert(invoice) {
          changed = true
          return insertInvoice(invoice)
        },
      },
    }
    try {
      const value = await withTimeout(limits.transactionTimeoutMs, async () => {
        const value = await work(tx)
        await transaction.flush()
        return value
      })
      for (const topic of transaction.topics) topics.add(topic)
      return { kind: 'done', value }
    } catch (error) {
      const unchanged = error instanceof AppError && error.kind !== 'unavailable' && !changed && !transaction.changed
      return unchanged ? { kind: 'refused', error } : { kind: 'failed', error }
    } finally {
      transaction.end()
    }
  }

  return {
    topics,
    run,
    end: () => fence.revoke(),
  }
}
