import type { DatabaseConnection } from 'kysely'
import { Fault } from '../domain/fault.ts'
import type { NewInvoice } from '../ports/invoice.ts'
import type { Rows, Topic } from '../ports.ts'
import type { Dialect } from './dialect.ts'
import { insertAll } from './invoice.ts'
import type { Tables } from './tables.ts'
import { FencedConnection, openDb, openTransaction, within } from './transaction.ts'
import type { Take } from './usage.ts'
import { takeAll } from './usage.ts'

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
  run(workMs: number, work: (rows: Rows) => Promise<unknown>): Promise<CrowdEnd>
  end(): void
}

export function openCrowd(connection: DatabaseConnection, dialect: Dialect): Crowd {
  const fence = new FencedConnection(connection)
  const db = openDb<Tables>(fence, dialect)
  const take = gather((takes: readonly Take[]) => takeAll(db, takes))
  const insert = gather((invoices: readonly NewInvoice[]) => insertAll(db, invoices))
  const topics = new Set<Topic>()

  async function run(workMs: number, work: (rows: Rows) => Promise<unknown>): Promise<CrowdEnd> {
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
      const value = await within(workMs, async () => {
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

interface Call<In, Out> {
  readonly item: In
  readonly resolve: (answer: Out) => void
  readonly reject: (error: unknown) => void
}

/** Collects the calls of one turn of the event loop, and answers them all at once. */
function gather<In, Out>(all: (items: readonly In[]) => Promise<Out[]>): (item: In) => Promise<Out> {
  let calls: Call<In, Out>[] = []

  async function answer(): Promise<void> {
    const asked = calls
    calls = []
    try {
      const answers = await all(asked.map(call => call.item))
      asked.forEach((call, at) => {
        call.resolve(answers[at] as Out)
      })
    } catch (error) {
      for (const call of asked) call.reject(error)
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      if (calls.push({ item, resolve, reject }) === 1) setImmediate(answer)
    })
}
