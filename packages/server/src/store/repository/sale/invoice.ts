import { expressionBuilder, sql } from 'kysely'
import { selectFields } from '../../../domain/field.ts'
import {
  holdsOrder,
  INVOICE_FIELDS,
  INVOICE_STATUSES,
  type Invoice,
  type InvoiceStateUpdate,
} from '../../../domain/sale/invoice.ts'
import type { InvoiceRepository } from '../../../ports/repository/sale/invoice.ts'
import { rowReader, typed } from '../../field.ts'
import { keptStatement } from '../../kept-statement.ts'
import { chunks, distinctAscending, inChunks, num, padToPowerOfTwo } from '../../mapping.ts'
import { paginate, readPage } from '../../paginate.ts'
import type { Db, Tables } from '../../tables.ts'
import { int, valuesRow } from '../../values.ts'
import { isNotSetAside, scanKeysSetAside } from '../set-aside.ts'
import { selectedSales } from './invoice-filter.ts'
import { insertInvoices } from './new-invoice.ts'

export const toInvoice = rowReader<Invoice>(INVOICE_FIELDS)

const EVALUATED = selectFields(INVOICE_FIELDS, ({ changedBy }) => changedBy === 'evaluation')
/** After the id, which is the first column of the update. */
const SET_EVALUATED = EVALUATED.map(
  ([, { column }], index) => sql`${sql.ref(column)} = ${sql.ref(`outcome.column${index + 2}`)}`,
)

const findByPublicIds = keptStatement((db, length) =>
  db.selectFrom('invoices').selectAll().where('public_id', 'in', Array<string>(length).fill('')),
)

const eb = expressionBuilder<Tables, 'invoices'>()

export const lacksAmount = eb('invoices.due_zat', '>', 0)

/** As all indexes of lists. */
const ORDER = ['created_at', 'id'] as const

const CREATED = sql.ref('created_at')
const CREATED_WITHOUT_INDEX = sql`created_at + 0`

/** Asked every second. */
const findOverdue = keptStatement(db => overdue(db, 0).limit(sql.lit(1)))

/** Asked by each sync. */
const findConfirmable = keptStatement(db =>
  db
    .selectFrom('invoices')
    .select('id')
    .where('confirms_at_height', '<=', 0)
    .where(isNotSetAside('invoice', sql.ref('invoices.public_id')))
    .orderBy('confirms_at_height')
    .orderBy('id')
    .limit(0),
)

/** Queries contain statuses as literals, since a partial index is not used for a bound value. */
export function invoiceRepository(db: Db): InvoiceRepository {
  const repository: InvoiceRepository = {
    async insert(invoice) {
      const [inserted] = await insertInvoices(db, [invoice])
      return inserted as Invoice
    },

    async byPublicId(publicId) {
      const row = await db.selectFrom('invoices').selectAll().where('public_id', '=', publicId).executeTakeFirst()
      return row ? toInvoice(row) : null
    },

    async byPublicIds(publicIds) {
      const padded = padToPowerOfTwo(publicIds)
      return (await findByPublicIds(db, padded.length, padded)).map(toInvoice)
    },

    async byIds(ids) {
      const rows = await inChunks(distinctAscending(ids), 1, batch =>
        db.selectFrom('invoices').selectAll().where('id', 'in', batch).orderBy('id').execute(),
      )
      return rows.map(toInvoice)
    },

    async otherOfOrder({ id, accountId, orderId }) {
      const row = await db
        .selectFrom('invoices')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('order_id', '=', orderId)
        .where('status', 'in', INVOICE_STATUSES.filter(holdsOrder))
        .where('id', '<>', id)
        .orderBy('created_at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row ? toInvoice(row) : null
    },

    async list(accountId, page, filter = {}) {
      const { orderId, statuses, createdFrom, createdTo } = filter
      // No index has the invoices of several statuses in the order of time: they are merged.
      if (statuses !== undefined && statuses.length > 1 && orderId === undefined) {
        const lists: Invoice[][] = []
        for (const status of statuses)
          lists.push(await repository.list(accountId, page, { ...filter, statuses: [status] }))
        const merged = lists.flat().sort(newestFirst)
        return page.after === undefined ? merged.slice(0, page.limit) : merged.slice(-page.limit)
      }
      const cursorOf = (id: string) =>
        db.selectFrom('invoices').select(ORDER).where('public_id', '=', id).where('account_id', '=', accountId)
      // `+ 0` makes SQLite start later pages at the cursor. Without it, each page would start at the end of the period.
      const [start, end] = [page.after, page.before].map(id => (id === undefined ? CREATED : CREATED_WITHOUT_INDEX))
      let query = paginate(selectedSales(db, accountId, filter).selectAll(), page, ORDER, cursorOf)
      if (createdFrom !== undefined) query = query.where(sql<boolean>`${start} >= ${createdFrom}`)
      if (createdTo !== undefined) query = query.where(sql<boolean>`${end} < ${createdTo}`)
      return (await readPage(query, page, cursorOf)).map(toInvoice)
    },

    async lock(ids) {
      const rows = await inChunks(distinctAscending(ids), 1, batch =>
        db.selectFrom('invoices').selectAll().where('id', 'in', batch).orderBy('id').forUpdate().execute(),
      )
      return rows.map(toInvoice)
    },

    async byDiversifierIndexes(positions) {
      const rows = await inChunks(positions, 2, batch => {
        const pairs = batch.map(({ viewingKeyId, diversifierIndex }) =>
          valuesRow(int(viewingKeyId), int(diversifierIndex)),
        )
        return db
          .selectFrom('invoices')
          .selectAll()
          .where(sql<boolean>`(viewing_key_id, diversifier_index) in (values ${sql.join(pairs)})`)
          .orderBy('id')
          .execute()
      })
      return rows.map(toInvoice)
    },

    async expirable(through, tip, limit) {
      const rows = await overdue(db, through)
        .where('viewing_key_id', 'not in', scanKeysSetAside(db))
        .where(isNotSetAside('invoice', sql.ref('invoices.public_id')))
        .where(({ or, eb }) =>
          or([
            eb('open_until_height', 'is', null),
            eb('open_until_height', '<=', tip),
            eb('watch_until', '<=', through),
          ]),
        )
        .orderBy('expires_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(row => num(row.id))
    },

    async isAnyOverdue(through) {
      return (await findOverdue(db, 1, [through])).length > 0
    },

    async confirmable(height, limit) {
      return (await findConfirmable(db, 1, [height, limit])).map(row => num(row.id))
    },

    async updateStates(outcomes) {
      for (const batch of chunks(outcomes, EVALUATED.length + 1)) await recordAll(db, batch)
    },

    async setSwap(id, swapId, watchUntil) {
      await db
        .updateTable('invoices')
        .set({ swap_id: swapId, kept_open_by_swap: 1, watch_until: watchUntil })
        .where('id', '=', id)
        .execute()
    },

    async cancel(id, at) {
      await db.updateTable('invoices').set({ canceled_at: at }).where('id', '=', id).execute()
    },

    async mark(id, mark, at) {
      await db.updateTable('invoices').set({ marked_as: mark, marked_at: at }).where('id', '=', id).execute()
    },

    async archive(id, at) {
      await db.updateTable('invoices').set({ archived_at: at }).where('id', '=', id).execute()
    },

    async setTexts(id, { orderId, description, metadata }) {
      await db.updateTable('invoices').set({ order_id: orderId, description, metadata }).where('id', '=', id).execute()
    },

    async setRefunded(id, refundedZat) {
      await db.updateTable('invoices').set({ refunded_zat: refundedZat }).where('id', '=', id).execute()
    },

    async setKeptOpenBySwap(id, underWay) {
      await db
        .updateTable('invoices')
        .set({ kept_open_by_swap: underWay ? 1 : 0 })
        .where('id', '=', id)
        .execute()
    },
  }
  return repository
}

/** As in `ORDER`. */
function newestFirst(a: Invoice, b: Invoice): number {
  return b.createdAt - a.createdAt || b.id - a.id
}

function overdue(db: Db, through: number) {
  return db
    .selectFrom('invoices')
    .select('id')
    .where('status', '=', sql.lit('pending'))
    .where('kept_open_by_swap', '=', sql.lit(0))
    .where('expires_at', '<=', through)
}

/** Both databases name the columns of VALUES `column1`, `column2`, …; the first row sets their types. */
async function recordAll(db: Db, outcomes: readonly InvoiceStateUpdate[]): Promise<void> {
  const rows = outcomes.map(outcome =>
    valuesRow(
      int(outcome.id),
      ...EVALUATED.map(([name, field]) => typed(field, outcome[name as keyof InvoiceStateUpdate])),
    ),
  )
  await sql`
    UPDATE invoices SET ${sql.join(SET_EVALUATED)}
    FROM (VALUES ${sql.join(rows)}) AS outcome
    WHERE invoices.id = outcome.column1`.execute(db)
}
