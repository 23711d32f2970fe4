/**
 * What goes over the wire, as plain types: the body of every request and answer, of every webhook event and of every
 * WebSocket message. The server compiles against this file, so the two cannot drift apart.
 *
 * Amounts are whole zat: at most 2,100,000,000,000,000, which a JavaScript number holds exactly. Times are Unix
 * seconds unless a field says otherwise. Ids are UUIDs.
 */

/** The body of every answer that is not 2xx. */
export interface ErrorBody {
  /** Stable, snake_case: what a program looks at. */
  code: string
  /** For people. */
  message: string
  /** What would be right, where more can be said. */
  detail?: string
  /** With 402: the plan's monthly limit … */
  limit?: number
  /** … how much of it is used … */
  used?: number
  /** … and the plan's name. */
  plan?: string
}

// Invoices

export type InvoiceStatus = 'pending' | 'detected' | 'paid' | 'underpaid' | 'expired'

/** POST /v1/invoices */
export interface CreateInvoiceRequest {
  /** 1 to 2,100,000,000,000,000. */
  amount_zat: number
  /** 60 to 86,400; 900 when left out. */
  expires_in_secs?: number
}

/** The answer of POST /v1/invoices. */
export interface CreatedInvoice {
  /** Also the access token for reading the invoice and starting a swap on it. */
  id: string
  address: string
  amount_zat: number
  zip321_uri: string
  status: InvoiceStatus
  expires_at: number
}

/** The answer of GET /v1/invoices/{id}. */
export interface Invoice {
  id: string
  status: InvoiceStatus
  amount_zat: number
  address: string
  zip321_uri: string
  expires_at: number
  /** The latest counted payment's; 64 hex characters. */
  txid: string | null
  /** Every live payment, mempool included. */
  received_zat: number
  overpaid_zat: number
  swap: Swap | null
}

/** A row of GET /v1/account/invoices. */
export interface InvoiceListItem {
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
  /** Only when a swap exists. */
  swap_status?: SwapStatus
}

// Swaps

/** The swap provider's own words. */
export type SwapStatus =
  | 'PENDING_DEPOSIT'
  | 'KNOWN_DEPOSIT_TX'
  | 'INCOMPLETE_DEPOSIT'
  | 'PROCESSING'
  | 'SUCCESS'
  | 'REFUNDED'
  | 'FAILED'

/** The swap of an invoice, as reading the invoice shows it. */
export interface Swap {
  status: SwapStatus
  symbol: string
  blockchain: string
  deposit_address: string
  /** Decimal. */
  amount_in_formatted: string
  /** ISO 8601, UTC. */
  deadline: string
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

/** The answer of POST /v1/invoices/{id}/swap. */
export interface SwapQuote {
  swap_id: string
  deposit_address: string
  deposit_memo: string | null
  /** A whole number of the asset's smallest unit. */
  amount_in: string
  /** Decimal. */
  amount_in_formatted: string
  /** Decimal. */
  amount_in_usd: string
  symbol: string
  blockchain: string
  /** ISO 8601, UTC. */
  deadline: string
  /** Seconds. */
  time_estimate: number
}

// Account

/** Lists are newest first. */
export interface PageQuery {
  /** 1 to 200; 50 when left out. */
  limit?: number
  /** The `id` of the last row of the page before. */
  before?: string
}

export interface MonthlyUsage {
  used: number
  /** Null: no limit. */
  limit: number | null
  resets_at: number
}

/** The answer of GET and PATCH /v1/account. */
export interface Account {
  id: string
  email: string
  network: 'main' | 'test' | 'regtest'
  viewing_key_set: boolean
  /** Blocks that make a payment count; 0 counts the mempool. A block comes about every 75 seconds, from NU7 on every 25. */
  confirmations: number
  plan: string
  /** Null: for ever. */
  plan_expires_at: number | null
  invoices_this_month: MonthlyUsage
  created_at: number
}

/** PATCH /v1/account */
export interface UpdateAccountRequest {
  /** 0 to 100. */
  confirmations: number
}

/** PUT /v1/account/viewing-key */
export interface SetViewingKeyRequest {
  viewing_key: string
}

/** The answer of PUT /v1/account/viewing-key. */
export interface AccountWithFirstAddress extends Account {
  /** To compare with the wallet. */
  first_address: string
}

/** A row of GET /v1/account/api-keys. */
export interface ApiKey {
  id: string
  name: string
  last4: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

/** POST /v1/account/api-keys */
export interface CreateApiKeyRequest {
  name: string
}

/** The answer of POST /v1/account/api-keys. */
export interface CreatedApiKey extends ApiKey {
  /** Shown this once. */
  key: string
}

/** A row of GET /v1/account/sessions: a sign-in, or a token issued for a script. */
export interface Session {
  id: string
  label: string
  created_at: number
  expires_at: number
  last_used_at: number | null
}

/** GET /v1/account/export. `from` is inclusive, `to` exclusive. */
export interface ExportQuery {
  format: 'csv' | 'json'
  from?: number
  to?: number
}

// Webhook settings

/** The answer of GET and PUT /v1/account/webhook. */
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

/** The answer of PUT /v1/account/webhook. */
export interface SetWebhookResponse extends Webhook {
  /** Shown once: only when this call made the webhook. */
  secret?: string
}

/** The answer of POST /v1/account/webhook/rotate-secret. */
export interface RotatedSecret {
  /** Shown this once. */
  secret: string
}

/** The answer of POST /v1/account/webhook/test and of POST /v1/account/webhook/deliveries/{delivery_id}/resend. */
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
  /** The same for every attempt of a delivery, and its `webhook-id` header. */
  delivery_id: string
  invoice_id: string | null
  event_type: WebhookEvent['type']
  url: string
  /** Null when no answer came. */
  status_code: number | null
  /** Null when the attempt succeeded. */
  error: string | null
  /** 1 to 4. */
  attempt: number
  /** Milliseconds; null while the attempt is under way. */
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

/** The answer of GET /v1/account/billing. */
export interface Billing {
  plan: string
  /** Null: for ever. */
  expires_at: number | null
  invoices_this_month: MonthlyUsage
}

/** POST /v1/account/billing/subscribe; the answer is a CreatedInvoice that buys one period. */
export interface SubscribeRequest {
  plan: string
}

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

/** An order to pay out: the merchant's wallet pays `deposit_address`, the desk pays `payout_to`. */
export interface Withdrawal {
  id: string
  status: WithdrawalStatus
  amount_zat: number
  fiat_currency: string
  /** Decimal. */
  fiat_amount: string
  /** Decimal: units of `fiat_currency` for one whole coin. */
  rate: string
  /** Masked: its first two and last four characters. */
  payout_to: string
  deposit_address: string
  zip321_uri: string
  /** Until then the rate holds and a deposit is in time. It must be mined at most ten block spacings later. */
  expires_at: number
  /** What the chain shows at the deposit address, mempool included. */
  received_zat: number
  /** The latest deposit's transaction. */
  txid: string | null
  /** Proof of the payout, once completed. */
  reference: string | null
  /** Why it failed, or why it needs attention. */
  reason: string | null
  created_at: number
  updated_at: number
}

// Webhook events

/** The swap an event tells of; null when the buyer paid in the base coin. */
export interface SwapInEvent {
  /** Asset identifier. */
  asset: string
  blockchain: string
  /** Decimal. */
  amount_in_formatted: string
  status: SwapStatus
}

interface InvoiceEventFields {
  /** What receivers deduplicate by. */
  invoice_id: string
  status: InvoiceStatus
  amount_zat: number
  received_zat: number
  overpaid_zat: number
  txid: string | null
  swap: SwapInEvent | null
}

export interface InvoicePaidEvent extends InvoiceEventFields {
  type: 'invoice.paid'
}

/** The invoice expired with a payment that is too small. */
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

export interface WithdrawalUpdatedEvent {
  type: 'withdrawal.updated'
  invoice_id: null
  withdrawal_id: string
  status: WithdrawalStatus
  amount_zat: number
  fiat_currency: string
  /** Decimal. */
  fiat_amount: string
}

export interface PlanUpdatedEvent {
  type: 'plan.updated'
  invoice_id: null
  plan: string
  /** Unix seconds. For Free the moment it began, for another plan without end 253402300799. */
  expires_at: number
}

export interface TestEvent {
  type: 'test'
  invoice_id: null
}

/** The body of a webhook delivery; `type` tells which. */
export type WebhookEvent =
  | InvoicePaidEvent
  | InvoiceUnderpaidEvent
  | SwapRefundedEvent
  | SwapFailedEvent
  | SwapIncompleteDepositEvent
  | WithdrawalUpdatedEvent
  | PlanUpdatedEvent
  | TestEvent
