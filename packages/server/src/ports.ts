/**
 * The interfaces between the services and the infrastructure. The repository of each noun is in `ports/<noun>.ts`.
 *
 * Times (`now`, `at`, `…At`, `until`) are Unix seconds unless a name ends in `Ms`. An `id` is the primary key of a table,
 * a `publicId` is the UUID that the API shows. Missing records are returned as null or left out of a list.
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

/** One transaction: a repository for each noun. All of them see the same state of the database. */
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
  /** Notifies the listeners of a topic, in every process, after the commit. A rollback discards the notification. */
  wake(topic: Topic): void
}

/** Topics of notifications. A notification is only a hint and carries no data: every listener also polls by the clock. */
export const TOPICS = ['events', 'deliveries', 'swaps', 'mails', 'payouts'] as const
export type Topic = (typeof TOPICS)[number]

export interface WriteOptions {
  /**
   * The account's id, for short use cases with many concurrent calls. Waiting calls run concurrently in one transaction
   * and share their statements, so each call must be correct whatever the others do between two of its statements.
   * A batched call locks only its own account's row and new rows, and raises no events. Calls are ordered by this id, so
   * batches do not deadlock.
   */
  readonly crowd?: number
}

/** The first reads of the most frequent requests. Concurrent lookups share one statement. */
export interface Lookup {
  invoice(publicId: string): Promise<Invoice | null>
  /** The active key with this hash, with its account. Null for an unknown or revoked key. */
  apiKey(hash: Uint8Array): Promise<LiveApiKey | null>
}

export interface Store {
  /** A read-only transaction. All its statements see one snapshot. */
  read<T>(work: (tx: Rows) => Promise<T>): Promise<T>
  /**
   * A read of one statement, for hot paths: half the cost of `read` on PostgreSQL.
   * @throws when `work` runs a second statement
   */
  glance<T>(work: (tx: Rows) => Promise<T>): Promise<T>
  /** Reads of single rows. Each read sees everything committed before the call. */
  readonly lookup: Lookup
  /**
   * A durable transaction. It resolves after the commit and rejects after a rollback. `work` may run more than once
   * (deadlock, serialisation failure), so it must have no side effects outside the transaction, and must await only
   * calls on `tx`.
   *
   * After an error of kind `unavailable` the outcome is unknown: the commit may have happened and its response lost.
   */
  write<T>(work: (tx: Rows) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * Calls `onNotify` after each commit, in any process, that notified the topic.
   * @returns a function that ends the subscription
   */
  listen(topic: Topic, onNotify: () => void): () => void
  /**
   * Writes a consistent copy to a new file while the service runs. The copy has no database identity.
   * @throws AppError `file_exists`; `backup_not_here` on PostgreSQL
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
  /** Cryptographically secure random bytes. */
  bytes(count: number): Uint8Array
  /** A UUIDv4. */
  uuid(): string
}

/** Encrypts secrets at rest. A sealed secret opens only in the context (table, column, row) that it was sealed for. */
export interface Vault {
  seal(secret: Uint8Array, context: Place): Uint8Array
  /** @throws when the bytes were changed, moved to another context, or sealed under another key. */
  open(sealed: Uint8Array, context: Place): Uint8Array
}

/** The database cell that a sealed secret is bound to. */
export interface Place {
  readonly table: string
  readonly column: string
  readonly row: number
}

/** The current time in Unix seconds, the unit of the API and the tables. */
export function nowSecs(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}
