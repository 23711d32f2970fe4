/**
 * The wire format: the types of all request and response bodies, webhook events and WebSocket messages. The server
 * compiles against this file, so client and server cannot diverge.
 *
 * Amounts are integers in zat, at most 2,100,000,000,000,000, which a JavaScript number represents exactly. Times are
 * Unix seconds unless the field says otherwise. Ids are UUIDs.
 */

/** The body of every response that is not 2xx. */
export interface ErrorBody {
  /** Stable error code in snake_case, for programs. */
  code: string
  /** Error message for people. */
  message: string
  /** More about the error, for example the accepted values. */
  detail?: string
  /** The limit of the plan that is reached: with 402 its invoices a month, with `too_many_watched_keys` its keys. */
  limit?: number
  /** With 402: the number of invoices used this month. */
  used?: number
  /** The name of the plan of this limit. */
  plan?: string
  /** With 402: Unix seconds of the start of the next month, when invoices can be created again. */
  resets_at?: number
  /** With 409 `order_exists`: the invoice that the order has. */
  invoice_id?: string
  /** With 410 `events_pruned`: the first event that is kept. */
  first_seq?: number
  /** Where the service shows what the code means and what to do. */
  doc_url?: string
}

// Invoices

/** `paid`, `underpaid` and `expired` are final. */
export type InvoiceStatus = 'pending' | 'detected' | 'paid' | 'underpaid' | 'expired'

/** A merchant's own statement about an invoice. The status stays what the chain shows. */
export type InvoiceMark = 'settled' | 'invalid'

/** POST /v1/invoices/:id/mark */
export interface MarkInvoiceRequest {
  as: InvoiceMark
}

/** A price in money, as it was given. */
export interface Price {
  /** Decimal string, above 0, at most 12 digits before and after the point. */
  amount: string
  /** ISO 4217 in any case, or `BTC`, `SATS`, `ZEC`. */
  currency: string
}

/** A price in a request. A number is taken as it is written in the JSON text. Decimal strings are safer in JavaScript. */
export interface PriceRequest {
  amount: string | number
  currency: string
}

/** The rate at which a price was converted. It stays with the invoice. */
export interface LockedRate {
  /** The currency of the rate: that of the price, or BTC for SATS. */
  currency: string
  /** The price of 1 ZEC. Decimal string. */
  price: string
  /** The names of the sources that agreed. */
  sources: string[]
  /** When the oldest of their prices was true, in Unix seconds. */
  fetched_at: number
  /** The fiat rate by which a price in USD was converted; absent for a price that the sources quote. */
  cross?: CrossRate
}

/** The optional terms of a sale, apart from its amount. They come back to the merchant. */
interface SaleTerms {
  /** The shop's own number of the order: 1 to 128 characters on one line. */
  order_id?: string
  /** The article, shown to the buyer: 1 to 200 characters on one line. */
  description?: string
  /** The buyer chooses the amount, as for a donation. */
  open_amount?: boolean
  /** With an open amount: the least that makes the invoice paid. Default 1. */
  min_amount_zat?: number
  /** How much may be missing for `paid`, in hundredths of a percent: 0 to 10,000. Default: the account's. */
  tolerance_bps?: number
  /** Blocks until a payment of this invoice counts, 0 to 100. Default: the account's. */
  confirmations?: number
  /** Where the checkout leads once the invoice is paid: https. `{invoice_id}` and `{order_id}` in it are filled in. */
  success_url?: string
  /** Where the checkout leads a buyer who does not pay. Filled in like `success_url`. */
  cancel_url?: string
  /** The checkout opens `success_url` by itself once the invoice is paid. */
  auto_redirect?: boolean
  /** The buyer's language, such as `de` or `pt-BR`. */
  locale?: string
  /**
   * Events of this invoice are sent here too, and signed with the secret of the account's webhook. Needs a scoped API key
   * and a webhook of the account.
   */
  webhook_url?: string
  /** The shop's own data: an object of at most 16 KiB, kept as the bytes given. Buyers never see it. */
  metadata?: Record<string, unknown>
}

/** POST /v1/invoices. Exactly one of `amount_zat`, `price` and `open_amount` gives the amount. */
export interface CreateInvoiceRequest extends SaleTerms {
  /** 1 to 2,100,000,000,000,000. */
  amount_zat?: number
  /** Converted at a fresh rate, rounded up to the zat, and kept. */
  price?: PriceRequest
  /** 60 to 86,400. Default 900. */
  expires_in_secs?: number
  /** Refuses a second open or paid invoice of the same `order_id`, with 409 `order_exists`. */
  unique_order?: boolean
  /** Asks for `checkout_url` in the response, also without other members of a sale. */
  checkout?: boolean
}

/** The order of an invoice. A member that the request did not give is left out. */
interface InvoiceOrder {
  order_id?: string
  description?: string
  price?: Price
}

/** The refunded amount of an invoice. */
interface Refunded {
  /** Sum of the refunds that are sent; absent without one. The status of the invoice stays. */
  refunded_zat?: number
}

/** Members of an invoice that only the merchant sees. A member without a value is left out. */
interface MerchantTerms extends Omit<SaleTerms, keyof InvoiceOrder> {
  /** The rate at which `price` was converted. */
  rate?: LockedRate
  /** When the merchant canceled it, in Unix seconds. */
  canceled_at?: number
  /** The mark that the merchant set, whatever the chain shows. */
  marked_as?: InvoiceMark
  /** When, in Unix seconds. */
  marked_at?: number
  /** The payment link that it was created from. */
  link_id?: string
}

/** The response of POST /v1/invoices. */
export interface CreatedInvoice extends InvoiceOrder, MerchantTerms {
  /** Also the access token for reading the invoice and starting a swap on it. */
  id: string
  address: string
  /** Of an invoice with an open amount: the amount received. */
  amount_zat: number
  zip321_uri: string
  status: InvoiceStatus
  expires_at: number
  /** The page where the buyer pays. Sent when the request has more than an amount and a time; see also `Link`. */
  checkout_url?: string
}

/**
 * The response of GET /v1/invoices/{id}. Only with the session token of its account it has `created_at`, `paid_at` and what
 * the merchant alone sees.
 */
export interface Invoice extends InvoiceOrder, Refunded, MerchantTerms {
  id: string
  status: InvoiceStatus
  /** Of an invoice with an open amount: the amount received. */
  amount_zat: number
  address: string
  zip321_uri: string
  expires_at: number
  /** Transaction id of the latest counted payment: 64 hex characters. */
  txid: string | null
  /** Sum of all current payments, including the mempool. */
  received_zat: number
  overpaid_zat: number
  created_at?: number
  paid_at?: number | null
  /** With `include=missing`: the rest to pay, while something is missing and late money still counts. */
  missing_zat?: number
  /** With `missing_zat`: its ZIP 321 payment request. */
  missing_uri?: string
  swap: Swap | null
}

/** The query of GET /v1/invoices/{id}. */
export interface ReadInvoiceQuery {
  /** `missing`: with the rest to pay. */
  include?: 'missing'
}

/** A row of GET /v1/invoices and GET /v1/account/invoices. */
export interface InvoiceListItem extends InvoiceOrder, Refunded, MerchantTerms {
  id: string
  status: InvoiceStatus
  amount_zat: number
  received_zat: number
  overpaid_zat: number
  address: string
  txid: string | null
  created_at: number
  expires_at: number
  paid_at: number | null
}

/** A message of GET /v1/invoices/{id}/ws. */
export interface InvoiceMessage {
  status: InvoiceStatus | 'not_found'
  /** Present only when a swap exists. */
  swap_status?: SwapStatus
  /**
   * While the status is `detected`: the confirmations that the payment has. With several payments, those of the first that
   * lacks some. Sent over the WebSocket only.
   */
  confirmations?: number
}

// Swaps

/** The statuses of the swap provider, unchanged. */
export type SwapStatus =
  | 'PENDING_DEPOSIT'
  | 'KNOWN_DEPOSIT_TX'
  | 'INCOMPLETE_DEPOSIT'
  | 'PROCESSING'
  | 'SUCCESS'
  | 'REFUNDED'
  | 'FAILED'

/** The swap in an Invoice. */
export interface Swap {
  status: SwapStatus
  symbol: string
  blockchain: string
  deposit_address: string
  /** Decimal string. */
  amount_in_formatted: string
  /** ISO 8601, UTC. */
  deadline: string
}

/** GET /v1/rates */
export interface RatesQuery {
  /** Separated by commas: ISO 4217, or BTC. Default: those of withdrawals. */
  currency?: string
}

/** The response of GET /v1/rates. */
export interface RateList {
  rates: Rate[]
}

/** The price of 1 ZEC in a currency. */
export interface Rate {
  currency: string
  /** Decimal string. */
  price: string
  /** When the oldest price of a source was true, in Unix seconds. */
  fetched_at: number
  /** The names of the sources that agree. */
  sources: string[]
  /** The fiat rate by which the price in USD was converted; absent for a price that the sources quote. */
  cross?: CrossRate
}

/** A fiat rate. */
export interface CrossRate {
  source: string
  /** Such as `USD/PLN`. */
  pair: string
  /** Decimal string. */
  price: string
}

/** A row of GET /v1/swap/assets. */
export interface Asset {
  asset_id: string
  symbol: string
  blockchain: string
  decimals: number
  price_usd: number
}

/** POST /v1/invoices/{id}/swap */
export interface StartSwapRequest {
  asset_id: string
  /** The buyer's refund address on the origin chain. */
  refund_to: string
}

/** The response of POST /v1/invoices/{id}/swap. */
export interface SwapQuote {
  swap_id: string
  deposit_address: string
  deposit_memo: string | null
  /** Integer string in the asset's smallest unit. */
  amount_in: string
  /** Decimal string. */
  amount_in_formatted: string
  /** Decimal string. */
  amount_in_usd: string
  symbol: string
  blockchain: string
  /** ISO 8601, UTC. */
  deadline: string
  /** Expected duration in seconds. */
  time_estimate: number
}

// Account

/** Query parameters of a list, which is ordered newest first. */
export interface PageQuery {
  /** 1 to 200. Default 50. */
  limit?: number
  /** The `id` of the last row of the previous page. */
  before?: string
}

/** The query of GET /v1/invoices and GET /v1/account/invoices. */
export interface InvoiceQuery extends PageQuery {
  /** Only invoices with this status, or with one of several, separated by commas. */
  status?: string
  /** Only invoices of this order. */
  order_id?: string
  /** Unix seconds, inclusive. */
  created_from?: number
  /** Unix seconds, exclusive. */
  created_to?: number
}

/** Invoices of the current month. */
export interface MonthlyUsage {
  used: number
  /** Null: no limit. */
  limit: number | null
  resets_at: number
}

/** The response of GET and PATCH /v1/account. */
export interface Account {
  id: string
  email: string
  network: 'main' | 'test' | 'regtest'
  viewing_key_set: boolean
  /** Blocks until a payment counts; 0 counts mempool payments. A block takes about 75 seconds, since NU7 about 25. */
  confirmations: number
  /** How much of an amount may be missing for `paid`, in hundredths of a percent. */
  tolerance_bps: number
  plan: string
  /** Null: the plan does not expire. */
  plan_expires_at: number | null
  invoices_this_month: MonthlyUsage
  created_at: number
}

/** PATCH /v1/account */
export interface UpdateAccountRequest {
  /** 0 to 100. */
  confirmations?: number
  /** 0 to 10,000. */
  tolerance_bps?: number
}

/** How the store of an account appears to its buyers, and the defaults of its invoices. Null: the service's default. */
export interface Store {
  name: string | null
  /** `#rrggbb`. */
  accent: string | null
  /** An https URL or an email address. */
  support: string | null
  /** An https URL. */
  website: string | null
  locale: 'en' | 'es' | 'de' | 'fr' | 'pt' | 'it' | 'nl' | 'ja' | 'zh' | 'ko' | 'ru' | 'tr' | 'ar' | null
  /** In forms for new prices: ISO 4217, BTC, SATS or ZEC. */
  currency: string | null
  /** Seconds until an invoice expires whose request gives no time: 60 to 86,400. */
  expires_in_secs: number | null
  /** `return`: invoices with a `success_url` have `auto_redirect`, unless their request says otherwise. */
  after_payment: 'stay' | 'return' | null
  /** The sites that may show the checkout in a frame, 1 to 10. Null: any site. */
  frame_origins: readonly string[] | null
  /** A PNG. Null: the store has no logo. */
  logo_url: string | null
}

/** PATCH /v1/account/store. Members that are absent stay; null clears one. */
export type UpdateStoreRequest = Partial<Omit<Store, 'logo_url'>>

/** PUT /v1/account/viewing-key */
export interface SetViewingKeyRequest {
  viewing_key: string
}

/** The response of PUT /v1/account/viewing-key. */
export interface AccountWithFirstAddress extends Account {
  /** The first address of the key, to compare with the wallet. */
  first_address: string
}

/** A permission of BTCPay's Greenfield API, for the key of a shop plugin. */
export type PluginPermission =
  | 'btcpay.store.canviewinvoices'
  | 'btcpay.store.cancreateinvoice'
  | 'btcpay.store.canmodifyinvoices'
  | 'btcpay.store.canviewstoresettings'
  | 'btcpay.store.webhooks.canmodifywebhooks'
  | 'btcpay.store.canmodifystoresettings'
  | 'btcpay.store.cancreatenonapprovedpullpayments'
  | 'btcpay.store.cancreatepullpayments'
  | 'btcpay.store.canviewpullpayments'
  | 'btcpay.store.canarchivepullpayments'
  | 'btcpay.store.canmanagepullpayments'

/** A right of a scoped API key. */
export type Scope =
  | PluginPermission
  | 'invoices:create'
  | 'invoices:read'
  | 'invoices:write'
  | 'events:read'
  | 'webhooks:write'
  | 'refunds:write'
  | 'links:read'
  | 'links:write'
  | 'withdrawals:read'

/** A row of GET /v1/account/api-keys. */
export interface ApiKey {
  id: string
  name: string
  last4: string
  /** The rights of a scoped key. */
  scopes?: Scope[]
  /** When a scoped key ends, in Unix seconds. Null: never. */
  expires_at?: number | null
  /** The CIDR blocks from which a scoped key may be used. Null: any address. */
  addresses?: string[] | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

/** POST /v1/account/api-keys */
export interface CreateApiKeyRequest {
  name: string
  /** The rights of the key. Default: create invoices, and nothing else. */
  scopes?: Scope[]
  /** When a scoped key ends, in Unix seconds. Default null: never. */
  expires_at?: number | null
  /** Where a scoped key may be used: 1 to 20 IPv4 or IPv6 addresses or CIDR blocks. Default null: anywhere. */
  addresses?: string[] | null
}

/** The response of POST /v1/account/api-keys. */
export interface CreatedApiKey extends ApiKey {
  /** Returned only in this response. */
  key: string
}

/** A row of GET /v1/account/sessions: a sign-in, or a token created for a script. */
export interface Session {
  id: string
  label: string
  created_at: number
  expires_at: number
  last_used_at: number | null
}

/** GET /v1/account/export and /v1/account/refunds/export. `from` and `to` are in Unix seconds; `to` is exclusive. */
export interface ExportQuery {
  /** `csv_semicolon` has semicolons and decimal commas, for spreadsheets of languages that write them. */
  format: 'csv' | 'csv_semicolon' | 'json'
  from?: number
  to?: number
}

// Webhook settings

/** The response of GET and PUT /v1/account/webhook. */
export interface Webhook {
  url: string
  created_at: number
  updated_at: number
}

/** PUT /v1/account/webhook */
export interface SetWebhookRequest {
  /** Absolute https URL, at most 2,048 characters, without credentials or fragment. */
  url: string
}

/** The response of PUT /v1/account/webhook. */
export interface WebhookWithSecret extends Webhook {
  /** Returned only when this call created the webhook. */
  secret?: string
}

/** The response of POST /v1/account/webhook/rotate-secret. */
export interface RotatedSecret {
  /** Returned only in this response. */
  secret: string
}

/** The response of POST /v1/account/webhook/test and of POST /v1/account/webhook/deliveries/{delivery_id}/resend. */
export interface DeliveryAccepted {
  delivery_id: string
}

/** GET /v1/account/webhook/deliveries */
export interface DeliveryQuery extends PageQuery {
  invoice_id?: string
}

/** A row of GET /v1/account/webhook/deliveries: one attempt. */
export interface DeliveryAttempt {
  id: string
  /** The same for every attempt of a delivery. The account's webhook gets it as the header `webhook-id`. */
  delivery_id: string
  /** The endpoint that it was sent to. Absent: the webhook of the account. */
  endpoint_id?: string
  invoice_id: string | null
  event_type: WebhookEvent['type']
  url: string
  /** HTTP status; null without a response. */
  status_code: number | null
  /** Null when the attempt succeeded. */
  error: string | null
  /** 1 to 4; more for an endpoint with the schedule `persistent`. */
  attempt: number
  /** Milliseconds; null while the attempt is in progress. */
  duration_ms: number | null
  created_at: number
}

// Plans, billing, withdrawals

/** A row of GET /v1/plans. */
export interface Plan {
  name: string
  /** Null: no limit. */
  monthly_invoice_limit: number | null
  price_zat: number
  period_days: number
}

/** The response of GET /v1/account/billing. */
export interface Billing {
  plan: string
  /** Null: the plan does not expire. */
  expires_at: number | null
  invoices_this_month: MonthlyUsage
}

/** POST /v1/account/billing/subscribe; the response is a CreatedInvoice that pays for one period. */
export interface SubscribeRequest {
  plan: string
}

/** The status of a withdrawal. */
export type WithdrawalStatus =
  | 'awaiting_deposit'
  | 'deposit_detected'
  | 'payout_processing'
  | 'completed'
  | 'canceled'
  | 'expired'
  | 'failed'
  | 'needs_attention'

/** POST /v1/account/withdrawals */
export interface CreateWithdrawalRequest {
  amount_zat: number
  /** Currency code. */
  fiat_currency: string
  payout_to: string
}

/** A withdrawal: the merchant's wallet pays to `deposit_address`, the operator pays out to `payout_to`. */
export interface Withdrawal {
  id: string
  status: WithdrawalStatus
  amount_zat: number
  fiat_currency: string
  /** Decimal string. */
  fiat_amount: string
  /** Decimal string: units of `fiat_currency` per ZEC. */
  rate: string
  /** Masked: only the first two and the last four characters are shown. */
  payout_to: string
  deposit_address: string
  zip321_uri: string
  /** The rate is valid until then. A deposit must be seen by then and mined at most ten block spacings later. */
  expires_at: number
  /** Sum of all current payments to the deposit address, including the mempool. */
  received_zat: number
  /** The latest deposit's transaction. */
  txid: string | null
  /** Payment reference of the payout; null until completed. */
  reference: string | null
  /** The reason why it failed or needs attention. */
  reason: string | null
  created_at: number
  updated_at: number
}

// Refunds

/** `awaiting_address`: the buyer gives one. `ready`: it has an address. `sent` and `canceled` are final. */
export type RefundStatus = 'awaiting_address' | 'ready' | 'sent' | 'canceled'

/** POST /v1/account/invoices/{id}/refunds. Without an amount: all that is left. */
export interface CreateRefundRequest {
  amount_zat?: number
  /** In place of `amount_zat`: converted once, now. */
  price?: PriceRequest
  /** A unified address with a shielded receiver. Without one, `refund_url` asks the buyer. */
  address?: string
  /** For yourself: 1 to 200 characters on one line. */
  reason?: string
}

/** A refund: an order that your own wallet pays. */
export interface Refund {
  id: string
  invoice_id: string
  status: RefundStatus
  amount_zat: number
  price?: Price
  rate?: LockedRate
  reason?: string
  /** Null until it is known. Once you have read one that the buyer gave, the buyer cannot change it. */
  address: string | null
  /** The page where the buyer gives an address; only while it is awaited, and not for a key that only reads. */
  refund_url?: string
  /** ZIP 321 payment request; only while it is `ready`. */
  zip321_uri?: string
  /** The transaction that paid it, as you named it. */
  txid: string | null
  created_at: number
  updated_at: number
}

/** A row of GET /v1/account/refunds/export with `format=json`. */
export interface ExportedRefund extends Omit<Refund, 'address' | 'refund_url' | 'zip321_uri'> {
  order_id?: string
}

/** The response of GET /v1/account/invoices/{id}/refunds. */
export interface InvoiceRefunds {
  /** The amount that can still be refunded: confirmed payments less all refunds that are not canceled. */
  left_zat: number
  /** Newest first, at most 200. */
  refunds: Refund[]
}

/** GET /v1/account/refunds */
export interface RefundQuery extends PageQuery {
  status?: RefundStatus
}

/** POST /v1/account/refunds/{id}/sent */
export interface RefundSentRequest {
  /** 64 hex characters. */
  txid: string
}

/** POST /v1/account/refunds/payment-request */
export interface RefundPaymentRequest {
  /** 1 to 50 refunds that are `ready`. */
  ids: string[]
}

/** One ZIP 321 payment request for several refunds. */
export interface RefundPayment {
  zip321_uri: string
  /** The sum. */
  amount_zat: number
}

/** A refund as its buyer sees it: GET /v1/refunds/{link}. The secret in the link is the credential. */
export interface BuyerRefund {
  status: RefundStatus
  amount_zat: number
  price?: Price
  order_id?: string
  description?: string
  address: string | null
  /** Whether the address can be given or changed. */
  can_change: boolean
}

/** PUT /v1/refunds/{link}/address */
export interface GiveAddressRequest {
  /** A unified address with a shielded receiver. */
  address: string
}

// Webhook events

/** The swap in an event; the field is null when the buyer paid in ZEC. */
export interface SwapInEvent {
  /** Asset identifier. */
  asset: string
  blockchain: string
  /** Decimal string. */
  amount_in_formatted: string
  status: SwapStatus
}

interface InvoiceEventFields extends InvoiceOrder, Refunded, MerchantTerms {
  /** Receivers deduplicate by this field and `type`. */
  invoice_id: string
  status: InvoiceStatus
  amount_zat: number
  received_zat: number
  overpaid_zat: number
  txid: string | null
  swap: SwapInEvent | null
}

/** The invoice is paid. */
export interface InvoicePaidEvent extends InvoiceEventFields {
  type: 'invoice.paid'
}

/** The invoice expired with a payment below its amount. */
export interface InvoiceUnderpaidEvent extends InvoiceEventFields {
  type: 'invoice.underpaid'
}

/** The invoice stays pending. */
export interface SwapRefundedEvent extends InvoiceEventFields {
  type: 'swap.refunded'
}

/** The invoice stays pending. */
export interface SwapFailedEvent extends InvoiceEventFields {
  type: 'swap.failed'
}

/** The buyer deposited less than the quoted amount; the invoice stays pending. */
export interface SwapIncompleteDepositEvent extends InvoiceEventFields {
  type: 'swap.incomplete_deposit'
}

/** Progress of an invoice or its swap, which the account's webhook does not get: for the feed and further endpoints. */
export interface InvoiceProgressEvent extends InvoiceEventFields {
  type:
    | 'invoice.created'
    | 'invoice.payment_received'
    | 'invoice.detected'
    | 'invoice.part_paid'
    | 'invoice.expired'
    | 'invoice.canceled'
    | 'invoice.marked'
    | 'invoice.late_payment'
    | 'invoice.overpaid'
    | 'invoice.reorged'
    | 'swap.updated'
}

/** The status of a withdrawal changed. */
export interface WithdrawalUpdatedEvent {
  type: 'withdrawal.updated'
  invoice_id: null
  withdrawal_id: string
  status: WithdrawalStatus
  amount_zat: number
  fiat_currency: string
  /** Decimal string. */
  fiat_amount: string
}

/** A refund was created, has an address, is sent or canceled. */
export interface RefundUpdatedEvent {
  type: 'refund.updated'
  invoice_id: string
  refund_id: string
  status: RefundStatus
  amount_zat: number
  txid: string | null
  price?: Price
  order_id?: string
}

/** The plan of the account changed. */
export interface PlanUpdatedEvent {
  type: 'plan.updated'
  invoice_id: null
  plan: string
  /** For the plan Free, the time it began. For another plan that does not expire, 253402300799. */
  expires_at: number
}

/** Sent by POST /v1/account/webhook/test. */
export interface TestEvent {
  type: 'test'
  invoice_id: null
}

/** A field that the buyer fills in on the page of a payment link. */
export interface PaymentLinkField {
  /** 1 to 60 characters. */
  label: string
  required: boolean
}

interface PaymentLinkTerms {
  /** The name of what is sold, 1 to 200 characters. Buyers see it. */
  title: string
  /** 1 to 1,000 characters. Buyers see it. */
  description: string | null
  /** ISO 4217, BTC, SATS or ZEC. */
  currency: string
  /** Decimal in `currency`. Null: the buyer chooses it, as for a donation. */
  amount: string | null
  /** The least that a buyer may choose. */
  min_amount: string | null
  /** Up to four amounts, shown as buttons where the buyer chooses. */
  suggested_amounts: readonly string[]
  /** How many are sold at most. Null: no limit. */
  stock: number | null
  /** When it ends, in Unix seconds. Null: never. */
  ends_at: number | null
  /** Up to five fields that the buyer fills in. The answers are `fields` in the metadata of the invoice. */
  fields: readonly PaymentLinkField[]
  /** Where the checkout leads once the invoice is paid: https. */
  success_url: string | null
}

/** A reusable page from which buyers create invoices. */
export interface PaymentLink extends PaymentLinkTerms {
  id: string
  /** The page for buyers. */
  url: string
  /** A paused link sells nothing. */
  paused: boolean
  /** How many of its invoices are paid. */
  paid_invoices: number
  /** The sum that its paid invoices received. */
  paid_zat: number
  created_at: number
  updated_at: number
}

/** POST /v1/links */
export interface CreatePaymentLinkRequest
  extends Pick<PaymentLinkTerms, 'title' | 'currency'>,
    Partial<Omit<PaymentLinkTerms, 'title' | 'currency'>> {}

/** PATCH /v1/links/{id}. Members that are left out stay. */
export interface ChangePaymentLinkRequest extends Partial<PaymentLinkTerms> {
  paused?: boolean
}

/** `standard`: again after 10, 60 and 300 s. `persistent`: also after 30 minutes, then hourly for three days. */
export type EndpointSchedule = 'standard' | 'persistent'

/** Where events are sent beside the webhook of the account. */
export interface Endpoint {
  id: string
  url: string
  /** Null: all types but `test`. */
  types: WebhookEvent['type'][] | null
  schedule: EndpointSchedule
  /** `btcpay`: a shop plugin added it, and gets the events as BTCPay sends them. Absent for all others. */
  format?: 'btcpay'
  enabled: boolean
  /** Since when all attempts have failed; null: the last one succeeded, or there was none. */
  failing_since: number | null
  /** When it was paused after three days of failures. */
  paused_at: number | null
  created_at: number
  updated_at: number
}

/** The response of creation, with the secret, shown once. */
export interface EndpointWithSecret extends Endpoint {
  secret: string
}

/** POST /v1/account/endpoints */
export interface CreateEndpointRequest {
  /** Absolute https URL. */
  url: string
  /** Default null: all types but `test`. */
  types?: WebhookEvent['type'][] | null
  /** Default `standard`. */
  schedule?: EndpointSchedule
  /** Default true. */
  enabled?: boolean
  /** 16 to 256 printable ASCII characters. Default: a generated one. */
  secret?: string
}

/** PATCH /v1/account/endpoints/{id} */
export interface ChangeEndpointRequest {
  url?: string
  types?: WebhookEvent['type'][] | null
  schedule?: EndpointSchedule
  /** True also ends a pause. Events from then on are sent; earlier ones with `recover`. */
  enabled?: boolean
}

/** POST /v1/account/endpoints/{id}/rotate-secret */
export interface RotateEndpointSecretRequest {
  /** 16 to 256 printable ASCII characters. Default: a generated one. */
  secret?: string
}

/** POST /v1/account/endpoints/{id}/recover */
export interface RecoverEndpointRequest {
  /** Unix seconds, at most 30 days ago. */
  since: number
}

/** Sending begins. */
export interface EndpointRecovery {
  /** The number of the first event since then; null: there is none. */
  first_seq: number | null
}

/** GET /v1/account/events */
export interface EventQuery {
  /** The `seq` of the last event that was read. Default: from the oldest that is kept. */
  after?: number
  /** Types separated by commas. Default: all. */
  types?: string
  /** 1 to 200. Default 50. */
  limit?: number
  /** Seconds to wait for the first event, 0 to 30. Default 0. */
  wait?: number
}

/** An event of the feed. */
export interface FeedEvent {
  /** Counts the events of the account in the order in which they happened. A restored service leaves a gap. */
  seq: number
  id: string
  type: WebhookEvent['type']
  created_at: number
  /** Exactly the bytes that a webhook gets. */
  body: WebhookEvent
}

/** The body of an event, discriminated by `type`. */
export type WebhookEvent =
  | InvoicePaidEvent
  | InvoiceProgressEvent
  | InvoiceUnderpaidEvent
  | SwapRefundedEvent
  | SwapFailedEvent
  | SwapIncompleteDepositEvent
  | WithdrawalUpdatedEvent
  | RefundUpdatedEvent
  | PlanUpdatedEvent
  | TestEvent
