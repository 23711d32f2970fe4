import { selectFields } from '../field.ts'
import { type Invoice, isConfirming, isFinal } from './invoice.ts'
import { INVOICE_FIELDS } from './invoice-fields.ts'

const TEXTS = selectFields(INVOICE_FIELDS, ({ erased }) => erased === 'texts')
/** The texts of an invoice: their columns, and their members in events. */
export const TEXT_COLUMNS = TEXTS.map(([, { column }]) => column)
export const TEXT_MEMBERS = TEXTS.map(([, { wire }]) => wire as string)

/** The columns that are erased with the account, in the order of the fields. */
export const ERASED_COLUMNS = selectFields(INVOICE_FIELDS, ({ erased }) => erased !== undefined).map(
  ([, { column }]) => column,
)

type Erasable = Pick<Invoice, 'purpose' | 'status' | 'dueZat' | 'watchUntil' | 'keptOpenBySwap' | 'createdAt'>

/**
 * Whether the texts of an invoice can be erased: it is a closed sale from before a time, and no payment
 * of it counts any more or is being confirmed. @param now Unix seconds, as `before`
 */
export function mayEraseTexts(invoice: Erasable, before: number, now: number): boolean {
  const { purpose, status, watchUntil, keptOpenBySwap, createdAt } = invoice
  const isOver = isFinal(status) && now > watchUntil && !keptOpenBySwap && !isConfirming(invoice)
  return purpose === 'sale' && createdAt < before && isOver
}
