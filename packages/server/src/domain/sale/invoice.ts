import {
  type Field,
  type Fields,
  type GivenOf,
  isOptional,
  type NamesOf,
  type Noun,
  type WireOf,
  wireFields,
} from '../field.ts'
import type { Zat } from '../money.ts'
import { requirePrintableLine } from '../text.ts'
import { paymentUri } from './payment-uri.ts'

export const INVOICE_STATUSES = ['pending', 'detected', 'paid', 'underpaid', 'expired'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** The purpose of an invoice: a merchant's sale, or internal (the purchase of a plan, the deposit of a withdrawal). */
const INVOICE_PURPOSES = ['sale', 'plan', 'withdrawal'] as const
export type InvoicePurpose = (typeof INVOICE_PURPOSES)[number]

export const EXPIRY_SECS = { min: 60, max: 86_400, default: 900 } as const

/** The fields of an invoice. `changedBy: 'evaluation'` are those that `evaluateInvoice` decides. */
export const INVOICE_FIELDS = {
  id: { column: 'id', type: 'integer', fromDatabase: true },
  publicId: { column: 'public_id', type: 'text', wire: 'id', meaning: 'UUID.' },
  accountId: { column: 'account_id', type: 'integer' },
  viewingKeyId: { column: 'viewing_key_id', type: 'integer' },
  diversifierIndex: { column: 'diversifier_index', type: 'bigint' },
  purpose: { column: 'purpose', type: 'text', values: INVOICE_PURPOSES },
  address: {
    column: 'address',
    type: 'text',
    wire: 'address',
    meaning: 'Unified address with one Orchard receiver.',
  },
  amountZat: {
    column: 'amount_zat',
    type: 'zat',
    request: { minimum: 1 },
    wire: 'amount_zat',
    meaning: 'Requested amount.',
  },
  orderId: {
    column: 'order_id',
    type: 'text',
    nullable: true,
    initial: null,
    request: { minLength: 1, maxLength: 128 },
    wire: 'order_id',
    meaning: "The shop's own number of the order.",
  },
  description: {
    column: 'description',
    type: 'text',
    nullable: true,
    initial: null,
    request: { minLength: 1, maxLength: 200 },
    wire: 'description',
    meaning: 'What is sold. The buyer sees it.',
  },
  /** Blocks, the payment's own included, until a payment is confirmed. With 0, mempool payments count as confirmed. */
  confirmations: { column: 'confirmations', type: 'integer' },
  status: {
    column: 'status',
    type: 'text',
    values: INVOICE_STATUSES,
    initial: 'pending',
    changedBy: 'evaluation',
    shared: 'InvoiceStatus',
    wire: 'status',
    meaning:
      '`detected`: the full amount is seen. `paid`: it is confirmed. `underpaid`: expired with a payment that is too small.',
  },
  receivedZat: {
    column: 'received_zat',
    type: 'zat',
    initial: 0n,
    changedBy: 'evaluation',
    wire: 'received_zat',
    meaning: 'Amount received, mempool included.',
  },
  /** The amount left to pay: 0 once the full amount is received. */
  dueZat: { column: 'due_zat', type: 'zat', startsAs: 'amountZat', changedBy: 'evaluation' },
  overpaidZat: {
    column: 'overpaid_zat',
    type: 'zat',
    initial: 0n,
    changedBy: 'evaluation',
    wire: 'overpaid_zat',
    meaning: 'Amount received above the requested amount.',
  },
  txid: {
    column: 'txid',
    type: 'text',
    nullable: true,
    initial: null,
    changedBy: 'evaluation',
    wire: 'txid',
    meaning: 'Transaction id of the latest counted payment, 64 hex characters.',
  },
  createdAt: { column: 'created_at', type: 'time', wire: 'created_at', meaning: 'Creation time.' },
  expiresAt: { column: 'expires_at', type: 'time', wire: 'expires_at', meaning: 'Expiry time.' },
  /** Late payments count until this time. */
  watchUntil: { column: 'watch_until', type: 'time', changedBy: 'swap' },
  paidAt: {
    column: 'paid_at',
    type: 'time',
    nullable: true,
    initial: null,
    changedBy: 'evaluation',
    wire: 'paid_at',
    meaning: 'Payment time; null until paid.',
  },
  /** A swap keeps the invoice open: the provider has a deposit, or has not yet reported whether one arrived in time. */
  keptOpenBySwap: { column: 'kept_open_by_swap', type: 'flag', initial: false, changedBy: 'swap' },
  /** The current swap; earlier swaps are replaced. */
  swapId: { column: 'swap_id', type: 'integer', nullable: true, initial: null, changedBy: 'swap' },
  /** The invoice is paid, but payments were removed by a reorganisation and the rest is less than the amount. */
  needsAttention: { column: 'needs_attention', type: 'flag', initial: false, changedBy: 'evaluation' },
  /** Height of the last recorded block at creation. Null before the first block. */
  createdHeight: { column: 'created_height', type: 'integer', nullable: true, fromDatabase: true },
  /** The newest rewind at creation, read together with `createdHeight`. */
  createdRewind: { column: 'created_rewind', type: 'integer', nullable: true, fromDatabase: true },
  /**
   * A payment that left the mempool can still be mined up to this height, so the invoice stays open until then, or until
   * the end of its late window. Null when there is no such payment.
   */
  openUntilHeight: {
    column: 'open_until_height',
    type: 'integer',
    nullable: true,
    initial: null,
    changedBy: 'evaluation',
  },
  /**
   * The height of the confirmed chain from which on more of the full amount, which is received, may be confirmed. Null
   * when the amount is not received, when the invoice is paid, and when no block can confirm more.
   */
  confirmsAtHeight: {
    column: 'confirms_at_height',
    type: 'integer',
    nullable: true,
    initial: null,
    changedBy: 'evaluation',
  },
  /** When `invoice.underpaid` was raised. It is raised at most once. */
  underpaidAt: { column: 'underpaid_at', type: 'time', nullable: true, initial: null, changedBy: 'evaluation' },
  /** Null when the invoice does not need attention. */
  attentionSince: { column: 'attention_since', type: 'time', nullable: true, initial: null, changedBy: 'evaluation' },
} as const satisfies Fields

type InvoiceFields = typeof INVOICE_FIELDS

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

/** Who sees which members, in the order in which they are sent. */
export const INVOICE_VIEWS = {
  /** The response of its creation. */
  created: ['id', 'address', 'amount_zat', 'zip321_uri', 'status', 'expires_at', 'order_id', 'description'],
  /** Everyone who has the id. Its swap follows. */
  public: [
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
  ],
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
  ],
  /** The receiver of an event, which begins with its type and `invoice_id`. */
  event: ['status', 'amount_zat', 'received_zat', 'overpaid_zat', 'txid', 'order_id', 'description'],
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
const GIVEN = Object.entries<Field>(INVOICE_FIELDS).filter(([, { request }]) => request !== undefined)

/** The fields that a request gives. @param request may have other members */
export function givenFields(request: GivenFields): GivenFields {
  const given = GIVEN.map(([name]) => [name, request[name as keyof GivenFields]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null)) as GivenFields
}

/**
 * The fields that the body of a request gives.
 * @throws AppError `invalid_<field>` for a text that people cannot read
 */
export function parseGiven(body: object): GivenFields {
  const given = GIVEN.flatMap(([name, { type, wire = '', request }]) => {
    const value = (body as Record<string, unknown>)[wire]
    if (typeof value === 'string') requirePrintableLine(wire, value, request?.maxLength ?? 0)
    return value === undefined ? [] : [[name, type === 'zat' ? BigInt(value as number) : value] as const]
  })
  return Object.fromEntries(given) as GivenFields
}

/** The invoice as a view shows it. */
export function viewInvoice<V extends InvoiceView>(view: V, invoice: InvoiceOf<V>): InvoiceAs<V> {
  const members = INVOICE_VIEWS[view].map(member => [member, memberOf(invoice as Invoice, member)])
  return Object.fromEntries(members) as InvoiceAs<V>
}

function memberOf(invoice: Invoice, member: keyof InvoiceMembers): unknown {
  if (member === 'zip321_uri') return paymentUri(invoice.address, invoice.amountZat, invoice.publicId)
  const [name, field] = FIELD_OF_MEMBER.get(member)!
  const value = invoice[name as keyof Invoice]
  if (value === null && isOptional(field)) return undefined
  return typeof value === 'bigint' ? Number(value) : value
}

/** The terms of an invoice, fixed at its creation, except that a swap may extend the late window. */
export type InvoiceTerms = Pick<Invoice, 'amountZat' | 'expiresAt' | 'watchUntil' | 'confirmations'>

/**
 * What a sum, such as the received amount, leaves to pay of the full amount; 0 when it covers it. For the received amount it
 * is stored: `dueZat`.
 */
export function dueAmount({ amountZat }: Pick<InvoiceTerms, 'amountZat'>, sumZat: Zat): Zat {
  return sumZat >= amountZat ? 0n : amountZat - sumZat
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
