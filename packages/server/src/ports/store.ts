import type { StoreProfile } from '../domain/account/store-profile.ts'
import type { Invoice } from '../domain/sale/invoice.ts'
import type { AccountRepository } from './repository/account/account.ts'
import type { AccountDeletionRepository } from './repository/account/account-deletion.ts'
import type { ApiKeyRepository, ApiKeyWithAccount } from './repository/account/api-key.ts'
import type { AuditRepository } from './repository/account/audit.ts'
import type { BillingRepository } from './repository/account/billing.ts'
import type { EmailChangeRepository } from './repository/account/email-change.ts'
import type { SessionRepository } from './repository/account/session.ts'
import type { SignInRepository } from './repository/account/sign-in.ts'
import type { StoreProfileRepository } from './repository/account/store-profile.ts'
import type { UsageRepository } from './repository/account/usage.ts'
import type { ViewingKeyRepository } from './repository/account/viewing-key.ts'
import type { ChainRepository } from './repository/chain/chain.ts'
import type { DatabaseIdentityRepository } from './repository/database-identity.ts'
import type { IdempotencyRepository } from './repository/idempotency.ts'
import type { AttentionMailRepository } from './repository/notify/attention-mail.ts'
import type { DeliveryRepository } from './repository/notify/delivery.ts'
import type { EndpointRepository } from './repository/notify/endpoint.ts'
import type { EndpointDeliveryRepository } from './repository/notify/endpoint-delivery.ts'
import type { EventRepository } from './repository/notify/event.ts'
import type { InvoiceChangeRepository } from './repository/notify/invoice-change.ts'
import type { MailRepository } from './repository/notify/mail.ts'
import type { ReceiptMailRepository } from './repository/notify/receipt-mail.ts'
import type { WebhookRepository } from './repository/notify/webhook.ts'
import type { WithdrawalRepository } from './repository/payout/withdrawal.ts'
import type { DashboardRepository } from './repository/sale/dashboard.ts'
import type { InvoiceRepository } from './repository/sale/invoice.ts'
import type { InvoiceTextRepository } from './repository/sale/invoice-text.ts'
import type { PaymentRepository } from './repository/sale/payment.ts'
import type { PaymentLinkRepository } from './repository/sale/payment-link.ts'
import type { RefundRepository } from './repository/sale/refund.ts'
import type { SwapRepository } from './repository/sale/swap.ts'
import type { SetAsideRepository } from './repository/set-aside.ts'

/** One transaction: a repository for each noun. All of them see the same state of the database. */
export interface Tx {
  readonly accounts: AccountRepository
  readonly accountDeletions: AccountDeletionRepository
  readonly apiKeys: ApiKeyRepository
  readonly sessions: SessionRepository
  readonly storeProfiles: StoreProfileRepository
  readonly audit: AuditRepository
  readonly usage: UsageRepository
  readonly viewingKeys: ViewingKeyRepository
  readonly databaseIdentity: DatabaseIdentityRepository
  readonly invoices: InvoiceRepository
  readonly invoiceTexts: InvoiceTextRepository
  readonly payments: PaymentRepository
  readonly idempotency: IdempotencyRepository
  readonly chain: ChainRepository
  readonly events: EventRepository
  readonly invoiceChanges: InvoiceChangeRepository
  readonly paymentLinks: PaymentLinkRepository
  readonly refunds: RefundRepository
  readonly swaps: SwapRepository
  readonly endpoints: EndpointRepository
  readonly endpointDeliveries: EndpointDeliveryRepository
  readonly webhooks: WebhookRepository
  readonly deliveries: DeliveryRepository
  readonly signIn: SignInRepository
  readonly dashboard: DashboardRepository
  readonly emailChanges: EmailChangeRepository
  readonly mails: MailRepository
  readonly attentionMails: AttentionMailRepository
  readonly receiptMails: ReceiptMailRepository
  readonly billing: BillingRepository
  readonly withdrawals: WithdrawalRepository
  readonly setAside: SetAsideRepository
  /** Notifies the listeners of a topic, in every process, after the commit. A rollback discards the notification. */
  notify(topic: Topic): void
}

/** Topics of notifications. A notification is only a hint and carries no data: every listener also polls by the clock. */
export const TOPICS = ['events', 'invoices', 'deliveries', 'swaps', 'mails'] as const
/** A topic of notifications. */
export type Topic = (typeof TOPICS)[number]

/**
 * One write of a batch. It has only what writes of different accounts can do in the same transaction without waiting for
 * each other. It does not notify by itself: a queued mail is sent by the next poll. A `Tx` can be used in its place.
 */
export interface BatchTx {
  /** Concurrent increments share one statement. */
  readonly usage: Pick<UsageRepository, 'increment'>
  /** Concurrent inserts share one statement. */
  readonly invoices: Pick<InvoiceRepository, 'insert' | 'byPublicId'>
  /** Concurrent appends share their statements. */
  readonly events: Pick<EventRepository, 'append'>
  readonly idempotency: Pick<IdempotencyRepository, 'claim'>
  /** Concurrent reads share one statement. */
  readonly viewingKeys: Pick<ViewingKeyRepository, 'ofAccount'>
  readonly chain: Pick<ChainRepository, 'tip'>
  readonly mails: Pick<MailRepository, 'enqueue'>
}

/** The first reads of the most frequent requests. Concurrent lookups share one statement. */
export interface Lookup {
  invoice(publicId: string): Promise<Invoice | null>
  /** The active key with this hash, with its account. Null for an unknown or revoked key. */
  apiKey(hash: Uint8Array): Promise<ApiKeyWithAccount | null>
  /** Null for an account that has set nothing. */
  storeProfile(accountId: number): Promise<StoreProfile | null>
}

/** The database: transactions, single-row lookups and notifications. All SQL is behind it. */
export interface Store {
  /** A read-only transaction. All its statements see one snapshot. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * A read of one statement, for hot paths: half the cost of `read` on PostgreSQL.
   * @throws when `work` runs a second statement
   */
  query<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Reads of single rows. Each read sees everything committed before the call. */
  readonly lookup: Lookup
  /**
   * A durable transaction. It resolves after the commit and rejects after a rollback. `work` may run more than once
   * (deadlock, serialisation failure), so it must have no side effects outside the transaction, and must await only
   * calls on `tx`.
   *
   * After an error of kind `unavailable` the outcome is unknown: the commit may have happened and its response lost.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * As `write`, for short writes with many concurrent calls. Waiting calls run concurrently in one transaction, so each
   * must be correct whatever the others do between two of its statements. It may change only rows of this account. Calls
   * start in the order of their accounts, so that batches do not deadlock. A call that rejects with an `AppError` before
   * it changes anything does not affect the others; after any other failure all calls of the batch run again one by one.
   */
  writeBatched<T>(accountId: number, work: (tx: BatchTx) => Promise<T>): Promise<T>
  /**
   * Calls `onNotify` after each commit, in any process, that notified the topic.
   * @returns a function that ends the subscription
   */
  listen(topic: Topic, onNotify: () => void): () => void
  close(): Promise<void>
}
