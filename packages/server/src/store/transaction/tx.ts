import type { Topic, Tx } from '../../ports/store.ts'
import type { Dialect } from '../dialect.ts'
import { accountRepository } from '../repository/account/account.ts'
import { accountDeletionRepository } from '../repository/account/account-deletion.ts'
import { apiKeyRepository } from '../repository/account/api-key.ts'
import { auditRepository } from '../repository/account/audit.ts'
import { billingRepository } from '../repository/account/billing.ts'
import { emailChangeRepository } from '../repository/account/email-change.ts'
import { sessionRepository } from '../repository/account/session.ts'
import { signInRepository } from '../repository/account/sign-in.ts'
import { storeProfileRepository } from '../repository/account/store-profile.ts'
import { usageRepository } from '../repository/account/usage.ts'
import { viewingKeyRepository } from '../repository/account/viewing-key.ts'
import { chainRepository } from '../repository/chain/chain.ts'
import { databaseIdentityRepository } from '../repository/database-identity.ts'
import { idempotencyRepository } from '../repository/idempotency.ts'
import { attentionMailRepository } from '../repository/notify/attention-mail.ts'
import { deliveryRepository } from '../repository/notify/delivery.ts'
import { endpointRepository } from '../repository/notify/endpoint.ts'
import { endpointDeliveryRepository } from '../repository/notify/endpoint-delivery.ts'
import { eventRepository } from '../repository/notify/event.ts'
import { invoiceChangeRepository } from '../repository/notify/invoice-change.ts'
import { mailRepository } from '../repository/notify/mail.ts'
import { receiptMailRepository } from '../repository/notify/receipt-mail.ts'
import { webhookRepository } from '../repository/notify/webhook.ts'
import { withdrawalRepository } from '../repository/payout/withdrawal.ts'
import { dashboardRepository } from '../repository/sale/dashboard.ts'
import { invoiceRepository } from '../repository/sale/invoice.ts'
import { invoiceTextRepository } from '../repository/sale/invoice-text.ts'
import { paymentRepository } from '../repository/sale/payment.ts'
import { paymentLinkRepository } from '../repository/sale/payment-link.ts'
import { refundRepository } from '../repository/sale/refund.ts'
import { swapRepository } from '../repository/sale/swap.ts'
import { setAsideRepository } from '../repository/set-aside.ts'
import type { Db } from '../tables.ts'
import type { TxHooks } from './hooks.ts'

interface Connection {
  readonly db: Db
  readonly dialect: Dialect
  /** SQL expression for the identity of the database, see `databaseIdentityRepository`. */
  readonly identity: string
  readonly hooks: TxHooks
}

type Repositories = Omit<Tx, 'notify'>

const MAKE: { readonly [Noun in keyof Repositories]: (connection: Connection, tx: Repositories) => Tx[Noun] } = {
  accounts: ({ db }) => accountRepository(db),
  accountDeletions: ({ db }) => accountDeletionRepository(db),
  apiKeys: ({ db }) => apiKeyRepository(db),
  sessions: ({ db }) => sessionRepository(db),
  storeProfiles: ({ db }) => storeProfileRepository(db),
  audit: ({ db, dialect }) => auditRepository(db, dialect),
  usage: ({ db }) => usageRepository(db),
  viewingKeys: ({ db }) => viewingKeyRepository(db),
  databaseIdentity: ({ db, identity }) => databaseIdentityRepository(db, identity),
  invoices: ({ db }) => invoiceRepository(db),
  invoiceTexts: ({ db }) => invoiceTextRepository(db),
  payments: ({ db }) => paymentRepository(db),
  idempotency: ({ db }) => idempotencyRepository(db),
  chain: ({ db }) => chainRepository(db),
  events: ({ db, identity, hooks }, tx) => eventRepository(db, identity, hooks, tx),
  invoiceChanges: ({ db, hooks }) => invoiceChangeRepository(db, hooks),
  paymentLinks: ({ db }) => paymentLinkRepository(db),
  refunds: ({ db }) => refundRepository(db),
  swaps: ({ db }) => swapRepository(db),
  endpoints: ({ db }) => endpointRepository(db),
  endpointDeliveries: ({ db }) => endpointDeliveryRepository(db),
  webhooks: ({ db }) => webhookRepository(db),
  deliveries: ({ db, dialect, hooks }) => deliveryRepository(db, dialect, hooks),
  signIn: ({ db }) => signInRepository(db),
  dashboard: ({ db }) => dashboardRepository(db),
  emailChanges: ({ db }) => emailChangeRepository(db),
  mails: ({ db, hooks }) => mailRepository(db, hooks),
  attentionMails: ({ db }) => attentionMailRepository(db),
  receiptMails: ({ db, hooks }) => receiptMailRepository(db, hooks),
  billing: ({ db }) => billingRepository(db),
  withdrawals: ({ db }) => withdrawalRepository(db),
  setAside: ({ db }) => setAsideRepository(db),
}

/** All repositories on one connection, each made when it is first used: a transaction uses a few of them. */
class LazyTx {
  readonly connection: Connection
  readonly made: Record<string, unknown> = {}

  constructor(connection: Connection) {
    this.connection = connection
  }

  notify(topic: Topic): void {
    this.connection.hooks.notify(topic)
  }
}

for (const [noun, make] of Object.entries(MAKE))
  Object.defineProperty(LazyTx.prototype, noun, {
    get(this: LazyTx & Repositories) {
      this.made[noun] ??= make(this.connection, this)
      return this.made[noun]
    },
  })

export function createTx(connection: Connection): Tx {
  return new LazyTx(connection) as LazyTx & Tx
}
