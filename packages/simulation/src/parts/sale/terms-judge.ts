import type { World } from '../../world/world.ts'
import type { InvoiceRow } from './ledger.ts'
import { short } from './shop.ts'

/** Whether a sum pays the invoice: something has arrived, and no more is missing than the invoice tolerates. */
export function isEnough({ amount_zat: amount, tolerance_bps: bps }: InvoiceRow, sum: bigint): boolean {
  return sum > 0n && (amount - sum) * 10_000n <= amount * (bps ?? 0n)
}

/** The amount left to pay, and the excess. An open amount has no excess. */
export function restOf(invoice: InvoiceRow, sum: bigint): { readonly due: bigint; readonly excess: bigint } {
  const { amount_zat: amount, open_amount: isOpen } = invoice
  return {
    due: isEnough(invoice, sum) ? 0n : amount - sum,
    excess: isOpen !== 1n && sum > amount ? sum - amount : 0n,
  }
}

const FIXED = ['address', 'amount_zat', 'open_amount', 'tolerance_bps', 'confirmations', 'price', 'rate'] as const

/** Checks the terms of an invoice. @param before its row after the previous commit, if it was there */
export function checkStoredTerms(world: World, before: InvoiceRow | undefined, invoice: InvoiceRow): void {
  const { own_confirmations: own, confirmations } = invoice
  const about = `invoice ${short(invoice.public_id)}`
  if (before) {
    const changed = FIXED.find(column => before[column] !== invoice[column])
    if (changed) world.fail('the terms of an invoice never change', `${about}: ${changed}`)
    if (before.metadata !== invoice.metadata && (invoice.metadata !== null || !isLeaving(world, invoice)))
      world.fail('the terms of an invoice never change', `${about}: metadata`)
    return
  }
  if (own !== null && own !== confirmations) world.fail('an invoice has the terms of its request', about)
  if (invoice.price !== null && !isRoundedUp(invoice))
    world.fail(
      'a price is rounded up to the zat',
      `${about}: ${invoice.price} at ${invoice.rate}: ${invoice.amount_zat}`,
    )
}

/** Whether the account of a row is being deleted, or is deleted: its metadata and refunds are erased. */
export function isLeaving({ database }: World, { account_id: id }: Pick<InvoiceRow, 'account_id'>): boolean {
  const [row] = database.committed<{ at: bigint | null }>(
    'SELECT coalesce(erased_at, deletion_requested_at) AS at FROM accounts WHERE id = ?',
    id,
  )
  return row !== undefined && row.at !== null
}

/** The amount is worth the price at the kept rate, and one zat less is not. */
export function isRoundedUp({
  amount_zat: zat,
  price,
  rate,
}: Pick<InvoiceRow, 'amount_zat' | 'price' | 'rate'>): boolean {
  const { amount, currency } = JSON.parse(price!) as { amount: string; currency: string }
  const perZec = units(rate === null ? '1' : (JSON.parse(rate) as { price: string }).price)
  const needed = units(amount) * ZAT_PER_ZEC
  const worth = (zats: bigint) => zats * perZec * (currency.toUpperCase() === 'SATS' ? SATS_PER_BTC : 1n)
  return worth(zat) >= needed && worth(zat - 1n) < needed
}

const ZAT_PER_ZEC = 10n ** 8n
const SATS_PER_BTC = 10n ** 8n

/** A decimal number as a multiple of 10^-12. */
function units(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(12, '0'))
}

/** Checks the change that has canceled an invoice, and that a canceled invoice stays closed. */
export function checkCanceled(world: World, before: InvoiceRow | undefined, invoice: InvoiceRow): void {
  const { canceled_at: canceledAt, status, received_zat: received, kept_open: keptOpen } = invoice
  if (canceledAt === null) {
    if (before && before.canceled_at !== null)
      world.fail('a canceled invoice is closed', `invoice ${short(invoice.public_id)} is canceled no more`)
    return
  }
  const about = `invoice ${short(invoice.public_id)} is ${status} with ${received} zat`
  if (status === 'pending' || status === 'detected') world.fail('a canceled invoice is closed', about)
  // A shared commit may hold the cancellation, and a payment before or after it.
  if (!before || before.canceled_at !== null || world.useCases > 1) return
  if (before.status !== 'pending' || received > 0n || keptOpen === 1n)
    world.fail('only an invoice without money is canceled', `${about}, it was ${before.status}`)
}
