/**
 * Everything the service needs from the world, on one page. The rows of each noun are in `ports/<noun>.ts`.
 *
 * Times (`now`, `at`, `…At`, `until`) are Unix seconds unless a name ends in `Ms`. An `id` is the table's own, a `publicId`
 * the UUID that the API shows. What is not found is null, or missing from a list.
 */

import type { ChainRows } from './ports/chain.ts'
import type { AccountRows, ApiKeyRows, LiveApiKey, SessionRows, UsageRows } from './ports/repository/account.ts'
import type { AttentionMailRows } from './ports/repository/attention-mail.ts'
import type { BillingRows } from './ports/repository/billing.ts'
import type { DashboardRows } from './ports/repository/dashboard.ts'
import type { OriginRows } from './ports/repository/database-identity.ts'
import type { EventRows } from './ports/repository/event.ts'
import type { IdempotencyRows, Invoice, InvoiceRows, PaymentRows } from './ports/repository/invoice.ts'
import type { MailRows } from './ports/repository/mail.ts'
import type { SignInRows } from './ports/repository/sign-in.ts'
import type { SwapRows } from './ports/repository/swap.ts'
import type { ViewingKeyRows } from './ports/repository/viewing-key.ts'
import type { DeliveryRows, WebhookRows } from './ports/repository/webhook.ts'
import type { WithdrawalRows } from './ports/repository/withdrawal.ts'

export type { Chain, Viewer } from './ports/chain.ts'
export type { DeliveryMeter } from './ports/delivery-meter.ts'
export type { Outbound } from './ports/http-client.ts'
export type { Log } from './ports/log.ts'
export type { WatchMeter } from './ports/metrics.ts'
export type { PayoutProvider } from './ports/payout-provider.ts'
export type { Rates } from './ports/rates.ts'
export type { Mailer } from './ports/repository/mail.ts'
export type { KeyedHash } from './ports/repository/sign-in.ts'
export type { SwapProvider } from './ports/repository/swap.ts'

/** The tables, as one transaction sees them. */
export interface Rows {
  readonly accounts: AccountRows
  readonly apiKeys: ApiKeyRows
  readonly sessions: SessionRows
  readonly usage: UsageRows
  readonly viewingKeys: ViewingKeyRows
  readonly origin: OriginRows
  readonly invoices: InvoiceRows
  readonly payments: PaymentRows
  readonly idempotency: IdempotencyRows
  readonly chain: ChainRows
  readonly events: EventRows
  readonly swaps: SwapRows
  readonly webhooks: WebhookRows
  readonly deliveries: DeliveryRows
  readonly signIn: SignInRows
  readonly dashboard: DashboardRows
  readonly mails: MailRows
  readonly attentionMails: AttentionMailRows
  readonly billing: BillingRows
  readonly withdrawals: WithdrawalRows
  /** Wakes the listeners of a topic, in every process, once the transaction is committed; lost with it. */
  wake(topic: Topic): void
}

/** What a process can be woken for. A wake is a hint, never the data: everyone also looks by the clock. */
export const TOPICS = ['events', 'deliveries', 'swaps', 'mails', 'payouts'] as const
export type Topic = (typeof TOPICS)[number]

export interface WriteOptions {
  /**
   * The account's id: for short use cases that come in crowds. Those that wait together run side by side in one
   * transaction and share their statements, so each must be right whatever the others do between two of its own. They
   * lock no row but their own account's and new ones, and raise no events; ordered by this, crowds do not deadlock.
   */
  readonly crowd?: number
}

/** What the hottest requests begin with. Those asked for at the same time are looked up by one statement. */
export interface Lookup {
  invoice(publicId: string): Promise<Invoice | null>
  /** The live key with this hash and its account; null when unknown or revoked. */
  apiKey(hash: Uint8Array): Promise<LiveApiKey | null>
}

export interface Store {
  /** One consistent read: a snapshot for all its statements. */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>
  /** A read of one statement, at half the cost on PostgreSQL; a second statement throws. For the hot paths. */
  glance<T>(work: (rows: Rows) => Promise<T>): Promise<T>
  /** Single rows, each as it is committed after the call was made. */
  readonly lookup: Lookup
  /**
   * One durable transaction: resolved only once it is committed, rejected with nothing changed. `work` may run more
   * than once (a deadlock, a serialisation failure), so it has no effect of its own, and must wait for nothing but
   * these rows.
   *
   * After a Fault `unavailable` the outcome is not known: the commit may have been made and its answer lost.
   */
  write<T>(work: (rows: Rows) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Calls `wake` after a commit, in any process, that woke the topic; until the returned function is called. */
  listen(topic: Topic, wake: () => void): () => void
  /**
   * A consistent copy into a new file, while running; its origin is empty. @throws Fault `file_exists`, `backup_not_here` on PostgreSQL
   */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Random {
  bytes(count: number): Uint8Array
  /** UUIDv4. */
  uuid(): string
}

/** Seals secrets for the place where they rest; a secret moved elsewhere does not open. */
export interface Vault {
  seal(secret: Uint8Array, place: Place): Uint8Array
  /** @throws when the bytes were changed, moved, or sealed under another key. */
  open(sealed: Uint8Array, place: Place): Uint8Array
}

export interface Place {
  readonly table: string
  readonly column: string
  readonly row: number
}

/** Seconds, as the API and the tables have them. */
export function nowSecs(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}
