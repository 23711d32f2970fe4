import { isOptional, type NamesOf, selectFields, type WireOf, wireFields } from '../field.ts'
import { RawJson } from '../raw-json.ts'
import { type Invoice, type InvoiceFields, paymentRequest } from './invoice.ts'
import { INVOICE_FIELDS } from './invoice-fields.ts'

/** The members of an invoice on the wire: its public fields, and what is computed from them. */
export interface InvoiceMembers extends WireOf<InvoiceFields> {
  readonly zip321_uri: string
}

/** Optional members that everyone sees. */
const SHARED_MEMBERS = membersSeenBy('everyone')
/** Members that only the merchant sees. */
const MERCHANT_MEMBERS = membersSeenBy('merchant')

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
  ...SHARED_MEMBERS,
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
    ...SHARED_MEMBERS,
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
    ...SHARED_MEMBERS,
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
    ...SHARED_MEMBERS,
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

function membersSeenBy<Who extends 'everyone' | 'merchant'>(who: Who) {
  const fields = selectFields(INVOICE_FIELDS, ({ seenBy }) => seenBy === who)
  return fields.map(([, { wire }]) => wire as InvoiceFields[NamesOf<InvoiceFields, { seenBy: Who }>]['wire'])
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
