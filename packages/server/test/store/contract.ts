import { describe } from 'node:test'
import type { Engine } from './databases.ts'
import { accountSuite } from './suites/account.ts'
import { billingSuite } from './suites/billing.ts'
import { chainSuite } from './suites/chain.ts'
import { credentialSuite } from './suites/credential.ts'
import { crowdSuite } from './suites/crowd.ts'
import { dashboardSuite } from './suites/dashboard.ts'
import { eventSuite } from './suites/event.ts'
import { idempotencySuite } from './suites/idempotency.ts'
import { invoiceSuite } from './suites/invoice.ts'
import { lookupSuite } from './suites/lookup.ts'
import { mailSuite } from './suites/mail.ts'
import { migrationSuite } from './suites/migration.ts'
import { originSuite } from './suites/origin.ts'
import { paymentSuite } from './suites/payment.ts'
import { swapSuite } from './suites/swap.ts'
import { transactionSuite } from './suites/transaction.ts'
import { usageSuite } from './suites/usage.ts'
import { viewingKeySuite } from './suites/viewing-key.ts'
import { webhookSuite } from './suites/webhook.ts'
import { withdrawalSuite } from './suites/withdrawal.ts'

/** The contract of a Store, the same on every database. Each new repository adds its suite here. */
const SUITES: readonly [name: string, suite: (engine: Engine) => void][] = [
  ['accounts', accountSuite],
  ['credentials', credentialSuite],
  ['usage', usageSuite],
  ['viewing keys', viewingKeySuite],
  ['database identity', originSuite],
  ['invoices', invoiceSuite],
  ['payments', paymentSuite],
  ['idempotency', idempotencySuite],
  ['swaps', swapSuite],
  ['chain', chainSuite],
  ['events', eventSuite],
  ['webhooks', webhookSuite],
  ['billing', billingSuite],
  ['withdrawals', withdrawalSuite],
  ['mails', mailSuite],
  ['dashboard', dashboardSuite],
  ['transactions', transactionSuite],
  ['lookups', lookupSuite],
  ['batched writes', crowdSuite],
  ['migrations', migrationSuite],
]

export function storeContract(engine: Engine): void {
  for (const [name, suite] of SUITES) describe(name, () => suite(engine))
}
