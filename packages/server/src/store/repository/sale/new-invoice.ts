import { sql } from 'kysely'
import { isGiven, selectFields } from '../../../domain/field.ts'
import { INVOICE_FIELDS, type Invoice, type NewInvoice } from '../../../domain/sale/invoice.ts'
import { storedValue, typed } from '../../field.ts'
import { filledStatement } from '../../kept-statement.ts'
import { chunks, num, numOrNull } from '../../mapping.ts'
import type { Db, Int64 } from '../../tables.ts'

/** The fields that each new invoice brings. */
const REQUIRED = selectFields(
  INVOICE_FIELDS,
  ({ fromDatabase, initial, startsAs }) => !fromDatabase && startsAs === undefined && initial === undefined,
)
/** Those that a request may give. */
const GIVEN = selectFields(INVOICE_FIELDS, isGiven)
/** The fields that begin as another one. */
const COPIED = selectFields(INVOICE_FIELDS, ({ startsAs }) => startsAs !== undefined)
/** The fields that are the same in all new invoices, unless the request gives them. */
const INITIAL = selectFields(INVOICE_FIELDS, ({ initial }) => initial !== undefined)
const INITIAL_VALUES = Object.fromEntries(INITIAL.map(([name, { initial }]) => [name, initial]))
/** Those whose column is not null in a new row. */
const CONSTANT = INITIAL.filter(([, { initial }]) => initial !== null)

type NamedFields = ReturnType<typeof selectFields>

interface InsertedRow {
  readonly id: Int64
  readonly public_id: string
  readonly created_height: Int64 | null
  readonly created_rewind: Int64 | null
}

/** Values shared by all new invoices are constants in the statement; height and rewind are read once, not once per row. */
const insertOf = (bound: NamedFields) =>
  filledStatement(rows => {
    const columns = [...bound, ...CONSTANT, ...COPIED].map(([, { column }]) => sql.ref(column))
    const constants = CONSTANT.map(([, { initial }]) => sql.lit(storedValue(initial)))
    const copies = COPIED.map(([, { startsAs }]) =>
      sql.ref(`added.column${bound.findIndex(([name]) => name === startsAs) + 1}`),
    )
    const first = bound.map(([, field]) => typed(field, null))
    return sql<InsertedRow>`
    INSERT INTO invoices (${sql.join(columns)}, created_height, created_rewind)
    SELECT added.*, ${sql.join([...constants, ...copies])}, (SELECT max(height) FROM headers),
      (SELECT coalesce(max(id), 0) FROM rewinds)
    FROM ${rows(first)}
    RETURNING id, public_id, created_height, created_rewind`
  })

const PLAIN = { bound: REQUIRED, insert: insertOf(REQUIRED) }
const ANY = { bound: [...REQUIRED, ...GIVEN], insert: insertOf([...REQUIRED, ...GIVEN]) }

/** Inserts invoices by as few statements as possible. Returns them, as they are stored, in the order given. */
export async function insertInvoices(db: Db, invoices: readonly NewInvoice[]): Promise<Invoice[]> {
  const inserted = new Map<string, InsertedRow>()
  for (const batch of chunks(invoices, ANY.bound.length)) {
    // Most invoices give nothing beyond what all have: a statement with fewer values is faster.
    const { bound, insert } = batch.every(isPlain) ? PLAIN : ANY
    const rows = batch.map(invoice => bound.map(([name]) => storedValue(invoice[name as keyof NewInvoice] ?? null)))
    for (const row of await insert(db, rows)) inserted.set(row.public_id, row)
  }
  return invoices.map(invoice => toInserted(invoice, inserted.get(invoice.publicId)!))
}

function isPlain(invoice: NewInvoice): boolean {
  return GIVEN.every(([name]) => (invoice[name as keyof NewInvoice] ?? null) === null)
}

/** The same as reading the new row, for less than half of the time. */
function toInserted(invoice: NewInvoice, row: InsertedRow): Invoice {
  return {
    ...INITIAL_VALUES,
    ...invoice,
    ...Object.fromEntries(COPIED.map(([name, { startsAs }]) => [name, invoice[startsAs as keyof NewInvoice]])),
    id: num(row.id),
    createdHeight: numOrNull(row.created_height),
    createdRewind: numOrNull(row.created_rewind),
  } as Invoice
}
