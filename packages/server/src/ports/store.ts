import type { AccountRows } from './repository/account.ts'
import type { ApiKeyRows, LiveApiKey } from './repository/api-key.ts'
import type { AttentionMailRows } from './repository/attention-mail.ts'
import type { BillingRows } from './repository/billing.ts'
import type { ChainRows } from './repository/chain.ts'
import type { DashboardRows } from './repository/dashboard.ts'
import type { OriginRows } from './repository/database-identity.ts'
import type { DeliveryRows } from './repository/delivery.ts'
import type { EventRows } from './repository/event.ts'
import type { IdempotencyRows } from './repository/idempotency.ts'
import type { Invoice, InvoiceRows } from './repository/invoice.ts'
import type { MailRows } from './repository/mail.ts'
import type { PaymentRows } from './repository/payment.ts'
import type { SessionRows } from './repository/session.ts'
import type { SignInRows } from './repository/sign-in.ts'
import type { SwapRows } from './repository/swap.ts'
import type { UsageRows } from './repository/usage.ts'
import type { ViewingKeyRows } from './repository/viewing-key.ts'
import type { WebhookRows } from './repository/webhook.ts'
import type { WithdrawalRows } from './repository/withdrawal.ts'

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
