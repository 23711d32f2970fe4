import type { Generated, Kysely } from 'kysely'
import type { Network } from '../domain/account.ts'
import type { ChainProblemName } from '../domain/chain-problem.ts'
import type { DeliveryState } from '../domain/delivery.ts'
import type { EventType } from '../domain/event.ts'
import type { InvoiceStatus, Place } from '../domain/invoice.ts'
import type { Pool } from '../domain/shielded-pool.ts'
import type { CodePurpose } from '../domain/sign-in.ts'
import type { SwapStatus } from '../domain/swap.ts'
import type { ClosedBy, WithdrawalStatus } from '../domain/withdrawal.ts'
import type { PurchaseStatus } from '../ports/repository/billing.ts'
import type { InvoicePurpose } from '../ports/repository/invoice.ts'
import type { NewAttentionMail, NewMail } from '../ports/repository/mail.ts'

/** A 64-bit integer. Always read as a bigint; written as either. */
export type Int = bigint | number

/** An auto-incremented primary key. */
export type Id = Generated<Int>

/** The tables as Kysely types them. Their definitions are in `migrations/`. */
export interface Tables {
  accounts: AccountsTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  monthly_usage: MonthlyUsageTable
  viewing_keys: ViewingKeysTable
  database_origin: DatabaseOriginTable
  invoices: InvoicesTable
  payments: PaymentsTable
  idempotency_keys: IdempotencyKeysTable
  headers: HeadersTable
  counters: CountersTable
  rewinds: RewindsTable
  chain_problems: ChainProblemsTable
  events: EventsTable
  sign_in_codes: SignInCodesTable
  fresh_sessions: FreshSessionsTable
  mails: MailsTable
  attention_mails: AttentionMailsTable
  account_viewing_keys: AccountViewingKeysTable
  plan_purchases: PlanPurchasesTable
  plan_announcements: PlanAnnouncementsTable
  withdrawals: WithdrawalsTable
  swaps: SwapsTable
  swap_starts: SwapStartsTable
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
}

export type Db = Kysely<Tables>

export interface AccountsTable {
  id: Id
  public_id: string
  email: string
  network: Network
  confirmations: Int
  plan: string
  plan_expires_at: Int | null
  viewing_key_id: Int | null
  viewing_key_expires_at: Generated<Int | null>
  viewing_key_expiry_height: Generated<Int | null>
  created_at: Int
}

export interface ApiKeysTable {
  id: Id
  public_id: string
  account_id: Int
  name: string
  last4: string
  hash: Uint8Array
  created_at: Int
  last_used_at: Int | null
  revoked_at: Int | null
}

export interface SessionsTable {
  id: Id
  public_id: string
  account_id: Int
  label: string
  hash: Uint8Array
  created_at: Int
  expires_at: Int
  last_used_at: Int | null
  ended_at: Int | null
}

export interface MonthlyUsageTable {
  account_id: Int
  month: string
  used: Int
}

export interface ViewingKeysTable {
  id: Id
  fingerprint: Uint8Array
  network: Network
  sealed: Uint8Array
  next_index: Int
  watch_until: Generated<Int>
  created_at: Int
}

export interface DatabaseOriginTable {
  id: Int
  identity: string
}

export interface InvoicesTable {
  id: Id
  public_id: string
  account_id: Int
  viewing_key_id: Int
  diversifier_index: Int
  purpose: InvoicePurpose
  address: string
  amount_zat: Int
  confirmations: Int
  status: InvoiceStatus
  received_zat: Int
  overpaid_zat: Int
  txid: string | null
  created_at: Int
  expires_at: Int
  watch_until: Int
  paid_at: Int | null
  swap_under_way: Generated<Int>
  swap_id: Generated<Int | null>
  needs_attention: Generated<Int>
  created_height: Generated<Int | null>
  open_until_height: Generated<Int | null>
  underpaid_at: Generated<Int | null>
  attention_since: Generated<Int | null>
}

export interface PaymentsTable {
  id: Id
  invoice_id: Int
  txid: string
  pool: Pool
  output_index: Int
  value_zat: Int
  place: Place['at']
  height: Int | null
  expiry_height: Int | null
  seen_at: Int
  in_snapshot: Generated<Int>
  missing_since: Generated<Int | null>
  missing_height: Generated<Int | null>
  last_seen_height: Generated<Int | null>
}

export interface IdempotencyKeysTable {
  account_id: Int
  key: string
  body_hash: Uint8Array
  invoice_public_id: string
  created_at: Int
}

export interface HeadersTable {
  height: Int
  hash: string
  prev_hash: string
  time: Int
  sapling_size: Int
  orchard_size: Int
  ironwood_size: Int
}

export interface CountersTable {
  name: 'event_seq' | 'seen_through' | 'sign_in_lock' | 'chain_lock'
  value: Int
}

export interface RewindsTable {
  id: Id
  to_height: Int
  newest_invoice_id: Int
}

export interface ChainProblemsTable {
  problem: ChainProblemName
  detail: string | null
  since: Int
}

export interface EventsTable {
  seq: Int
  account_id: Int
  invoice_id: Int | null
  type: EventType | null
  body: string | null
  created_at: Int
}

export interface SwapsTable {
  id: Id
  public_id: string
  invoice_id: Int
  asset_id: string
  symbol: string
  blockchain: string
  decimals: Int
  refund_to: string
  deposit_address: string
  deposit_memo: string | null
  amount_in: string
  min_amount_in: string
  amount_in_usd: string
  time_estimate: Int
  deadline: Int
  quote_deadline: Int
  quote_raw: string
  created_at: Int
  replaced_at: Int | null
  status: Generated<SwapStatus>
  word: Generated<string>
  updated_at_ms: Generated<Int>
  status_raw: string | null
  heard_at: Int | null
  deposit_seen_at: Int | null
  success_at: Int | null
  told: Generated<string>
  failures: Generated<Int>
  holds: Generated<Int>
  needs_attention: Generated<Int>
  next_look_at_ms: Int | null
  deposit_key: string | null
}

export interface SwapStartsTable {
  id: Id
  invoice_id: Int
  at: Int
}

export interface WebhooksTable {
  account_id: Int
  url: string
  secret: Uint8Array
  due_at_ms: Int | null
  created_at: Int
  updated_at: Int
}

export interface DeliveriesTable {
  id: Id
  public_id: string
  account_id: Int
  invoice_id: Int | null
  event_type: EventType
  body: string
  state: DeliveryState
  attempts: Int
  due_at_ms: Int | null
  created_at: Int
}

export interface DeliveryAttemptsTable {
  id: Id
  public_id: string
  delivery_id: Int
  account_id: Int
  invoice_id: Int | null
  url: string
  attempt: Int
  status_code: Int | null
  error: string | null
  duration_ms: Int | null
  answer: string | null
  created_at: Int
}

export interface SignInCodesTable {
  id: Id
  purpose: CodePurpose
  email: string
  browser_hash: Uint8Array
  client_hash: Uint8Array
  code_hash: Uint8Array | null
  tries: Generated<Int>
  created_at: Int
  expires_at: Int
  used_at: Int | null
}

export interface FreshSessionsTable {
  session_id: Int
  until: Int
}

export interface MailsTable {
  id: Id
  recipient: string
  about: (NewMail | NewAttentionMail)['about']
  code_id: Int | null
  detail: string | null
  created_at: Int
  due_at: Int
  tries: Generated<Int>
  account_id: Generated<Int | null>
}

export interface AttentionMailsTable {
  account_id: Int
  changes: Int
  last_sent_at: Generated<Int | null>
}

export interface PlanPurchasesTable {
  invoice_id: Int
  account_id: Int
  plan: string
  price_zat: Int
  period_days: Int
  status: PurchaseStatus
  settled_at: Int | null
  runs_until: Int | null
  created_at: Int
}

export interface PlanAnnouncementsTable {
  account_id: Int
  plan_expires_at: Int
}

export interface WithdrawalsTable {
  invoice_id: Int
  public_id: string
  account_id: Int
  status: WithdrawalStatus
  amount_zat: Int
  received_zat: Int
  closed_at_zat: Int | null
  fiat_currency: string
  fiat_amount: string
  rate: string
  payout_to: Uint8Array
  payout_due_at: Int | null
  paying_provider: string | null
  paying_since: Int | null
  closed_by: ClosedBy | null
  reference: string | null
  reason: string | null
  created_at: Int
  updated_at: Int
}

export interface AccountViewingKeysTable {
  account_id: Int
  viewing_key_id: Int
}
