import type { Generated, Kysely } from 'kysely'
import type { Network } from '../domain/account/account.ts'
import type { Actor, AuditKind } from '../domain/account/audit.ts'
import type { SharedBudget } from '../domain/account/code-budget.ts'
import type { SessionOrigin } from '../domain/account/session.ts'
import type { CodePurpose } from '../domain/account/sign-in.ts'
import type { STORE_FIELDS } from '../domain/account/store-profile.ts'
import type { ChainProblemName } from '../domain/chain/chain-problem.ts'
import type { ShieldedPool } from '../domain/chain/shielded-pool.ts'
import type { Fields, ValueOf } from '../domain/field.ts'
import type { DeliveryState } from '../domain/notify/delivery-schedule.ts'
import type { Dialect } from '../domain/notify/dialect.ts'
import type { Schedule } from '../domain/notify/endpoint.ts'
import type { EventType } from '../domain/notify/event.ts'
import type { WithdrawalStatus } from '../domain/payout/withdrawal.ts'
import type { INVOICE_FIELDS } from '../domain/sale/invoice.ts'
import type { PaymentLocation } from '../domain/sale/payment.ts'
import type { LinkSource } from '../domain/sale/payment-link.ts'
import type { LINK_FIELDS } from '../domain/sale/payment-link-fields.ts'
import type { REFUND_FIELDS } from '../domain/sale/refund.ts'
import type { SwapStatus } from '../domain/sale/swap.ts'
import type { SetAsideKind } from '../domain/set-aside.ts'
import type { PurchaseStatus } from '../ports/repository/account/billing.ts'
import type { ClaimedMail, MailQueue } from '../ports/repository/notify/mail.ts'

/** A 64-bit integer. Always read as a bigint; written as either. */
export type Int64 = bigint | number

/** An auto-incremented primary key. */
export type AutoId = Generated<Int64>

/** The columns of a table of fields. */
type TableOf<T extends Fields> = {
  [Name in keyof T as T[Name]['column']]: ValueOf<T[Name]> extends infer Value
    ? Value extends number | bigint | boolean
      ? Int64
      : Value extends object
        ? string
        : Value
    : never
}

/** The tables as Kysely types them. Their definitions are in `migrations/`. */
export interface Tables {
  accounts: AccountsTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  stores: StoresTable
  store_logos: StoreLogosTable
  audit_entries: AuditEntriesTable
  monthly_usage: MonthlyUsageTable
  viewing_keys: ViewingKeysTable
  database_identity: DatabaseIdentityTable
  invoices: InvoicesTable
  daily_totals: DailyTotalsTable
  daily_prices: DailyPricesTable
  payments: PaymentsTable
  payment_totals: PaymentTotalsTable
  idempotency_keys: IdempotencyKeysTable
  headers: HeadersTable
  counters: CountersTable
  locks: LocksTable
  rewinds: RewindsTable
  chain_problems: ChainProblemsTable
  watchers: WatchersTable
  events: EventsTable
  event_counters: EventCountersTable
  endpoints: EndpointsTable
  invoice_changes: InvoiceChangesTable
  sign_in_codes: SignInCodesTable
  sign_in_budgets: SignInBudgetsTable
  recent_authentications: RecentAuthenticationsTable
  email_changes: EmailChangesTable
  mails: MailsTable
  attention_mails: AttentionMailsTable
  receipt_mails: ReceiptMailsTable
  account_viewing_keys: AccountViewingKeysTable
  plan_purchases: PlanPurchasesTable
  plan_announcements: PlanAnnouncementsTable
  withdrawals: WithdrawalsTable
  refunds: RefundsTable
  payment_links: PaymentLinksTable
  link_invoices: LinkInvoicesTable
  swaps: SwapsTable
  swap_starts: SwapStartsTable
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  set_aside: SetAsideTable
}

export type Db = Kysely<Tables>

export interface AccountsTable {
  id: AutoId
  public_id: string
  email: string
  network: Network
  confirmations: Int64
  tolerance_bps: Generated<Int64>
  plan: string
  plan_expires_at: Int64 | null
  viewing_key_id: Int64 | null
  viewing_key_expires_at: Generated<Int64 | null>
  viewing_key_expiry_height: Generated<Int64 | null>
  created_at: Int64
  deletion_requested_at: Generated<Int64 | null>
  erased_at: Generated<Int64 | null>
  /** Browsers that signed in before are no longer known. */
  browsers_known_from: Generated<Int64>
}

export interface ApiKeysTable {
  id: AutoId
  public_id: string
  account_id: Int64
  name: string
  last4: string
  hash: Uint8Array
  /** Separated by spaces; null for a key without scopes. */
  scopes: string | null
  expires_at: Int64 | null
  /** CIDR blocks, separated by spaces. */
  addresses: string | null
  created_at: Int64
  last_used_at: Int64 | null
  revoked_at: Int64 | null
}

export interface SessionsTable {
  id: AutoId
  public_id: string
  account_id: Int64
  label: string
  hash: Uint8Array
  created_at: Int64
  expires_at: Int64
  last_used_at: Int64 | null
  ended_at: Int64 | null
  origin: SessionOrigin
}

export interface AuditEntriesTable {
  id: AutoId
  account_id: Int64 | null
  kind: AuditKind
  actor: Actor['by']
  session: string | null
  network: string | null
  client: string | null
  detail: string | null
  created_at: Int64
}

export interface MonthlyUsageTable {
  account_id: Int64
  month: string
  used: Int64
}

export interface ViewingKeysTable {
  id: AutoId
  fingerprint: Uint8Array
  network: Network
  /** Empty: the key is deleted, or not sealed yet. */
  sealed: Uint8Array
  next_index: Int64
  watch_until: Generated<Int64>
  created_at: Int64
}

export interface DatabaseIdentityTable {
  id: Int64
  identity: string
}

interface InvoicesTable extends TableOf<typeof INVOICE_FIELDS> {}

interface RefundsTable extends TableOf<typeof REFUND_FIELDS> {
  idempotency_key: string | null
  body_hash: Uint8Array | null
}

export interface DailyTotalsTable {
  account_id: Int64
  day: Int64
  received_zat: Int64
  refunded_zat: Generated<Int64>
  invoices: Int64
}

export interface DailyPricesTable {
  account_id: Int64
  day: Int64
  currency: string
  invoices: Int64
  units: Int64
  amount_zat: Int64
}

export interface PaymentsTable {
  id: AutoId
  invoice_id: Int64
  txid: string
  pool: ShieldedPool
  output_index: Int64
  value_zat: Int64
  location: PaymentLocation['at']
  height: Int64 | null
  expiry_height: Int64 | null
  seen_at: Int64
  in_snapshot: Generated<Int64>
  vanished_since: Generated<Int64 | null>
  vanished_height: Generated<Int64 | null>
  last_seen_height: Generated<Int64 | null>
  awaits_witness: Generated<Int64>
}

export interface StoresTable extends TableOf<typeof STORE_FIELDS> {
  account_id: Int64
}

export interface StoreLogosTable {
  account_id: Int64
  hash: string
  image: Uint8Array
}

export interface PaymentTotalsTable {
  invoice_id: Int64
  /** -1: the mempool. */
  height: Int64
  value_zat: Int64
  awaiting_zat: Generated<Int64>
}

export interface IdempotencyKeysTable {
  account_id: Int64
  key: string
  body_hash: Uint8Array
  invoice_public_id: string
  created_at: Int64
}

export interface HeadersTable {
  height: Int64
  hash: string
  prev_hash: string
  time: Int64
  sapling_size: Int64
  orchard_size: Int64
  ironwood_size: Int64
}

export interface CountersTable {
  name: 'invoice_change_seq' | 'witnessed_height'
  value: Int64
}

export interface LocksTable {
  name: 'chain' | 'sign_in' | 'watched_keys'
}

export interface RewindsTable {
  id: AutoId
  to_height: Int64
  newest_invoice_id: Int64
}

export interface ChainProblemsTable {
  problem: ChainProblemName
  detail: string | null
  since: Int64
}

export interface WatchersTable {
  id: Int64
  synced_through: Int64
}

export interface EventsTable {
  account_id: Int64
  seq: Int64
  public_id: string
  invoice_id: Int64 | null
  type: EventType
  body: string
  created_at: Int64
}

export interface EventCountersTable {
  account_id: Int64
  seq: Int64
  pruned_seq: Generated<Int64>
  followed: Generated<Int64>
  has_news: Generated<Int64>
}

export interface InvoiceChangesTable {
  seq: Int64
  invoice_id: Int64
  created_at: Int64
}

export interface SwapsTable {
  id: AutoId
  public_id: string
  invoice_id: Int64
  asset_id: string
  symbol: string
  blockchain: string
  decimals: Int64
  refund_to: string
  deposit_address: string
  deposit_memo: string | null
  amount_in: string
  min_amount_in: string
  amount_in_usd: string
  time_estimate: Int64
  deadline: Int64
  quote_deadline: Int64
  quote_raw: string
  created_at: Int64
  replaced_at: Int64 | null
  status: Generated<SwapStatus>
  provider_status: Generated<string>
  updated_at_ms: Generated<Int64>
  status_raw: string | null
  last_report_at: Int64 | null
  deposit_seen_at: Int64 | null
  success_at: Int64 | null
  sent_events: Generated<string>
  failed_polls: Generated<Int64>
  keeps_invoice_open: Generated<Int64>
  needs_attention: Generated<Int64>
  next_poll_at_ms: Int64 | null
  deposit_key: string
  deposited_amount: string | null
  refunded_amount: string | null
  refund_reason: string | null
  contract_address: string | null
  amount_out_usd: string | null
  deposit_txid: string | null
}

export interface SwapStartsTable {
  id: AutoId
  invoice_id: Int64
  started_at: Int64
}

export interface WebhooksTable {
  account_id: Int64
  url: string
  secret: Uint8Array
  due_at_ms: Int64 | null
  created_at: Int64
  updated_at: Int64
}

export interface DeliveriesTable {
  id: AutoId
  public_id: string
  account_id: Int64
  invoice_id: Int64 | null
  event_seq: Int64
  event_type: EventType
  url: Generated<string | null>
  state: DeliveryState
  attempts: Int64
  due_at_ms: Generated<Int64 | null>
  created_at: Int64
  resent_at: Generated<Int64 | null>
  endpoint_id: Generated<Int64 | null>
  endpoint_due_at_ms: Generated<Int64 | null>
  passed: Generated<Int64>
  part: Generated<Int64>
  original_id: Generated<string | null>
}

export interface EndpointsTable {
  id: AutoId
  public_id: string
  account_id: Int64
  url: string
  types: string | null
  schedule: Schedule
  enabled: Int64
  secret: Uint8Array
  earlier_secret: Uint8Array | null
  earlier_secret_until: Int64 | null
  cursor_seq: Int64
  due_at_ms: Generated<Int64 | null>
  failures: Generated<Int64>
  is_probing: Generated<Int64>
  failing_since: Generated<Int64 | null>
  first_failed_seq: Generated<Int64 | null>
  retry_at_ms: Generated<Int64 | null>
  paused_at: Generated<Int64 | null>
  created_at: Int64
  updated_at: Int64
  removed_at: Generated<Int64 | null>
  dialect: Generated<Dialect>
  /** JSON. */
  greenfield_events: Generated<string | null>
  application: Generated<string | null>
}

export interface DeliveryAttemptsTable {
  id: AutoId
  public_id: string
  delivery_id: Int64
  account_id: Int64
  invoice_id: Int64 | null
  url: string
  attempt: Int64
  status_code: Int64 | null
  error: string | null
  duration_ms: Int64 | null
  response: string | null
  created_at: Int64
  request_headers: Generated<string | null>
  response_headers: Generated<string | null>
}

export interface SignInCodesTable {
  id: AutoId
  /** `link`: a link of the operator's command, whose secret takes the place of the browser's. It has no client and no code. */
  purpose: CodePurpose | 'link'
  email: string
  browser_hash: Uint8Array
  client_hash: Uint8Array
  code_hash: Uint8Array | null
  attempts: Generated<Int64>
  created_at: Int64
  expires_at: Int64
  used_at: Int64 | null
  known_browser_hash: Uint8Array | null
  network56_hash: Uint8Array | null
  network48_hash: Uint8Array | null
}

export interface SignInBudgetsTable {
  name: SharedBudget
  window_start: Int64
  used: Int64
}

export interface RecentAuthenticationsTable {
  session_id: Int64
  until: Int64
}

export interface MailsTable {
  id: AutoId
  recipient: string
  about: ClaimedMail['about']
  code_id: Int64 | null
  detail: string | null
  created_at: Int64
  due_at: Int64
  attempts: Generated<Int64>
  account_id: Generated<Int64 | null>
  queue: Generated<MailQueue>
  events: Generated<Int64>
  mailed_events: Generated<Int64>
  last_event_at: Generated<Int64>
  /** The recipient of a notice, or a keyed hash of a receipt and its recipient; null in other rows. */
  notice_to: Generated<string | null>
  email_change_id: Generated<Int64 | null>
  /** The subject of a mail with a receipt, whose text is in `detail`. */
  subject: Generated<string | null>
}

export interface ReceiptMailsTable {
  invoice_id: Int64
  nth: Int64
  account_id: Int64
  queued_at: Int64
}

export interface EmailChangesTable {
  id: AutoId
  account_id: Int64
  previous_email: string
  /** SHA-256 of the token in the link; null until it is mailed. */
  token_hash: Generated<Uint8Array | null>
  created_at: Int64
  undo_until: Int64
}

export interface AttentionMailsTable {
  account_id: Int64
  changes: Int64
  last_sent_at: Generated<Int64 | null>
}

export interface PlanPurchasesTable {
  invoice_id: Int64
  account_id: Int64
  plan: string
  price_zat: Int64
  period_days: Int64
  status: PurchaseStatus
  decided_at: Int64 | null
  granted_until: Int64 | null
  created_at: Int64
}

export interface PlanAnnouncementsTable {
  account_id: Int64
  plan_expires_at: Int64
}

export interface PaymentLinksTable extends TableOf<typeof LINK_FIELDS> {
  keypad_hash: Uint8Array | null
}

export interface LinkInvoicesTable {
  invoice_id: Int64
  account_id: Int64
  source: LinkSource
  client: Uint8Array | null
  counted_at: Int64 | null
}

export interface WithdrawalsTable {
  invoice_id: Int64
  public_id: string
  account_id: Int64
  status: WithdrawalStatus
  amount_zat: Int64
  received_zat: Int64
  received_at_close_zat: Int64 | null
  fiat_currency: string
  fiat_amount: string
  rate: string
  /** Empty: deleted with the account. */
  payout_to: Uint8Array
  reference: string | null
  reason: string | null
  created_at: Int64
  updated_at: Int64
}

export interface AccountViewingKeysTable {
  account_id: Int64
  viewing_key_id: Int64
  watch_until: Generated<Int64>
}

export interface SetAsideTable {
  kind: SetAsideKind
  reference: string
  row_id: Int64 | null
  account_id: Int64 | null
  error: string
  failures: Int64
  first_at: Int64
  next_attempt_at: Int64
  from_height: Int64 | null
}
