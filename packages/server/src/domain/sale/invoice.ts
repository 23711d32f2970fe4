import { type GivenOf, isGiven, type NamesOf, type Noun, selectFields } from '../field.ts'
import type { Zat } from '../money.ts'
import { INVOICE_FIELDS, type InvoiceStatus, MAX_TOLERANCE_BPS } from './invoice-fields.ts'
import { paymentUri } from './payment-uri.ts'

export {
  EXPIRY_SECS,
  INVOICE_FIELDS,
  INVOICE_MARKS,
  INVOICE_STATUSES,
  type InvoiceMark,
  type InvoicePurpose,
  type InvoiceStatus,
} from './invoice-fields.ts'

export type InvoiceFields = typeof INVOICE_FIELDS

/** A stored invoice. Times are in Unix seconds. */
export interface Invoice extends Noun<InvoiceFields> {}

/** The fields that a request for an invoice gives. */
export interface GivenFields extends GivenOf<InvoiceFields> {}

/** An invoice to insert. */
export interface NewInvoice
  extends Omit<Invoice, NamesOf<InvoiceFields, { initial: unknown } | { startsAs: string } | { fromDatabase: true }>>,
    GivenFields {}

/** The part of an invoice that an evaluation changes. */
export type InvoiceStateUpdate = Pick<Invoice, 'id' | NamesOf<InvoiceFields, { changedBy: 'evaluation' }>>

const GIVEN = selectFields(INVOICE_FIELDS, isGiven)

/** The fields that may be given, and are. @param request may have other members */
export function givenFields(request: GivenFields): GivenFields {
  const given = GIVEN.map(([name]) => [name, request[name as keyof GivenFields]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null)) as GivenFields
}

/** The ZIP 321 request of an invoice; without an amount when it is open. */
export function paymentRequest({
  address,
  amountZat,
  openAmount,
  publicId,
}: Pick<Invoice, 'address' | 'amountZat' | 'openAmount' | 'publicId'>): string {
  return paymentUri(address, openAmount ? null : amountZat, publicId)
}

/** The ZIP 321 request for what is left to pay; of an invoice that is paid or has an open amount, its own request. */
export function remainingRequest(
  invoice: Pick<Invoice, 'address' | 'amountZat' | 'dueZat' | 'openAmount' | 'publicId'>,
): string {
  const { dueZat } = invoice
  return paymentRequest(dueZat > 0n ? { ...invoice, amountZat: dueZat } : invoice)
}

/** The terms of an invoice, fixed at its creation, except that a swap may extend the late window. */
export type InvoiceTerms = Pick<
  Invoice,
  'amountZat' | 'openAmount' | 'toleranceBps' | 'expiresAt' | 'watchUntil' | 'confirmations' | 'canceledAt'
>

type AmountTerms = Pick<InvoiceTerms, 'amountZat' | 'openAmount' | 'toleranceBps'>

/** The least that pays an invoice: its amount without the tolerance, which is rounded down. At least 1 zat. */
export function requiredZat({ amountZat, toleranceBps }: AmountTerms): Zat {
  const tolerated = (amountZat * BigInt(toleranceBps ?? 0)) / BigInt(MAX_TOLERANCE_BPS)
  return tolerated >= amountZat ? 1n : amountZat - tolerated
}

/**
 * The full amount less a sum, such as the received amount; 0 when the sum covers the required amount. For the received
 * amount it is stored: `dueZat`.
 */
export function dueAmount(terms: AmountTerms, sumZat: Zat): Zat {
  return sumZat >= requiredZat(terms) ? 0n : terms.amountZat - sumZat
}

/** The excess of a sum over the requested amount. An open amount has none. */
export function overpaidAmount({ amountZat, openAmount }: AmountTerms, sumZat: Zat): Zat {
  return openAmount || sumZat <= amountZat ? 0n : sumZat - amountZat
}

/** Whether a sum pays an invoice only because some of the amount may be missing. */
export function isWithinTolerance(terms: AmountTerms, sumZat: Zat): boolean {
  return sumZat < terms.amountZat && dueAmount(terms, sumZat) === 0n
}

/**
 * The amount left to pay, while late payments count. Null when nothing is left, when payments no longer count, and when the merchant canceled or marked the invoice.
 * @param now Unix seconds
 */
export function missingZat(
  invoice: Pick<Invoice, 'status' | 'dueZat' | 'watchUntil' | 'canceledAt' | 'markedAs'>,
  now: number,
): Zat | null {
  const { status, dueZat, watchUntil, canceledAt, markedAs } = invoice
  const isAsked = status !== 'paid' && dueZat > 0n && canceledAt === null && markedAs === null
  return isAsked && now <= watchUntil ? dueZat : null
}

/** Why an invoice cannot be canceled. Null: it can, since no money has arrived and none is known to be on its way. */
export function whyNotCancelable({
  status,
  receivedZat,
  keptOpenBySwap,
}: Pick<Invoice, 'status' | 'receivedZat' | 'keptOpenBySwap'>): string | null {
  if (status !== 'pending') return `the invoice is ${status}`
  if (receivedZat > 0n) return 'a payment has arrived'
  return keptOpenBySwap ? 'a swap may still pay it' : null
}

/** Whether the full amount has arrived and is being confirmed, also late, while the invoice is closed. */
export function isConfirming({ status, dueZat }: Pick<Invoice, 'status' | 'dueZat'>): boolean {
  return status !== 'paid' && dueZat === 0n
}

/** Whether a part of the amount has arrived, and the rest is not paid. */
export function isPartPaid({ status, receivedZat, dueZat }: Pick<Invoice, 'status' | 'receivedZat' | 'dueZat'>) {
  return receivedZat > 0n && dueZat > 0n && status !== 'paid'
}

/** Whether an order has no room for a second invoice: this one is open or paid. */
export function holdsOrder(status: InvoiceStatus): boolean {
  return !isClosed(status)
}

export function isClosed(status: InvoiceStatus): boolean {
  return status === 'expired' || status === 'underpaid'
}

/** Whether the status ends a WebSocket subscription. */
export function isFinal(status: InvoiceStatus): boolean {
  return status === 'paid' || isClosed(status)
}
