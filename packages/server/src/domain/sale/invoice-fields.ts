import { CONFIRMATIONS } from '../account/account.ts'
import type { Fields } from '../field.ts'
import { MAX_WEBHOOK_URL_CHARS } from '../notify/webhook.ts'

export const INVOICE_STATUSES = ['pending', 'detected', 'paid', 'underpaid', 'expired'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** The purpose of an invoice: a merchant's sale, or internal (the purchase of a plan, the deposit of a withdrawal). */
const INVOICE_PURPOSES = ['sale', 'plan', 'withdrawal'] as const
export type InvoicePurpose = (typeof INVOICE_PURPOSES)[number]

export const EXPIRY_SECS = { min: 60, max: 86_400, default: 900 } as const

/** Hundredths of a percent: all of the amount may be missing. */
export const MAX_TOLERANCE_BPS = 10_000

/** The marks that a merchant can give an invoice, whatever the chain shows. */
export const INVOICE_MARKS = ['settled', 'invalid'] as const
export type InvoiceMark = (typeof INVOICE_MARKS)[number]

const OPTIONAL = { nullable: true, initial: null, optional: true } as const
const EVALUATED = { nullable: true, initial: null, changedBy: 'evaluation' } as const
/** The merchant sees it in every view of an invoice, and others see it in none. */
const MERCHANT_MEMBER = { ...OPTIONAL, seenBy: 'merchant' } as const
const OF_ACCOUNT = { ...MERCHANT_MEMBER, erased: 'account' } as const
const TEXT = { ...MERCHANT_MEMBER, erased: 'texts' } as const
/** The longest address of a page of the shop. */
export const MAX_SHOP_URL_CHARS = 2048

const URL_LENGTH = { minLength: 1, maxLength: MAX_SHOP_URL_CHARS } as const

/**
 * The fields of an invoice. `changedBy: 'evaluation'` are those that `evaluateInvoice` decides. Members with `seenBy` are
 * sent in this order. The partial indexes of erased fields have it too: SQLite uses one only for exactly its condition.
 */
export const INVOICE_FIELDS = {
  id: { column: 'id', type: 'integer', fromDatabase: true },
  publicId: { column: 'public_id', type: 'text', wire: 'id', meaning: 'UUID.' },
  accountId: { column: 'account_id', type: 'integer' },
  viewingKeyId: { column: 'viewing_key_id', type: 'integer' },
  diversifierIndex: { column: 'diversifier_index', type: 'bigint' },
  purpose: { column: 'purpose', type: 'text', values: INVOICE_PURPOSES },
  address: { column: 'address', type: 'text', wire: 'address', meaning: 'Unified address with one Orchard receiver.' },
  amountZat: {
    column: 'amount_zat',
    type: 'zat',
    wire: 'amount_zat',
    meaning: 'Requested amount; of an invoice with an open amount, the amount received.',
  },
  orderId: {
    column: 'order_id',
    type: 'text',
    ...OF_ACCOUNT,
    seenBy: 'everyone',
    request: { minLength: 1, maxLength: 128 },
    wire: 'order_id',
    meaning: "The shop's own number of the order.",
  },
  description: {
    column: 'description',
    type: 'text',
    ...TEXT,
    seenBy: 'everyone',
    request: { minLength: 1, maxLength: 200 },
    wire: 'description',
    meaning: 'The name of what is sold. The buyer sees it.',
  },
  /** Text of a JSON object. */
  metadata: {
    column: 'metadata',
    type: 'json',
    ...TEXT,
    wire: 'metadata',
    meaning: "The shop's own data, kept as the bytes given. Buyers never see it.",
  },
  price: {
    column: 'price',
    type: 'price',
    ...OPTIONAL,
    seenBy: 'everyone',
    wire: 'price',
    shared: 'Price',
    meaning: 'The price in money, as it was given.',
  },
  rate: {
    column: 'rate',
    type: 'rate',
    ...MERCHANT_MEMBER,
    wire: 'rate',
    shared: 'LockedRate',
    meaning: 'The rate at which the price was converted.',
  },
  /** The amount is what arrives; `amountZat` is the minimum. */
  openAmount: {
    column: 'open_amount',
    type: 'flag',
    ...MERCHANT_MEMBER,
    request: {},
    wire: 'open_amount',
    meaning: 'The buyer chooses the amount, as for a donation.',
  },
  minAmountZat: {
    column: 'min_amount_zat',
    type: 'zat',
    ...MERCHANT_MEMBER,
    request: { minimum: 1 },
    wire: 'min_amount_zat',
    meaning: 'With an open amount: the least that makes the invoice paid. Default 1.',
  },
  toleranceBps: {
    column: 'tolerance_bps',
    type: 'integer',
    ...MERCHANT_MEMBER,
    request: { minimum: 0, maximum: MAX_TOLERANCE_BPS },
    wire: 'tolerance_bps',
    meaning: 'How much may be missing for `paid`, in hundredths of a percent. Default: that of the account.',
  },
  /** The confirmations that the request asked for. */
  ownConfirmations: {
    column: 'own_confirmations',
    type: 'integer',
    ...MERCHANT_MEMBER,
    request: { minimum: CONFIRMATIONS.min, maximum: CONFIRMATIONS.max },
    wire: 'confirmations',
    meaning: 'Blocks until a payment of this invoice counts. Default: those of the account.',
  },
  successUrl: {
    column: 'success_url',
    type: 'text',
    ...OF_ACCOUNT,
    request: URL_LENGTH,
    wire: 'success_url',
    meaning: 'Where the checkout leads once the invoice is paid. `{invoice_id}` and `{order_id}` in it are filled in.',
  },
  cancelUrl: {
    column: 'cancel_url',
    type: 'text',
    ...OF_ACCOUNT,
    request: URL_LENGTH,
    wire: 'cancel_url',
    meaning: 'Where the checkout leads a buyer who does not pay. Filled in like `success_url`.',
  },
  autoRedirect: {
    column: 'auto_redirect',
    type: 'flag',
    ...MERCHANT_MEMBER,
    request: {},
    wire: 'auto_redirect',
    meaning: 'The checkout opens `success_url` by itself once the invoice is paid.',
  },
  locale: {
    column: 'locale',
    type: 'text',
    ...OF_ACCOUNT,
    request: { minLength: 2, maxLength: 35 },
    wire: 'locale',
    meaning: "The buyer's language, such as `de` or `pt-BR`.",
  },
  /** Signed with the secret of the account's webhook. */
  webhookUrl: {
    column: 'webhook_url',
    type: 'text',
    ...OF_ACCOUNT,
    request: { minLength: 1, maxLength: MAX_WEBHOOK_URL_CHARS },
    wire: 'webhook_url',
    meaning: "Events of this invoice are sent here too, beside the account's webhook, and signed with its secret.",
  },
  canceledAt: {
    column: 'canceled_at',
    type: 'time',
    ...MERCHANT_MEMBER,
    changedBy: 'cancellation',
    wire: 'canceled_at',
    meaning: 'When the merchant canceled the invoice.',
  },
  markedAs: {
    column: 'marked_as',
    type: 'text',
    values: INVOICE_MARKS,
    ...MERCHANT_MEMBER,
    changedBy: 'mark',
    wire: 'marked_as',
    meaning: 'The mark that you set, whatever the chain shows. The status stays.',
  },
  markedAt: {
    column: 'marked_at',
    type: 'time',
    ...MERCHANT_MEMBER,
    changedBy: 'mark',
    wire: 'marked_at',
    meaning: 'When you said so.',
  },
  /** The public id of the payment link that it was created from. */
  linkId: {
    column: 'link_id',
    type: 'text',
    ...MERCHANT_MEMBER,
    wire: 'link_id',
    meaning: 'The payment link that it was created from.',
  },
  /** A client of BTCPay's API left it out of its lists. */
  archivedAt: { column: 'archived_at', type: 'time', nullable: true, initial: null, changedBy: 'archive' },
  /** The sum of the refunds that are sent. */
  refundedZat: {
    column: 'refunded_zat',
    type: 'zat',
    ...OPTIONAL,
    changedBy: 'refund',
    wire: 'refunded_zat',
    meaning: 'Sum of the refunds that are sent; absent without one. The status stays.',
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
    ...EVALUATED,
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
    ...EVALUATED,
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
  openUntilHeight: { column: 'open_until_height', type: 'integer', ...EVALUATED },
  /**
   * The height of the confirmed chain from which on more of the full amount, which is received, may be confirmed. Null
   * when the amount is not received, when the invoice is paid, and when no block can confirm more.
   */
  confirmsAtHeight: { column: 'confirms_at_height', type: 'integer', ...EVALUATED },
  /** When `invoice.underpaid` was raised. It is raised at most once. */
  underpaidAt: { column: 'underpaid_at', type: 'time', ...EVALUATED },
  /** When money first arrived after the invoice had closed. */
  lateAt: { column: 'late_at', type: 'time', ...EVALUATED },
  /** Null when the invoice does not need attention. */
  attentionSince: { column: 'attention_since', type: 'time', ...EVALUATED },
} as const satisfies Fields
