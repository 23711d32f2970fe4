import type { Rows, Topic } from '../ports.ts'
import { accountRows } from './account.ts'
import { apiKeyRows } from './api-key.ts'
import { attentionMailRows } from './attention-mail.ts'
import { billingRows } from './billing.ts'
import { chainRows } from './chain.ts'
import { dashboardRows } from './dashboard.ts'
import { deliveryRows } from './delivery.ts'
import type { Dialect } from './dialect.ts'
import { eventRows } from './event.ts'
import { idempotencyRows } from './idempotency.ts'
import { invoiceRows } from './invoice.ts'
import { mailRows } from './mail.ts'
import { originRows } from './origin.ts'
import { paymentRows } from './payment.ts'
import { sessionRows } from './session.ts'
import { signInRows } from './sign-in.ts'
import { swapRows } from './swap.ts'
import type { Db } from './tables.ts'
import { usageRows } from './usage.ts'
import { viewingKeyRows } from './viewing-key.ts'
import { webhookRows } from './webhook.ts'
import { withdrawalRows } from './withdrawal.ts'

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
