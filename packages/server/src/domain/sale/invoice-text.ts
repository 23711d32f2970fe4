import { type Invoice, isConfirming, isFinal } from './invoice.ts'

type Erasable = Pick<Invoice, 'purpose' | 'status' | 'dueZat' | 'watchUntil' | 'keptOpenBySwap' | 'createdAt'>

/**
 * Whether the description and metadata of an invoice can be erased: it is a closed sale from before a time, and no payment
 * of it counts any more or is being confirmed. @param now Unix seconds, as `before`
 */
export function mayEraseTexts(invoice: Erasable, before: number, now: number): boolean {
  const { purpose, status, watchUntil, keptOpenBySwap, createdAt } = invoice
  const isOver = isFinal(status) && now > watchUntil && !keptOpenBySwap && !isConfirming(invoice)
  return purpose === 'sale' && createdAt < before && isOver
}
