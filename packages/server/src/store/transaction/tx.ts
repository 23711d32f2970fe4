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

type Made = { -readonly [N in keyof Tx]?: Tx[N] }

/**
 * All repositories on one connection, each made when it is first used: a transaction uses a few of them.
 * @param identity SQL expression for the identity of the database, see `databaseIdentityRepository`
 */
export function createTx(db: Db, identity: string, hooks: TxHooks): Tx {
  const made: Made = {}
  const repository = <N extends keyof Made>(noun: N, make: (db: Db) => Tx[N]) => (made[noun] ??= make(db))
  return {
    get accounts() {
      return repository('accounts', accountRepository)
    },
    get accountDeletions() {
      return repository('accountDeletions', accountDeletionRepository)
    },
    get apiKeys() {
      return repository('apiKeys', apiKeyRepository)
    },
    get sessions() {
      return repository('sessions', sessionRepository)
    },
    get audit() {
      return repository('audit', auditRepository)
    },
    get usage() {
      return repository('usage', usageRepository)
    },
    get viewingKeys() {
      return repository('viewingKeys', viewingKeyRepository)
    },
    get databaseIdentity() {
      return repository('databaseIdentity', () => databaseIdentityRepository(db, identity))
    },
    get invoices() {
      return repository('invoices', invoiceRepository)
    },
    get payments() {
      return repository('payments', paymentRepository)
    },
    get idempotency() {
      return repository('idempotency', idempotencyRepository)
    },
    get chain() {
      return repository('chain', chainRepository)
    },
    get events() {
      return repository('events', () => eventRepository(db, hooks, this.deliveries))
    },
    get swaps() {
      return repository('swaps', swapRepository)
    },
    get webhooks() {
      return repository('webhooks', webhookRepository)
    },
    get deliveries() {
      return repository('deliveries', () => deliveryRepository(db, hooks))
    },
    get signIn() {
      return repository('signIn', signInRepository)
    },
    get dashboard() {
      return repository('dashboard', dashboardRepository)
    },
    get emailChanges() {
      return repository('emailChanges', emailChangeRepository)
    },
    get mails() {
      return repository('mails', () => mailRepository(db, hooks))
    },
    get attentionMails() {
      return repository('attentionMails', attentionMailRepository)
    },
    get billing() {
      return repository('billing', billingRepository)
    },
    get withdrawals() {
      return repository('withdrawals', withdrawalRepository)
    },
    get setAside() {
      return repository('setAside', setAsideRepository)
    },
    notify: topic => hooks.notify(topic),
  }
}
