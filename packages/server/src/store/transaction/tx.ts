import type { Rows, Topic } from '../../ports/store.ts'
import type { Dialect } from '../dialect.ts'
import { accountRows } from '../repository/account.ts'
import { apiKeyRows } from '../repository/api-key.ts'
import { attentionMailRows } from '../repository/attention-mail.ts'
import { billingRows } from '../repository/billing.ts'
import { chainRows } from '../repository/chain.ts'
import { dashboardRows } from '../repository/dashboard.ts'
import { originRows } from '../repository/database-identity.ts'
import { deliveryRows } from '../repository/delivery.ts'
import { eventRows } from '../repository/event.ts'
import { idempotencyRows } from '../repository/idempotency.ts'
import { invoiceRows } from '../repository/invoice.ts'
import { mailRows } from '../repository/mail.ts'
import { paymentRows } from '../repository/payment.ts'
import { sessionRows } from '../repository/session.ts'
import { signInRows } from '../repository/sign-in.ts'
import { swapRows } from '../repository/swap.ts'
import { usageRows } from '../repository/usage.ts'
import { viewingKeyRows } from '../repository/viewing-key.ts'
import { webhookRows } from '../repository/webhook.ts'
import { withdrawalRows } from '../repository/withdrawal.ts'
import type { Db } from '../tables.ts'

/** Work that runs after the use case and before its commit. */
export type PutOff = () => Promise<void>

/** What a repository may schedule for the end of its transaction. */
export interface Later {
  /** Runs `work` after the use case and before its commit. */
  putOff(work: PutOff): void
  /** Notifies the listeners of the topic after the commit. */
  wake(topic: Topic): void
}

/** All repositories on one connection. */
export function createRows(db: Db, { identity }: Dialect, hooks: Later): Rows {
  const deliveries = deliveryRows(db, hooks)
  return {
    accounts: accountRows(db),
    apiKeys: apiKeyRows(db),
    sessions: sessionRows(db),
    usage: usageRows(db),
    viewingKeys: viewingKeyRows(db),
    origin: originRows(db, identity),
    invoices: invoiceRows(db),
    payments: paymentRows(db),
    idempotency: idempotencyRows(db),
    chain: chainRows(db),
    events: eventRows(db, hooks, deliveries),
    swaps: swapRows(db),
    webhooks: webhookRows(db),
    deliveries,
    signIn: signInRows(db),
    dashboard: dashboardRows(db),
    mails: mailRows(db, hooks),
    attentionMails: attentionMailRows(db),
    billing: billingRows(db),
    withdrawals: withdrawalRows(db),
    wake: topic => hooks.wake(topic),
  }
}
