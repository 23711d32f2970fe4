import type { DatabaseConnection } from 'kysely'
import { Fault } from '../../domain/error.ts'
import type { NewInvoice } from '../../ports/repository/invoice.ts'
import type { Rows, Topic } from '../../ports/store.ts'
import type { Dialect } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { insertAll } from '../repository/invoice.ts'
import type { Take } from '../repository/usage.ts'
import { takeAll } from '../repository/usage.ts'
import type { Tables } from '../tables.ts'
import { FencedConnection, openDb, openTransaction, within } from '../transaction/transaction.ts'
import { gather } from './batch-loader.ts'

/** The result of one use case of a batch. */
export type CrowdEnd =
  | { readonly kind: 'done'; readonly value: unknown }
  /** It rejected the request before it changed anything, so the rest of the batch goes on. */
  | { readonly kind: 'refused'; readonly error: Fault }
  | { readonly kind: 'failed'; readonly error: unknown }

/**
 * Use cases that run concurrently in one transaction. The statements that most of them need are sent once for all
 * calls of the same event loop turn.
 */
export interface Crowd {
  readonly topics: ReadonlySet<Topic>
  run(work: (tx: Rows) => Promise<unknown>): Promise<CrowdEnd>
  end(): void
}

export function openCrowd(connection: DatabaseConnection, dialect: Dialect, limits: StoreLimits): Crowd {
  const fence = new FencedConnection(connection)
  const db = openDb<Tables>(fence, dialect)
  const countUsage = gather((items: readonly Take[]) => takeAll(db, items), limits)
  const insertInvoice = gather((invoices: readonly NewInvoice[]) => insertAll(db, invoices), limits)
  const topics = new Set<Topic>()

  async function run(work: (tx: Rows) => Promise<unknown>): Promise<CrowdEnd> {
    const transaction = openTransaction(connection, dialect, 'write')
    let changed = false
    const tx: Rows = {
      ...transaction.rows,
      usage: {
        ...transaction.rows.usage,
        async take(accountId, month, limit) {
          const result = await countUsage({ accountId, month, limit })
          changed ||= result.taken
          return result
        },
      },
      invoices: {
        ...transaction.rows.invoices,
        async insert(invoice) {
          changed = true
          return insertInvoice(invoice)
        },
      },
    }
    try {
      const value = await within(limits.workMs, async () => {
        const value = await work(tx)
        await transaction.flush()
        return value
      })
      for (const topic of transaction.topics) topics.add(topic)
      return { kind: 'done', value }
    } catch (error) {
      const unchanged = error instanceof Fault && error.kind !== 'unavailable' && !changed && !transaction.changed
      return unchanged ? { kind: 'refused', error } : { kind: 'failed', error }
    } finally {
      transaction.end()
    }
  }

  return {
    topics,
    run,
    end: () => fence.end(),
  }
}
