import { AppError, invalidField } from '../error.ts'
import { type Fields, type GivenOf, isOptional, type NamesOf, type Noun, type WireOf, wireFields } from '../field.ts'
import { formatZec, sumZat, type Zat } from '../money.ts'
import { isUuid } from '../uuid.ts'
import type { Invoice } from './invoice.ts'
import { type Payee, paymentUri, paymentUriOfSeveral } from './payment-uri.ts'

/**
 * A refund is an order that the merchant's own wallet pays: the service cannot spend. `awaiting_address` until the buyer or
 * the merchant has given an address, then `ready`, then `sent`.
 */
export const REFUND_STATUSES = ['awaiting_address', 'ready', 'sent', 'canceled'] as const
export type RefundStatus = (typeof REFUND_STATUSES)[number]

const OPTIONAL = { nullable: true, initial: null, optional: true } as const

/** The fields of a refund. Amount, price and rate never change. */
export const REFUND_FIELDS = {
  id: { column: 'id', type: 'integer', fromDatabase: true },
  publicId: { column: 'public_id', type: 'text', wire: 'id', meaning: 'UUID.' },
  accountId: { column: 'account_id', type: 'integer' },
  invoiceId: { column: 'invoice_id', type: 'integer' },
  status: {
    column: 'status',
    type: 'text',
    values: REFUND_STATUSES,
    shared: 'RefundStatus',
    wire: 'status',
    meaning: '`ready`: it has an address. `sent`: your wallet has paid it. `sent` and `canceled` are final.',
  },
  amountZat: { column: 'amount_zat', type: 'zat', wire: 'amount_zat', meaning: 'Amount to send. It never changes.' },
  price: {
    column: 'price',
    type: 'price',
    ...OPTIONAL,
    wire: 'price',
    shared: 'Price',
    meaning: 'The amount in money, as it was given.',
  },
  rate: {
    column: 'rate',
    type: 'rate',
    ...OPTIONAL,
    wire: 'rate',
    shared: 'LockedRate',
    meaning: 'The rate at which the price was converted.',
  },
  reason: {
    column: 'reason',
    type: 'text',
    ...OPTIONAL,
    request: { minLength: 1, maxLength: 200 },
    wire: 'reason',
    meaning: 'For yourself. The buyer does not see it.',
  },
  address: {
    column: 'address',
    type: 'text',
    nullable: true,
    changedBy: 'buyer',
    wire: 'address',
    meaning: 'Where to send it; null until it is known.',
  },
  /** The buyer gave the address, and may change it until the merchant has seen it. */
  addressFromBuyer: { column: 'address_from_buyer', type: 'flag', changedBy: 'buyer' },
  /** When the merchant was first shown an address that the buyer gave. */
  seenAt: { column: 'seen_at', type: 'time', nullable: true, initial: null, changedBy: 'sight' },
  /** UUID: the secret in the link for the buyer. No other id of the refund or its invoice opens that link. */
  linkId: { column: 'link_id', type: 'text' },
  txid: {
    column: 'txid',
    type: 'text',
    nullable: true,
    initial: null,
    changedBy: 'merchant',
    wire: 'txid',
    meaning: 'The transaction that paid it, as you named it; null until it is sent.',
  },
  createdAt: { column: 'created_at', type: 'time', wire: 'created_at', meaning: 'Creation time.' },
  updatedAt: { column: 'updated_at', type: 'time', wire: 'updated_at', meaning: 'Time of the last change.' },
} as const satisfies Fields

type RefundFields = typeof REFUND_FIELDS

/** A stored refund. Times are in Unix seconds. */
export interface Refund extends Noun<RefundFields> {}

/** A refund to insert. */
export interface NewRefund
  extends Omit<Refund, NamesOf<RefundFields, { initial: unknown } | { fromDatabase: true }>>,
    GivenOf<RefundFields> {}

/** A refund with its invoice. */
export interface RefundWithInvoice {
  readonly refund: Refund
  readonly invoice: Invoice
}

/** The most refunds of one invoice that are not canceled. */
export const MAX_REFUNDS = 100
/** The most refunds of one invoice that are listed with it, canceled ones included. */
export const MAX_LISTED_REFUNDS = 200
/** Longer than every unified address that a wallet shows. */
export const MAX_REFUND_ADDRESS_CHARS = 512

/**
 * The refundable amount: confirmed payments less all refunds that are not canceled.
 * @param refundedZat the sum of these
 */
export function refundableZat(confirmedZat: Zat, refundedZat: Zat): Zat {
  return confirmedZat > refundedZat ? confirmedZat - refundedZat : 0n
}

/** The part of an overpayment that no refund covers yet: an ordered one counts before it is sent. */
export function refundableExcess({ overpaidZat }: Pick<Invoice, 'overpaidZat'>, refundedZat: Zat, leftZat: Zat): Zat {
  const excessZat = overpaidZat > refundedZat ? overpaidZat - refundedZat : 0n
  return excessZat < leftZat ? excessZat : leftZat
}

/**
 * The amount of a new refund.
 * @param asked undefined: all that is left
 * @throws AppError `refund_exceeds_received`, `invalid_amount_zat` when the amount rounds to 0
 */
export function refundAmount(asked: Zat | undefined, leftZat: Zat): Zat {
  const amountZat = asked ?? leftZat
  if (amountZat > leftZat || leftZat === 0n)
    throw new AppError('refund_exceeds_received', { detail: `${formatZec(leftZat)} ZEC can be refunded` })
  if (amountZat < 1n) throw invalidField('amount_zat', 'at least 1; this amount is less than a zat')
  return amountZat
}

/** The memo of the payment, for its receiver. */
export function refundMemo({ orderId }: Pick<Invoice, 'orderId'>): string {
  return orderId === null ? 'Refund' : `Refund of order ${orderId}`
}

/** The ZIP 321 request by which a wallet pays a refund. Null unless it is ready and its address is shown. */
export function refundPaymentUri({ refund, invoice }: RefundWithInvoice): string | null {
  const { status, address, amountZat } = refund
  return status === 'ready' && address !== null ? paymentUri(address, amountZat, refundMemo(invoice)) : null
}

/** One request for several refunds, all of which are ready, and their sum. */
export function refundPayment(refunds: readonly RefundWithInvoice[]): { readonly uri: string; readonly totalZat: Zat } {
  const payees = refunds.map(({ refund, invoice }): Payee => {
    return { address: refund.address ?? '', amountZat: refund.amountZat, memo: refundMemo(invoice) }
  })
  return { uri: paymentUriOfSeveral(payees), totalZat: sumZat(payees.map(({ amountZat }) => amountZat)) }
}

/** The buyer gave the address, and the merchant has not been shown it. */
export function isUnseen({ addressFromBuyer, seenAt }: Refund): boolean {
  return addressFromBuyer && seenAt === null
}

/** The refund for a page without addresses, on which the buyer can still change an unseen one. */
export function withoutUnseenAddress(refund: Refund): Refund {
  return isUnseen(refund) ? { ...refund, address: null } : refund
}

/** Whether the buyer may give an address now, or another one. */
export function mayGiveAddress(refund: Refund): boolean {
  return refund.status === 'awaiting_address' || (refund.status === 'ready' && isUnseen(refund))
}

/** A refund in an export, with its invoice and order, and without its address. */
export type ExportedRefund = Omit<WireOf<RefundFields>, 'address'> & {
  readonly invoice_id: string
  readonly order_id?: string
}

const EXPORTED_MEMBERS = [...wireFields(REFUND_FIELDS)].filter(([member]) => member !== 'address')

export function viewExportedRefund({ refund, invoice }: RefundWithInvoice): ExportedRefund {
  const members = EXPORTED_MEMBERS.flatMap(([member, [name, field]]) => {
    const value = refund[name as keyof Refund]
    if (value === null && isOptional(field)) return []
    return [[member, typeof value === 'bigint' ? Number(value) : value] as const]
  })
  const { publicId, orderId } = invoice
  const sale = { invoice_id: publicId, ...(orderId !== null && { order_id: orderId }) }
  const { id, ...others } = Object.fromEntries(members) as Omit<WireOf<RefundFields>, 'address'>
  return { id, ...sale, ...others }
}

/** The refund with an address from its buyer. @throws AppError `refund_address_fixed` */
export function withAddress(refund: Refund, address: string, at: number): Refund {
  if (!mayGiveAddress(refund)) throw new AppError('refund_address_fixed')
  if (refund.address === address) return refund
  return { ...refund, status: 'ready', address, addressFromBuyer: true, updatedAt: at }
}

/** The refund after its merchant has seen the address. */
export function seen(refund: Refund, at: number): Refund {
  return isUnseen(refund) ? { ...refund, seenAt: at } : refund
}

/** The canceled refund. @throws AppError `refund_closed` once it is sent */
export function canceled(refund: Refund, at: number): Refund {
  if (refund.status === 'canceled') return refund
  if (refund.status === 'sent') throw new AppError('refund_closed', { detail: 'it is sent' })
  return { ...refund, status: 'canceled', updatedAt: at }
}

/**
 * The refund that a transaction has paid.
 * @throws AppError `refund_closed` for a canceled one, for one without an address, and for another transaction
 */
export function sent(refund: Refund, txid: string, at: number): Refund {
  if (refund.status === 'sent' && refund.txid === txid) return refund
  if (refund.status !== 'ready') throw new AppError('refund_closed', { detail: WHY_NOT_SENT[refund.status] })
  return { ...refund, status: 'sent', txid, updatedAt: at }
}

const WHY_NOT_SENT: Readonly<Record<Exclude<RefundStatus, 'ready'>, string>> = {
  awaiting_address: 'it has no address yet',
  sent: 'another transaction has paid it',
  canceled: 'it is canceled',
}

/** Names the kind of a text that cannot be a refund address, such as `a Sapling address`. Null: none of these. */
export function namedAddressKind(address: string): string | null {
  if (isUuid(address)) return 'the id of an invoice'
  return ADDRESS_KINDS.find(([pattern]) => pattern.test(address))?.[1] ?? null
}

const ADDRESS_KINDS: readonly (readonly [RegExp, string])[] = [
  [/^zcash:/, 'a payment request'],
  [/^t[123mM][1-9A-HJ-NP-Za-km-z]{20,}$/, 'a transparent address, which would publish the refund'],
  [/^tex(?:test|regtest)?1/, 'a transparent address of an exchange (TEX), which would publish the refund'],
  [/^z(?:s|testsapling|regtestsapling)1/, 'a Sapling address'],
  [/^z[ct]/, 'a Sprout address'],
  [/^u(?:view|ivk|vf|vi)/, 'a viewing key, which must stay secret'],
  [/^(?:bc1|tb1|[13][1-9A-HJ-NP-Za-km-z]{25,}$)/, 'a Bitcoin address'],
  [/^0x[0-9a-fA-F]{40}$/, 'an Ethereum address'],
]
