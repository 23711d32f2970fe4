import {
  type GivenOf,
  isGiven,
  isOptional,
  type NamesOf,
  type Noun,
  selectFields,
  type WireOf,
  wireFields,
} from '../field.ts'
import type { Zat } from '../money.ts'
import { RawJson } from '../raw-json.ts'
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

/** The members of an invoice on the wire: its public fields, and what is computed from them. */
export interface InvoiceMembers extends WireOf<InvoiceFields> {
  readonly zip321_uri: string
}

/** What a request gave, for the merchant alone. */
const MERCHANT_MEMBERS = [
  'rate',
  'open_amount',
  'min_amount_zat',
  'tolerance_bps',
  'confirmations',
  'success_url',
  'cancel_url',
  'auto_redirect',
  'locale',
  'webhook_url',
  'canceled_at',
  'marked_as',
  'marked_at',
  'metadata',
  'link_id',
] as const

const READ_MEMBERS = [
  'id',
  'status',
  'amount_zat',
  'address',
  'zip321_uri',
  'expires_at',
  'txid',
  'received_zat',
  'overpaid_zat',
  'order_id',
  'description',
  'price',
  'refunded_zat',
] as const

/** Who sees which members, in the order in which they are sent. */
export const INVOICE_VIEWS = {
  /** The response of its creation. */
  created: [
    'id',
    'address',
    'amount_zat',
    'zip321_uri',
    'status',
    'expires_at',
    'order_id',
    'description',
    'price',
    ...MERCHANT_MEMBERS,
  ],
  /** Everyone who has the id. Its swap follows. */
  public: READ_MEMBERS,
  /** The account, of one invoice. Its swap follows. */
  merchant: [...READ_MEMBERS, 'created_at', 'paid_at', ...MERCHANT_MEMBERS],
  /** The account, in its list and its export. */
  list: [
    'id',
    'status',
    'amount_zat',
    'received_zat',
    'overpaid_zat',
    'address',
    'txid',
    'created_at',
    'expires_at',
    'paid_at',
    'order_id',
    'description',
    'price',
    'refunded_zat',
    ...MERCHANT_MEMBERS,
  ],
  /** The receiver of an event, which begins with its type and `invoice_id`. */
  event: [
    'status',
    'amount_zat',
    'received_zat',
    'overpaid_zat',
    'txid',
    'order_id',
    'description',
    'price',
    'refunded_zat',
    ...MERCHANT_MEMBERS,
  ],
} as const satisfies Readonly<Record<string, readonly (keyof InvoiceMembers)[]>>

export type InvoiceView = keyof typeof INVOICE_VIEWS

/** An invoice as a view shows it. */
export type InvoiceAs<V extends InvoiceView> = Pick<InvoiceMembers, (typeof INVOICE_VIEWS)[V][number]>

/** The fields that a view needs. */
export type InvoiceOf<V extends InvoiceView> = Pick<
  Invoice,
  NamesOf<InvoiceFields, { wire: (typeof INVOICE_VIEWS)[V][number] }>
>

/** The field of each member. `zip321_uri` has none. */
export const FIELD_OF_MEMBER = wireFields(INVOICE_FIELDS)
const GIVEN = selectFields(INVOICE_FIELDS, isGiven)

/** The fields that may be given, and are. @param request may have other members */
export function givenFields(request: GivenFields): GivenFields {
  const given = GIVEN.map(([name]) => [name, request[name as keyof GivenFields]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null)) as GivenFields
}

/** The invoice as a view shows it. Its metadata is a `RawJson`: send it by `stringify`. */
export function viewInvoice<V extends InvoiceView>(view: V, invoice: InvoiceOf<V>): InvoiceAs<V> {
  const members: Record<string, unknown> = {}
  for (const member of INVOICE_VIEWS[view]) {
    const value = memberOf(invoice as Invoice, member)
    if (value !== undefined) members[member] = value
  }
  return members as InvoiceAs<V>
}

function memberOf(invoice: Invoice, member: keyof InvoiceMembers): unknown {
  if (member === 'zip321_uri') return paymentRequest(invoice)
  if (member === 'amount_zat') return Number(invoice.openAmount ? invoice.receivedZat : invoice.amountZat)
  const [name, field] = FIELD_OF_MEMBER.get(member)!
  const value = invoice[name as keyof Invoice]
  if (value === null && isOptional(field)) return undefined
  if (field.type === 'json') return new RawJson(value as string)
  return typeof value === 'bigint' ? Number(value) : value
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
 * What a sum, such as the received amount, leaves to pay of the full amount; 0 when it covers what is required. For the
 * received amount it is stored: `dueZat`.
 */
export function dueAmount(terms: AmountTerms, sumZat: Zat): Zat {
  return sumZat >= requiredZat(terms) ? 0n : terms.amountZat - sumZat
}

/** What a sum is above the requested amount. Nothing is too much for an open amount. */
export function overpaidAmount({ amountZat, openAmount }: AmountTerms, sumZat: Zat): Zat {
  return openAmount || sumZat <= amountZat ? 0n : sumZat - amountZat
}

/** Whether a sum pays an invoice only because some of the amount may be missing. */
export function isWithinTolerance(terms: AmountTerms, sumZat: Zat): boolean {
  return sumZat < terms.amountZat && dueAmount(terms, sumZat) === 0n
}

/**
 * What a payment may still add: the amount left, while late money counts. Null when nothing is left, when payments no
 * longer count, and when the merchant canceled or marked the invoice.
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
