import type { Config } from './config/settings.ts'
import type { Account } from './domain/account/account.ts'
import type { Invoice } from './domain/sale/invoice.ts'
import { type Infrastructure, type Overrides, openInfrastructure } from './infrastructure.ts'
import type { Mailer } from './ports/mailer.ts'
import type { Tx } from './ports/store.ts'
import { createAccounts } from './services/account/account.ts'
import { createAccountDeletions } from './services/account/account-deletion.ts'
import { createApiKeys } from './services/account/api-key.ts'
import { createAuditLog } from './services/account/audit.ts'
import { createBilling } from './services/account/billing.ts'
import { createEmailChanges } from './services/account/email-change.ts'
import { ensureOperatorAccount } from './services/account/operator.ts'
import { createSessions } from './services/account/session.ts'
import { createSignIn } from './services/account/sign-in.ts'
import { createSignInLinks } from './services/account/sign-in-link.ts'
import { createStoreProfiles } from './services/account/store-profile.ts'
import { createViewingKeys } from './services/account/viewing-key.ts'
import { createBackups } from './services/backup.ts'
import { createBlockSpacing } from './services/chain/block-spacing.ts'
import { createChainProblems } from './services/chain/chain-problem.ts'
import { createChainRecorder } from './services/chain/chain-sync.ts'
import { createMissedBlocks } from './services/chain/missed-blocks.ts'
import { createRecordedChain } from './services/chain/recorded-chain.ts'
import { createScanKeys } from './services/chain/scan-key.ts'
import { createSyncStatus } from './services/chain/sync-status.ts'
import { createWatchedKeys } from './services/chain/watched-key.ts'
import { createWitnesses } from './services/chain/witness.ts'
import { createCleanup } from './services/cleanup.ts'
import { createDatabaseIdentity } from './services/database-identity.ts'
import { createSecrets } from './services/encryption-key.ts'
import { createDeliveries } from './services/notify/delivery.ts'
import { createEndpoints } from './services/notify/endpoint.ts'
import { createEndpointDeliveries } from './services/notify/endpoint-delivery.ts'
import { createEventFeed } from './services/notify/event-feed.ts'
import { createEventLog } from './services/notify/event-log.ts'
import { createInvoiceFeed } from './services/notify/invoice-feed.ts'
import { createMails } from './services/notify/mail.ts'
import { createOutbox } from './services/notify/outbox.ts'
import { createReceiptMails } from './services/notify/receipt-mail.ts'
import { createWebhooks } from './services/notify/webhook.ts'
import { createPayouts } from './services/payout/payout.ts'
import { createWithdrawals } from './services/payout/withdrawal.ts'
import { createWithdrawalTransition } from './services/payout/withdrawal-transition.ts'
import { createReadiness } from './services/readiness.ts'
import { createAddresses } from './services/sale/address.ts'
import { createDashboard } from './services/sale/dashboard.ts'
import { createExports } from './services/sale/export.ts'
import { createGreenfieldInvoices } from './services/sale/greenfield-invoice.ts'
import { createInvoices } from './services/sale/invoice.ts'
import { createInvoiceCancellations } from './services/sale/invoice-cancellation.ts'
import { createInvoiceExpiry } from './services/sale/invoice-expiry.ts'
import { createInvoiceMarks } from './services/sale/invoice-mark.ts'
import { createInvoiceRetry } from './services/sale/invoice-retry.ts'
import { createChangeReporter, createInvoiceUpdater } from './services/sale/invoice-state.ts'
import { createInvoiceTexts } from './services/sale/invoice-text.ts'
import { createPaymentLinks } from './services/sale/payment-link.ts'
import { applyLinkChanges, createLinkSales } from './services/sale/payment-link-sale.ts'
import { createPublicInvoices } from './services/sale/public-invoice.ts'
import { createReceipts } from './services/sale/receipt.ts'
import { createRefunds } from './services/sale/refund.ts'
import { createRefundLinks } from './services/sale/refund-link.ts'
import { createSwaps } from './services/sale/swap.ts'
import { createSwapAssets } from './services/sale/swap-asset.ts'
import { createSwapStatusPoller, swapInInvoiceEvent } from './services/sale/swap-status.ts'
import { createSetAsides } from './services/set-aside.ts'
import { NEWEST_MIGRATION } from './store/migrations/index.ts'

/** All services of a process. */
export type Services = ReturnType<typeof createServices>

/** The adapters and services of a process. Nothing runs yet. */
export interface Container {
  readonly infrastructure: Infrastructure
  readonly services: Services
  /** The account that receives payments for plans and deposits; null without a billing viewing key. */
  readonly operator: Account | null
}

/**
 * Builds every adapter and every service once. `start`, the commands and the tests share it.
 * @param stack closes the adapters that this function has opened
 * @throws when the database cannot be opened, or its secrets are sealed under another key
 */
export async function openContainer(
  config: Config,
  overrides: Overrides,
  stack: AsyncDisposableStack,
): Promise<Container> {
  const infrastructure = await openInfrastructure(config, overrides, stack)
  const operator = overrides.isPrepared === false ? null : await prepareDatabase(infrastructure)
  const services = createServices(infrastructure, operator)
  stack.defer(() => services.apiKeys.whenIdle())
  stack.defer(() => services.sessions.whenIdle())
  return { infrastructure, services, operator }
}

/**
 * Checks the encryption key, protects a restored copy, and creates the operator's account.
 * @returns the operator's account
 */
async function prepareDatabase(infrastructure: Infrastructure): Promise<Account | null> {
  const { config, clock, random, log, store, vault, noteScanner } = infrastructure
  const { network, confirmations, lateWatchDays, billingViewingKey } = config
  const watchedKeys = createWatchedKeys(config)
  await createSecrets({ store, vault }).check()
  await createDatabaseIdentity({ store, clock, random, lateWatchDays, log }).advanceCountersIfCopy()
  if (billingViewingKey === null) return null
  const viewingKeys = createViewingKeys({ store, noteScanner, vault, clock, random, network, watchedKeys })
  return ensureOperatorAccount({ store, viewingKeys, clock, random, network, confirmations, billingViewingKey })
}

/**
 * Builds every service. Reads and writes nothing.
 * @param operator the account that receives payments for plans and deposits; null: neither is offered
 */
export function createServices(infrastructure: Infrastructure, operator: Account | null) {
  const { config, params, clock, random, log, metrics, store, vault, keyedHash, noteScanner } = infrastructure
  const { network, plans, confirmations, lateWatchDays, registration } = config
  const { swapProvider: provider } = infrastructure

  const databaseIdentity = createDatabaseIdentity({ store, clock, random, lateWatchDays, log })
  const onError = (err: unknown) => log.warn({ err }, 'could not record when a credential was used')
  const outbox = createOutbox({ random })
  const setAsides = createSetAsides({ store, clock, log, metrics })
  const accounts = createAccounts({ store, outbox, clock, random, network, plans, confirmations })
  const signIn = createSignIn({ store, clock, random, keyedHash, network, confirmations, registration, log, metrics })
  const watchedKeys = createWatchedKeys(config)
  const viewingKeys = createViewingKeys({ store, noteScanner, vault, clock, random, network, watchedKeys })
  const addresses = createAddresses({ store, noteScanner, vault, databaseIdentity, clock, log })
  const invoices = createInvoices({ ...infrastructure, addresses, plans, lateWatchDays, watchedKeys })

  const billing = createBilling({ ...infrastructure, outbox, plans, invoices, operator, setAsides })
  const transitionWithdrawal = createWithdrawalTransition({ outbox })
  const orders = { transitionWithdrawal, invoices, operator, terms: config.withdrawals }
  const withdrawals = createWithdrawals({ ...infrastructure, ...orders })

  const applyPayment = (tx: Tx, _before: Invoice, after: Invoice) =>
    after.purpose === 'plan' ? billing.applyPayment(tx, after) : withdrawals.applyPayment(tx, after)
  const updateInvoices = createInvoiceUpdater({
    outbox,
    applyPayment,
    applyLinkChanges: applyLinkChanges(plans),
    swapOf: swapInInvoiceEvent,
  })
  const reportChanges = createChangeReporter({ log, metrics })
  const witnesses = createWitnesses({ store, updateInvoices, reportChanges, clock, log })
  const chainRecorder = createChainRecorder({ ...infrastructure, updateInvoices, reportChanges, witnesses, setAsides })
  const assets = createSwapAssets({ provider, clock, log })
  const swapStatus = createSwapStatusPoller({ ...infrastructure, outbox, provider, setAsides })
  const swaps = createSwaps({ store, outbox, provider, assets, swapStatus, clock, random, log })
  return {
    accounts,
    accountDeletions: createAccountDeletions({ store, clock, log, setAsides }),
    addresses,
    apiKeys: createApiKeys({ store, clock, random, onError }),
    auditLog: createAuditLog({ store, clock }),
    backups: createBackups(infrastructure),
    billing,
    blockSpacing: createBlockSpacing({ store, params }),
    cancellations: createInvoiceCancellations({ store, updateInvoices, reportChanges, clock }),
    chainProblems: createChainProblems({ store, clock }),
    chainRecorder,
    cleanup: createCleanup({ ...infrastructure, ...config }),
    dashboard: createDashboard({ store, noteScanner, vault, clock, params, lateWatchDays }),
    databaseIdentity,
    emailChanges: createEmailChanges({ store, clock, random, keyedHash, log, metrics }),
    deliveries: createDeliveries({ ...infrastructure, setAsides }),
    exports: createExports({ store, clock }),
    greenfieldInvoices: createGreenfieldInvoices({ store, clock }),
    endpointDeliveries: createEndpointDeliveries({ ...infrastructure, setAsides }),
    endpoints: createEndpoints({ ...infrastructure, allowPrivate: config.webhookAllowPrivate }),
    eventFeed: createEventFeed({ store, clock }),
    eventLog: createEventLog(store),
    invoiceFeed: createInvoiceFeed({ store }),
    invoiceExpiry: createInvoiceExpiry({ store, updateInvoices, reportChanges, clock, params }),
    retryInvoices: createInvoiceRetry({ ...infrastructure, chainRecorder, updateInvoices, reportChanges, setAsides }),
    invoices,
    invoiceTexts: createInvoiceTexts({ ...infrastructure, ...config }),
    marks: createInvoiceMarks({ store, outbox, updateInvoices, reportChanges, clock }),
    linkSales: createLinkSales({ ...infrastructure, plans, invoices }),
    missedBlocks: createMissedBlocks({ store, clock, log }),
    outbox,
    paymentLinks: createPaymentLinks(infrastructure),
    payouts: createPayouts({ store, transitionWithdrawal, clock, vault }),
    publicInvoices: createPublicInvoices({ ...infrastructure, ...config, invoices }),
    readiness: createReadiness({ store, clock, params, newestMigration: NEWEST_MIGRATION, roles: config.roles }),
    receiptMails: createReceiptMails({ store, clock, keyedHash, offered: infrastructure.mailer !== null }),
    receipts: createReceipts({ store }),
    recordedChain: createRecordedChain({ store, updateInvoices, reportChanges, clock, log, setAsides }),
    refundLinks: createRefundLinks({ ...infrastructure, ...config, outbox }),
    refunds: createRefunds({ ...infrastructure, outbox, network }),
    scanKeys: createScanKeys({ store, vault, setAsides, metrics }),
    setAsides,
    secrets: createSecrets({ store, vault }),
    sessions: createSessions({ store, clock, random, onError }),
    signIn,
    signInLinks: createSignInLinks({ store, clock, random, keyedHash }),
    storeProfiles: createStoreProfiles(infrastructure),
    swapStatus,
    swaps,
    syncStatus: createSyncStatus({ store, clock }),
    updateInvoices,
    viewingKeys,
    webhooks: createWebhooks({ store, vault, clock, random, allowPrivate: config.webhookAllowPrivate }),
    withdrawals,
    witnesses,
  }
}

/** The mails of the service. @param publicUrl where the pages are; the texts link there */
export function createMailService(infrastructure: Infrastructure, mailer: Mailer, publicUrl: () => string) {
  const { registration } = infrastructure.config
  return createMails({ ...infrastructure, setAsides: createSetAsides(infrastructure), mailer, registration, publicUrl })
}
