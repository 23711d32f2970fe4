import { formatUnits, formatZec, ZAT_PER_ZEC, type Zat } from '../money.ts'
import { PRICE_DECIMALS } from '../rate.ts'
import { type Invoice, isClosed } from './invoice.ts'
import { confirmedThrough, type Payment } from './payment.ts'
import { currencyCode, priceDecimals, unitsPerZec } from './price.ts'

/** The states of an invoice in BTCPay's API. */
export const GREENFIELD_STATUSES = ['New', 'Processing', 'Expired', 'Invalid', 'Settled'] as const
export type GreenfieldStatus = (typeof GREENFIELD_STATUSES)[number]

type AdditionalStatus = 'None' | 'PaidLate' | 'PaidPartial' | 'Marked' | 'PaidOver'

export interface GreenfieldState {
  readonly status: GreenfieldStatus
  readonly additionalStatus: AdditionalStatus
}

/**
 * The state of an invoice as BTCPay names it. What the merchant said by hand comes first, but a payment that the chain
 * shows is no statement: an invoice marked as settled that is paid is simply settled. Money that arrived late counts only
 * once it is confirmed, since shops deliver on `PaidLate`.
 */
export function greenfieldState(
  invoice: Pick<Invoice, 'status' | 'markedAs' | 'canceledAt' | 'receivedZat' | 'overpaidZat' | 'lateAt'>,
): GreenfieldState {
  const { status, markedAs, canceledAt, receivedZat, overpaidZat, lateAt } = invoice
  const over = overpaidZat > 0n ? 'PaidOver' : 'None'
  if (markedAs === 'invalid') return { status: 'Invalid', additionalStatus: 'Marked' }
  if (status === 'paid') {
    const late = lateAt === null ? 'None' : 'PaidLate'
    return { status: 'Settled', additionalStatus: overpaidZat > 0n ? 'PaidOver' : late }
  }
  if (markedAs === 'settled') return { status: 'Settled', additionalStatus: 'Marked' }
  if (status === 'detected') return { status: 'Processing', additionalStatus: over }
  if (isClosed(status) && canceledAt !== null) return { status: 'Invalid', additionalStatus: 'Marked' }
  const part = receivedZat > 0n ? 'PaidPartial' : 'None'
  return { status: isClosed(status) ? 'Expired' : 'New', additionalStatus: part }
}

/** The statuses that the merchant can give the invoice now. */
export function markableStatuses({ status }: GreenfieldState): readonly ('Settled' | 'Invalid')[] {
  if (status === 'Settled') return ['Invalid']
  return status === 'Invalid' ? ['Settled'] : ['Settled', 'Invalid']
}

/** The one payment method, as it is written in answers. */
export const PAYMENT_METHOD = 'ZEC-CHAIN'

/** Whether a text names the payment method: `ZEC`, `ZEC-CHAIN` or `ZEC_CHAIN`, in any case. */
export function isPaymentMethod(text: string): boolean {
  return /^zec(?:[-_](?:chain|onchain))?$/i.test(text)
}

/** How many confirmations each policy asks for. The account's own are the least. */
const CONFIRMATIONS_OF = { HighSpeed: 0, MediumSpeed: 1, LowMediumSpeed: 2, LowSpeed: 6 } as const
export type SpeedPolicy = keyof typeof CONFIRMATIONS_OF

const SPEED_POLICIES = Object.keys(CONFIRMATIONS_OF) as SpeedPolicy[]

/** Null: there is no such policy. Their case does not matter. */
export function parseSpeedPolicy(text: string): SpeedPolicy | null {
  return SPEED_POLICIES.find(name => name.toLowerCase() === text.toLowerCase()) ?? null
}

/** @param floor the confirmations of the account: a plugin's setting raises them, and never lowers them */
export function confirmationsOf(policy: SpeedPolicy, floor: number): number {
  return Math.max(floor, CONFIRMATIONS_OF[policy])
}

/** The policy with the most confirmations that an invoice keeps. */
export function speedPolicyOf(confirmations: number): SpeedPolicy {
  return SPEED_POLICIES.findLast(name => CONFIRMATIONS_OF[name] <= confirmations) ?? 'HighSpeed'
}

/** The currency of an invoice: that of its price, or ZEC. */
export function invoiceCurrency({ price }: Pick<Invoice, 'price'>): string {
  return price === null ? 'ZEC' : currencyCode(price)
}

type Priced = Pick<Invoice, 'price' | 'rate' | 'amountZat' | 'openAmount'>

/** The amount that was asked for, as it was given. Decimal; `0` for an open amount. */
export function invoiceAmount({ price, amountZat, openAmount }: Priced): string {
  if (openAmount) return '0'
  return price?.amount ?? formatZec(amountZat)
}

/** The price of 1 ZEC in the currency of the invoice, decimal. */
export function invoiceRate({ price, rate }: Pick<Invoice, 'price' | 'rate'>): string {
  return price === null ? '1' : formatUnits(unitsPerZec(price, rate), PRICE_DECIMALS)
}

/**
 * The value of a sum in the currency of the invoice at its rate: decimal, rounded to the places of the currency. The
 * whole amount is worth its price, whatever the rate.
 */
export function valueInCurrency(invoice: Priced, sumZat: Zat): string {
  const { price, rate, amountZat, openAmount } = invoice
  if (price === null) return formatZec(sumZat)
  if (sumZat === amountZat && !openAmount) return plainDecimal(price.amount)
  const decimals = priceDecimals(currencyCode(price))
  const scale = ZAT_PER_ZEC * 10n ** BigInt(PRICE_DECIMALS - decimals)
  const units = (sumZat * unitsPerZec(price, rate) + scale / 2n) / scale
  return formatUnits(units, decimals)
}

/** A decimal number without zeros at its end: `25.00` is `25`. */
function plainDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

export interface GreenfieldPayment {
  readonly id: string
  readonly receivedDate: number
  readonly value: string
  readonly fee: string
  readonly status: 'Invalid' | 'Processing' | 'Settled'
  readonly destination: string
}

/** Actions of the later pool are numbered from here on, so that each payment of a transaction has its own id. */
const LATER_POOL = 65_536

/**
 * A payment of an invoice. Its id is that of the transaction, a hyphen and a number.
 * @param confirmedTip the height up to which blocks confirm
 */
export function greenfieldPayment(
  payment: Payment & { readonly seenAt: number },
  invoice: Pick<Invoice, 'address' | 'confirmations' | 'status'>,
  confirmedTip: number,
): GreenfieldPayment {
  const { txid, pool, outputIndex, valueZat, seenAt } = payment
  return {
    id: `${txid}-${pool === 'orchard' ? outputIndex : LATER_POOL + outputIndex}`,
    receivedDate: seenAt,
    value: formatZec(valueZat),
    fee: '0',
    status: paymentStatus(payment, invoice, confirmedTip),
    destination: invoice.address,
  }
}

function paymentStatus(
  { location, awaitsWitness }: Payment,
  { confirmations, status }: Pick<Invoice, 'confirmations' | 'status'>,
  confirmedTip: number,
): GreenfieldPayment['status'] {
  if (location.at === 'dropped') return 'Invalid'
  if (location.at === 'mempool') return confirmations === 0 && status === 'paid' ? 'Settled' : 'Processing'
  const isConfirmed = location.height <= confirmedThrough(confirmations, confirmedTip) && !awaitsWitness
  return isConfirmed ? 'Settled' : 'Processing'
}

/** Whether a search finds the invoice: by a part of its id, order, description or metadata, in any case. */
export function matchesText(
  { publicId, orderId, description, metadata }: Pick<Invoice, 'publicId' | 'orderId' | 'description' | 'metadata'>,
  text: string,
): boolean {
  const sought = text.toLowerCase()
  return [publicId, orderId, description, metadata].some(value => value?.toLowerCase().includes(sought))
}
