import type { Tx } from '../../ports/store.ts'
import { accountRepository } from '../repository/account.ts'
import { accountDeletionRepository } from '../repository/account-deletion.ts'
import { apiKeyRepository } from '../repository/api-key.ts'
import { attentionMailRepository } from '../repository/attention-mail.ts'
import { auditRepository } from '../repository/audit.ts'
import { billingRepository } from '../repository/billing.ts'
import { chainRepository } from '../repository/chain.ts'
import { dashboardRepository } from '../repository/dashboard.ts'
import { databaseIdentityRepository } from '../repository/database-identity.ts'
import { deliveryRepository } from '../repository/delivery.ts'
import { emailChangeRepository } from '../repository/email-change.ts'
import { eventRepository } from '../repository/event.ts'
import { idempotencyRepository } from '../repository/idempotency.ts'
import { invoiceRepository } from '../repository/invoice.ts'
import { mailRepository } from '../repository/mail.ts'
import { paymentRepository } from '../repository/payment.ts'
import { sessionRepository } from '../repository/session.ts'
import { setAsideRepository } from '../repository/set-aside.ts'
import { signInRepository } from '../repository/sign-in.ts'
import { swapRepository } from '../repository/swap.ts'
import { usageRepository } from '../repository/usage.ts'
import { viewingKeyRepository } from '../repository/viewing-key.ts'
import { webhookRepository } from '../repository/webhook.ts'
import { withdrawalRepository } from '../repository/withdrawal.ts'
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
