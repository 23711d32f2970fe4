import type { DialectAdapter, Selectable } from 'kysely'
import { CompiledQuery, sql } from 'kysely'
import type { Invoice, NewInvoice } from '../../ports/repository/invoice.ts'
import { chunks, num, numOrNull } from '../mapping.ts'
import type { Db, InvoicesTable } from '../tables.ts'
import { int, text, valuesRow } from '../values.ts'

/** What a new invoice binds: column, type, value. */
const BOUND = [
  ['public_id', text, invoice => invoice.publicId],
  ['account_id', int, invoice => invoice.accountId],
  ['viewing_key_id', int, invoice => invoice.viewingKeyId],
  ['diversifier_index', int, invoice => invoice.diversifierIndex],
  ['purpose', text, invoice => invoice.purpose],
  ['address', text, invoice => invoice.address],
  ['amount_zat', int, invoice => invoice.amountZat],
  ['confirmations', int, invoice => invoice.confirmations],
  ['created_at', int, invoice => invoice.createdAt],
  ['expires_at', int, invoice => invoice.expiresAt],
  ['watch_until', int, invoice => invoice.watchUntil],
] as const satisfies readonly (readonly [
  keyof InvoicesTable,
  typeof int | typeof text,
  (invoice: NewInvoice) => string | number | bigint,
])[]

/** What the database adds to a new invoice. */
type InsertedRow = Pick<Selectable<InvoicesTable>, 'id' | 'public_id' | 'created_height'>

/** Longest insert whose text is kept: as many invoices as one commit holds. */
const MAX_KEPT_LENGTH = 128
/** The text of an insert by its number of invoices, for each dialect. Building it takes longer than running it. */
const keptTexts = new WeakMap<DialectAdapter, Map<number, string>>()

/** Inserts invoices by as few statements as possible. Returns them, as they are stored, in the order given. */
export async function insertInvoices(db: Db, invoices: readonly NewInvoice[]): Promise<Invoice[]> {
  const inserted = new Map<string, InsertedRow>()
  for (const batch of chunks(invoices, BOUND.length)) {
    const values = batch.flatMap(invoice => BOUND.map(([, , read]) => read(invoice)))
    const { rows } = await db.executeQuery<InsertedRow>(CompiledQuery.raw(insertText(db, batch.length), values))
    for (const row of rows) inserted.set(row.public_id, row)
  }
  return invoices.map(invoice => toInserted(invoice, inserted.get(invoice.publicId) as InsertedRow))
}

function insertText(db: Db, length: number): string {
  const { adapter } = db.getExecutor()
  const texts = keptTexts.get(adapter) ?? new Map<number, string>()
  keptTexts.set(adapter, texts)
  const kept = texts.get(length)
  if (kept !== undefined) return kept
  const built = buildInsertText(db, length)
  if (length <= MAX_KEPT_LENGTH) texts.set(length, built)
  return built
}

/** What all new invoices share is no parameter, and the height is read once, not once for each row. */
function buildInsertText(db: Db, length: number): string {
  const columns = BOUND.map(([column]) => sql.ref(column))
  // The first row sets the types of the columns.
  const first = valuesRow(...BOUND.map(([, typed]) => typed(null)))
  const other = valuesRow(...BOUND.map(() => sql`${null}`))
  const rows = [first, ...Array.from({ length: length - 1 }, () => other)]
  const insert = sql`
    INSERT INTO invoices (${sql.join(columns)}, status, received_zat, overpaid_zat, created_height)
    SELECT added.*, 'pending', 0, 0, (SELECT max(height) FROM headers)
    FROM (VALUES ${sql.join(rows)}) AS added
    RETURNING id, public_id, created_height`
  return insert.compile(db).sql
}

/** The same as reading the new row, for less than half of the time. */
function toInserted(invoice: NewInvoice, row: InsertedRow): Invoice {
  return {
    ...invoice,
    id: num(row.id),
    status: 'pending',
    receivedZat: 0n,
    overpaidZat: 0n,
    txid: null,
    paidAt: null,
    keptOpenBySwap: false,
    swapId: null,
    needsAttention: false,
    createdHeight: numOrNull(row.created_height),
    openUntilHeight: null,
    underpaidAt: null,
    attentionSince: null,
  }
}
