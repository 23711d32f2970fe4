import type { DatabaseConnection } from 'kysely'
import { Fault } from '../../domain/error.ts'
import type { NewInvoice } from '../../ports/repository/invoice.ts'
import type { Rows, Topic } from '../../ports.ts'
import type { Dialect } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { insertAll } from '../repository/invoice.ts'
import type { Take } from '../repository/usage.ts'
import { takeAll } from '../repository/usage.ts'
import type { Tables } from '../tables.ts'
import { FencedConnection, openDb, openTransaction, within } from '../transaction/transaction.ts'
import { gather } from './batch-loader.ts'

/** How one use case of a crowd ended. */
export type CrowdEnd =
  | { readonly kind: 'done'; readonly value: unknown }
  /** It changed nothing before it refused: no reason to disturb the others. */
  | { readonly kind: 'refused'; readonly error: Fault }
  | { readonly kind: 'failed'; readonly error: unknown }

/**
 * Use cases that run side by side in one transaction, as PostgreSQL's own transactions do, with the difference that
 * the statements that most of them send are sent once, for all that ask in the same turn.
 */
export interface Crowd {
  readonly topics: ReadonlySet<Topic>
  run(work: (rows: Rows) => Promise<unknown>): Promise<CrowdEnd>
  end(): void
}

export function openCrowd(connection: DatabaseConnection, dialect: Dialect, limits: StoreLimits): Crowd {
  const fence = new FencedConnection(connection)
  const db = openDb<Tables>(fence, dialect)
  const take = gather((takes: readonly Take[]) => takeAll(db, takes), limits)
  const insert = gather((invoices: readonly NewInvoice[]) => insertAll(db, invoices), limits)
  const topics = new Set<Topic>()

  async function run(work: (rows: Rows) => Promise<unknown>): Promise<CrowdEnd> {
    const transaction = openTransaction(connection, dialect, 'write')
    let changed = false
    const rows: Rows = {
      ...transaction.rows,
      usage: {
        ...transaction.rows.usage,
        async take(accountId, month, limit) {
          const taken = await take({ accountId, month, limit })
          changed ||= taken.taken
          return taken
        },
      },
      invoices: {
        ...transaction.rows.invoices,
        async insert(invoice) {
          changed = true
          return insert(invoice)
        },
      },
    }
    try {
      const value = await within(limits.workMs, async () => {
        const value = await work(rows)
        await transaction.flush()
        return value
      })
      for (const topic of transaction.topics) topics.add(topic)
      return { kind: 'done', value }
    } catch (error) {
      const clean = error instanceof Fault && error.kind !== 'unavailable' && !changed && !transaction.changed
      return clean ? { kind: 'refused', error } : { kind: 'failed', error }
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
