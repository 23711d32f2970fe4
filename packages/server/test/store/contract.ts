import { describe } from 'node:test'
import type { DatabaseEngine } from '../harness/databases.ts'
import { lookupSuite } from './batching/lookup.suite.ts'
import { batchedWriteSuite } from './batching/write-batch.suite.ts'
import { migrationSuite } from './migrations/migration.suite.ts'
import { accountSuite } from './repository/account/account.suite.ts'
import { auditSuite } from './repository/account/audit.suite.ts'
import { billingSuite } from './repository/account/billing.suite.ts'
import { credentialSuite } from './repository/account/credential.suite.ts'
import { storeProfileSuite } from './repository/account/store-profile.suite.ts'
import { usageSuite } from './repository/account/usage.suite.ts'
import { viewingKeySuite } from './repository/account/viewing-key.suite.ts'
import { chainSuite } from './repository/chain/chain.suite.ts'
import { databaseIdentitySuite } from './repository/database-identity.suite.ts'
import { idempotencySuite } from './repository/idempotency.suite.ts'
import { eventSuite } from './repository/notify/event.suite.ts'
import { invoiceChangeSuite } from './repository/notify/invoice-change.suite.ts'
import { mailSuite } from './repository/notify/mail.suite.ts'
import { receiptMailSuite } from './repository/notify/receipt-mail.suite.ts'
import { webhookSuite } from './repository/notify/webhook.suite.ts'
import { withdrawalSuite } from './repository/payout/withdrawal.suite.ts'
import { dashboardSuite } from './repository/sale/dashboard.suite.ts'
import { invoiceSuite } from './repository/sale/invoice.suite.ts'
import { invoiceTextSuite } from './repository/sale/invoice-text.suite.ts'
import { listTotalSuite } from './repository/sale/list-total.suite.ts'
import { paymentSuite } from './repository/sale/payment.suite.ts'
import { paymentTotalsSuite } from './repository/sale/payment-totals.suite.ts'
import { refundSuite } from './repository/sale/refund.suite.ts'
import { swapSuite } from './repository/sale/swap.suite.ts'
import { transactionSuite } from './transaction/transaction.suite.ts'

/** The contract of a Store, the same on every database. Each new repository adds its suite here. */
const SUITES: readonly [name: string, suite: (engine: DatabaseEngine) => void][] = [
  ['accounts', accountSuite],
  ['credentials', credentialSuite],
  ['audit', auditSuite],
  ['usage', usageSuite],
  ['store profiles', storeProfileSuite],
  ['viewing keys', viewingKeySuite],
  ['database identity', databaseIdentitySuite],
  ['invoices', invoiceSuite],
  ['texts of invoices', invoiceTextSuite],
  ['payments', paymentSuite],
  ['payment totals', paymentTotalsSuite],
  ['idempotency', idempotencySuite],
  ['swaps', swapSuite],
  ['refunds', refundSuite],
  ['chain', chainSuite],
  ['events', eventSuite],
  ['changes of invoices', invoiceChangeSuite],
  ['webhooks', webhookSuite],
  ['billing', billingSuite],
  ['withdrawals', withdrawalSuite],
  ['mails', mailSuite],
  ['mails of receipts', receiptMailSuite],
  ['dashboard', dashboardSuite],
  ['lists of the dashboard', listTotalSuite],
  ['transactions', transactionSuite],
  ['lookups', lookupSuite],
  ['batched writes', batchedWriteSuite],
  ['migrations', migrationSuite],
]

export function storeContract(engine: DatabaseEngine): void {
  for (const [name, suite] of SUITES) describe(name, () => suite(engine))
}
