import type { Selectable } from 'kysely'
import type {
  ChangeCursor,
  InvoiceChangeRepository,
  NewInvoiceChange,
} from '../../../ports/repository/notify/invoice-change.ts'
import { chunks, num } from '../../mapping.ts'
import type { Db, InvoiceChangesTable } from '../../tables.ts'
import type { TxHooks } from '../../transaction/hooks.ts'

const COLUMNS = 3

/**
 * The row of the counter is the lock that keeps sequence numbers in commit order: one transaction holds it from numbering
 * its changes until its commit. Changes are therefore numbered last, just before the commit.
 */
export function invoiceChangeRepository(db: Db, hooks: Pick<TxHooks, 'beforeCommit'>): InvoiceChangeRepository {
  const pending: NewInvoiceChange[] = []

  async function write(): Promise<void> {
    const changes = pending.splice(0)
    const counter = await db
      .updateTable('counters')
      .set(eb => ({ value: eb('value', '+', changes.length) }))
      .where('name', '=', 'invoice_change_seq')
      .returning('value')
      .executeTakeFirstOrThrow()
    const first = num(counter.value) - changes.length + 1
    const rows = changes.map(({ invoiceId, createdAt }, index) => ({
      seq: first + index,
      invoice_id: invoiceId,
      created_at: createdAt,
    }))
    for (const batch of chunks(rows, COLUMNS)) await db.insertInto('invoice_changes').values(batch).execute()
  }

  async function lastSeq(): Promise<number> {
    const row = await db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'invoice_change_seq')
      .executeTakeFirstOrThrow()
    return num(row.value)
  }

  return {
    async append(changes) {
      if (changes.length === 0) return
      if (pending.length === 0) hooks.beforeCommit(write)
      for (const change of changes) pending.push(change)
    },

    async since(cursor, limit) {
      const rows = await db
        .selectFrom('invoice_changes')
        .selectAll()
        .where('seq', '>=', cursor.seq)
        .orderBy('seq')
        .limit(limit + 1)
        .execute()
      const [first] = rows
      const isAtCursor = first !== undefined && num(first.seq) === cursor.seq
      const isContinued = isAtCursor ? changeOf(first) === cursor.change : (await lastSeq()) === cursor.seq
      if (cursor.seq > 0 && !isContinued) return null
      const later = isAtCursor ? rows.slice(1) : rows.slice(0, limit)
      const newest = later.at(-1)
      const invoiceIds = new Set(later.map(row => num(row.invoice_id)))
      return { cursor: newest ? toCursor(newest) : cursor, invoiceIds: [...invoiceIds] }
    },

    async last() {
      const seq = await lastSeq()
      const row = await db.selectFrom('invoice_changes').selectAll().where('seq', '=', seq).executeTakeFirst()
      return row ? toCursor(row) : { seq, change: null }
    },

    async prune(before, limit, skip = 0) {
      const oldest = db.selectFrom('invoice_changes').select('seq').orderBy('seq').limit(limit).offset(skip)
      const result = await db
        .deleteFrom('invoice_changes')
        .where('seq', 'in', oldest)
        .where('created_at', '<', before)
        .executeTakeFirst()
      return num(result.numDeletedRows)
    },
  }
}

function toCursor(row: Selectable<InvoiceChangesTable>): ChangeCursor {
  return { seq: num(row.seq), change: changeOf(row) }
}

function changeOf(row: Selectable<InvoiceChangesTable>): string {
  return JSON.stringify([row.invoice_id, row.created_at].map(String))
}
