import type { Tx } from '../../ports/store.ts'
import { accountRepository } from '../repository/account/account.ts'
import { accountDeletionRepository } from '../repository/account/account-deletion.ts'
import { apiKeyRepository } from '../repository/account/api-key.ts'
import { auditRepository } from '../repository/account/audit.ts'
import { billingRepository } from '../repository/account/billing.ts'
import { emailChangeRepository } from '../repository/account/email-change.ts'
import { sessionRepository } from '../repository/account/session.ts'
import { signInRepository } from '../repository/account/sign-in.ts'
import { usageRepository } from '../repository/account/usage.ts'
import { viewingKeyRepository } from '../repository/account/viewing-key.ts'
import { chainRepository } from '../repository/chain/chain.ts'
import { databaseIdentityRepository } from '../repository/database-identity.ts'
import { idempotencyRepository } from '../repository/idempotency.ts'
import { attentionMailRepository } from '../repository/notify/attention-mail.ts'
import { deliveryRepository } from '../repository/notify/delivery.ts'
import { eventRepository } from '../repository/notify/event.ts'
import { mailRepository } from '../repository/notify/mail.ts'
import { webhookRepository } from '../repository/notify/webhook.ts'
import { withdrawalRepository } from '../repository/payout/withdrawal.ts'
import { dashboardRepository } from '../repository/sale/dashboard.ts'
import { invoiceRepository } from '../repository/sale/invoice.ts'
import { paymentRepository } from '../repository/sale/payment.ts'
import { swapRepository } from '../repository/sale/swap.ts'
import { setAsideRepository } from '../repository/set-aside.ts'
import type { Db } from '../tables.ts'
import type { TxHooks } from './hooks.ts'

/**
 * All repositories on one connection.
 * @param identity SQL expression for the identity of the database, see `databaseIdentityRepository`
 */
export function createTx(db: Db, identity: string, hooks: TxHooks): Tx {
  const deliveries = deliveryRepository(db, hooks)
  return {
    accounts: accountRepository(db),
    accountDeletions: accountDeletionRepository(db),
    apiKeys: apiKeyRepository(db),
    sessions: sessionRepository(db),
    audit: auditRepository(db),
    usage: usageRepository(db),
    viewingKeys: viewingKeyRepository(db),
    databaseIdentity: databaseIdentityRepository(db, identity),
    invoices: invoiceRepository(db),
    payments: paymentRepository(db),
    idempotency: idempotencyRepository(db),
    chain: chainRepository(db),
    events: eventRepository(db, hooks, deliveries),
    swaps: swapRepository(db),
    webhooks: webhookRepository(db),
    deliveries,
    signIn: signInRepository(db),
    dashboard: dashboardRepository(db),
    emailChanges: emailChangeRepository(db),
    mails: mailRepository(db, hooks),
    attentionMails: attentionMailRepository(db),
    billing: billingRepository(db),
    withdrawals: withdrawalRepository(db),
    setAside: setAsideRepository(db),
    notify: topic => hooks.notify(topic),
  }
}
