import { mkdirSync } from 'node:fs'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createKeyedHash } from './adapters/crypto/keyed-hash.ts'
import { createVault } from './adapters/crypto/vault.ts'
import { createHttpClient } from './adapters/http-client/client.ts'
import { createLightwalletd } from './adapters/lightwalletd/chain.ts'
import { createChainSyncMetrics } from './adapters/metrics/chain.ts'
import { createDeliveryMetrics } from './adapters/metrics/delivery.ts'
import { addOperatorMetrics } from './adapters/metrics/withdrawal.ts'
import { createOneClick, disabledSwapProvider } from './adapters/oneclick/provider.ts'
import { createManualPayout } from './adapters/payout/manual.ts'
import { createCachedRates } from './adapters/rates/cached.ts'
import { krakenRates } from './adapters/rates/kraken.ts'
import { createSmtpMailer } from './adapters/smtp/mailer.ts'
import { systemClock } from './adapters/system/clock.ts'
import { createLogger, type Logger } from './adapters/system/logger.ts'
import { systemRandom } from './adapters/system/random.ts'
import { createNoteScanner } from './adapters/zcash/note-scanner.ts'
import type { Config } from './config/settings.ts'
import { type ConsensusParams, consensusParams } from './domain/network-upgrade.ts'
import type { App } from './http/app.ts'
import { createHttpServer } from './http/server.ts'
import type { Clock } from './ports/clock.ts'
import type { HttpClient } from './ports/http-client.ts'
import { type ChainSyncMetrics, NO_CHAIN_SYNC_METRICS } from './ports/metrics.ts'
import type { NoteScanner } from './ports/note-scanner.ts'
import type { Random } from './ports/random.ts'
import type { Invoice } from './ports/repository/invoice.ts'
import type { Store, Tx } from './ports/store.ts'
import type { Vault } from './ports/vault.ts'
import { type Accounts, createAccounts } from './services/account.ts'
import { createAddresses } from './services/address.ts'
import { type Billing, createBilling } from './services/billing.ts'
import { createBlockSpacing } from './services/block-spacing.ts'
import { createChainProblems } from './services/chain-problem.ts'
import { createHeaderChain } from './services/chain-rewind.ts'
import { createRetention } from './services/cleanup.ts'
import { type Credentials, createCredentials } from './services/credentials.ts'
import { createDashboard } from './services/dashboard.ts'
import { createDatabaseIdentity, type DatabaseIdentity } from './services/database-identity.ts'
import { createDeliveries } from './services/delivery.ts'
import { createSecrets } from './services/encryption-key.ts'
import { createInvoiceExports } from './services/export.ts'
import { createInvoices, type Invoices } from './services/invoice.ts'
import { createChangeReporter, createInvoiceUpdater, type UpdateInvoices } from './services/invoice-state.ts'
import { createMails } from './services/mail.ts'
import { ensureOperatorAccount } from './services/operator.ts'
import { createPayments } from './services/payment.ts'
import { createPayouts, type Payouts } from './services/payout.ts'
import { createScanKeys } from './services/scan-key.ts'
import { createSignIn } from './services/sign-in.ts'
import { createSwaps, type Swaps } from './services/swap.ts'
import { createSwapAssets } from './services/swap-asset.ts'
import { createSwapStatusPoller, swapInInvoiceEvent } from './services/swap-status.ts'
import { createViewingKeys, type ViewingKeys } from './services/viewing-key.ts'
import { createWebhooks, type Webhooks } from './services/webhook.ts'
import { createWithdrawals, type Withdrawals } from './services/withdrawal.ts'
import { openStore } from './store/open.ts'
import type { SandboxTools } from './web/context.ts'
import { addSite, notFoundPage } from './web/site.ts'
import { startBillingLoop } from './workers/billing.ts'
import { startChainSync } from './workers/chain/sync.ts'
import { startCleanup } from './workers/cleanup.ts'
import { startDeliveryWorker } from './workers/delivery.ts'
import { startExpiryLoop } from './workers/expiry.ts'
import { startMailLoop } from './workers/mail.ts'
import { startSwapPolling } from './workers/swap.ts'

export interface ServiceOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** Tools that the pages offer on a simulated network. */
  readonly sandboxTools?: SandboxTools
}

/** A running service. */
export interface Service {
  /** The address of the API; empty when this process does not have the role `api`. */
  readonly url: string
  readonly store: Store
  readonly accounts: Accounts
  readonly viewingKeys: ViewingKeys
  readonly credentials: Credentials
  readonly invoices: Invoices
  readonly swaps: Swaps
  readonly webhooks: Webhooks
  readonly billing: Billing
  readonly withdrawals: Withdrawals
  readonly payouts: Payouts
  /** Stops accepting work, finishes work in progress within time limits, and releases all resources. */
  close(): Promise<void>
}

/**
 * Starts the components of the configured roles. When one fails to start, all are closed again.
 * @throws when the database, the encryption key or the listen address is not usable
 */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  if (config.sandbox)
    throw new Error('the settings name no network: the sandbox completes them before the service starts')
  await using stack = new AsyncDisposableStack()
  const infrastructure = await openInfrastructure(config, options, stack)
  const services = await createServices(infrastructure)
  stack.defer(() => services.credentials.whenIdle())
  const { roles } = config
  const url = roles.includes('api') ? await startApi(infrastructure, services, options.sandboxTools ?? null) : ''
  if (roles.includes('delivery')) startDeliveryRole(infrastructure, services, config.publicUrl ?? url)
  if (roles.includes('watcher')) startWatcherRole(infrastructure, services)

  const running = stack.move()
  return { url, store: infrastructure.store, ...services, close: () => running.disposeAsync() }
}

/** The adapters that the services use. `stack` closes all of them. */
export interface Infrastructure {
  readonly config: Config
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly registry: Registry
  readonly store: Store
  readonly databaseIdentity: DatabaseIdentity
  readonly vault: Vault
  readonly noteScanner: NoteScanner
  /** For webhooks: connects only to public addresses, unless WEBHOOK_ALLOW_PRIVATE is set. */
  readonly webhookHttp: HttpClient
  /** For services that the operator configured: connects to any address. */
  readonly trustedHttp: HttpClient
  readonly stack: AsyncDisposableStack
}

/** @throws when the database cannot be opened, or its secrets are sealed under another key */
export async function openInfrastructure(
  config: Config,
  options: ServiceOptions,
  stack: AsyncDisposableStack,
): Promise<Infrastructure> {
  const { clock = systemClock, random = systemRandom, logger: log = createLogger(config.logLevel) } = options
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  mkdirSync(config.dataDir, { recursive: true })
  const onError = (err: unknown) => log.error({ err }, 'database error')
  const store = closeLater(stack, await openStore(config.databaseUrl, { onError }))
  const vault = createVault(config.encryptionKeys, random)
  await createSecrets({ store, vault }).check()
  const databaseIdentity = createDatabaseIdentity({ store, clock, random, lateWatchDays: config.lateWatchDays, log })
  await databaseIdentity.advanceCountersIfCopy()
  const noteScanner = closeLater(stack, createNoteScanner({ log }))
  const webhookHttp = closeLater(stack, createHttpClient({ allowPrivate: config.webhookAllowPrivate }))
  const trustedHttp = closeLater(stack, createHttpClient({ allowPrivate: true }))
  const params = consensusParams(config.network, config.regtest)
  return {
    config,
    params,
    clock,
    random,
    log,
    registry,
    store,
    databaseIdentity,
    vault,
    noteScanner,
    webhookHttp,
    trustedHttp,
    stack,
  }
}

type Services = Awaited<ReturnType<typeof createServices>>

/** Creates all services. Nothing runs yet. */
export async function createServices(infrastructure: Infrastructure) {
  const { config, params, clock, random, log, store, databaseIdentity, vault, noteScanner, trustedHttp } =
    infrastructure
  const { network, plans, confirmations, lateWatchDays, registration, billingViewingKey } = config

  const onError = (err: unknown) => log.warn({ err }, 'could not record when a credential was used')
  const credentials = createCredentials({ store, clock, random, onError })
  const accounts = createAccounts({ store, clock, random, network, plans, confirmations })
  const viewingKeys = createViewingKeys({ store, noteScanner, vault, clock, random, network })
  const addresses = createAddresses({ store, noteScanner, vault, databaseIdentity })
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays })
  const webhooks = createWebhooks({ store, vault, clock, random, allowPrivate: config.webhookAllowPrivate })

  const operator =
    billingViewingKey === null
      ? null
      : await ensureOperatorAccount({ store, viewingKeys, clock, random, network, confirmations, billingViewingKey })
  const source = krakenRates(config.ratesUrl, trustedHttp)
  const rates = createCachedRates({ source, clock, maxAgeSecs: config.ratesMaxAgeSecs })
  const terms = config.withdrawals
  const billing = createBilling({ store, clock, params, plans, invoices, operator, log })
  const keyedHash = createKeyedHash(config.encryptionKeys)
  const withdrawalDeps = { store, clock, random, vault, keyedHash, rates, invoices, operator, params, terms }
  const withdrawals = createWithdrawals(withdrawalDeps)
  const payouts = createPayouts({ store, clock, vault, provider: createManualPayout(log), log })
  const applyPayment = (tx: Tx, _before: Invoice, after: Invoice) =>
    after.purpose === 'plan' ? billing.applyPayment(tx, after) : withdrawals.applyPayment(tx, after)

  const updateInvoices = createInvoiceUpdater({ applyPayment, swapOf: swapInInvoiceEvent })
  const provider = config.swap ? createOneClick({ ...config.swap, http: trustedHttp, clock }) : disabledSwapProvider()
  const assets = createSwapAssets({ provider, clock, log })
  const swapStatus = createSwapStatusPoller({ store, provider, clock, log })
  const swaps = createSwaps({ store, provider, assets, swapStatus, clock, random, log })

  const signIn = createSignIn({ store, clock, random, keyedHash, network, confirmations, registration })
  const dashboard = createDashboard({ store, noteScanner, vault, clock, params, lateWatchDays })
  const exports = createInvoiceExports({ store, clock })
  const blockSpacing = createBlockSpacing({ store, params })
  return {
    accounts,
    billing,
    blockSpacing,
    credentials,
    dashboard,
    exports,
    invoices,
    keyedHash,
    looks: swapStatus,
    payouts,
    rates,
    reassess: updateInvoices,
    signIn,
    swaps,
    viewingKeys,
    webhooks,
    withdrawals,
  }
}

/** Serves the API and the pages. @returns the URL that the server listens on */
async function startApi(
  infrastructure: Infrastructure,
  services: Services,
  sandboxTools: SandboxTools | null,
): Promise<string> {
  const { config, clock, log, registry, store, databaseIdentity, stack } = infrastructure
  await databaseIdentity.advanceCountersAtStart()
  const { network } = config
  const { billing, payouts } = services
  addOperatorMetrics(registry, async () => ({
    ...(await payouts.countWaiting()),
    plans: await billing.countNeedingAttention(),
  }))
  const site = (app: App, publicUrl: () => string) =>
    addSite(app, { ...services, network, sandboxTools, publicUrl, clock, log })
  const server = await createHttpServer({ settings: config, ...services, store, site, notFoundPage, log, registry })
  return closeLater(stack, server).listen()
}

/** Sends webhooks and mails. */
function startDeliveryRole(infrastructure: Infrastructure, services: Services, publicUrl: string): void {
  const { config, clock, random, log, registry, store, vault, webhookHttp, stack } = infrastructure
  const deliveries = createDeliveries({ store, vault, webhookHttp, clock, random, log })
  stopLater(
    stack,
    startDeliveryWorker({
      deliveries,
      store,
      clock,
      log,
      metrics: createDeliveryMetrics(registry, deliveries.countOpen),
    }),
  )
  if (!config.mail) return
  const mailer = closeLater(stack, createSmtpMailer(config.mail.smtpUrl, config.mail.from))
  const { keyedHash } = services
  const { registration } = config
  const mails = createMails({ store, mailer, clock, random, keyedHash, registration, publicUrl: () => publicUrl, log })
  stopLater(stack, startMailLoop({ store, mails, clock, log }))
}

/** Starts the chain sync and the scheduled jobs. */
function startWatcherRole(infrastructure: Infrastructure, services: Services): void {
  const { clock, log, registry, store, noteScanner, stack } = infrastructure
  const { billing, payouts, looks, webhooks } = services
  const metrics = createChainSyncMetrics(registry, clock)
  const { chain, payments, headers, keys, chainProblems } = openChainSync(infrastructure, services.reassess, metrics)
  const retention = createRetention({ store, clock })
  const tasks = [retention.pruneIdempotencyKeys, retention.pruneEvents, webhooks.prune]
  stopLater(stack, startCleanup({ tasks, clock, log }))
  stopLater(stack, startBillingLoop({ billing, payouts, store, clock, log }))
  stopLater(stack, startSwapPolling({ store, poller: looks, clock, log }))
  stopLater(stack, startExpiryLoop({ payments, clock, log }))
  stopLater(
    stack,
    startChainSync({ chain, noteScanner, payments, recordedChain: headers, keys, chainProblems, clock, log, metrics }),
  )
}

/** Creates what chain sync and `rescan` need to read the chain. */
export function openChainSync(
  infrastructure: Infrastructure,
  updateInvoices: UpdateInvoices,
  metrics: ChainSyncMetrics = NO_CHAIN_SYNC_METRICS,
) {
  const { config, params, clock, log, store, vault, stack } = infrastructure
  const { lightwalletdUrls: urls } = config
  const reportChanges = createChangeReporter({ log, metrics })
  return {
    chain: closeLater(stack, createLightwalletd({ urls, params, clock, log })),
    payments: createPayments({ store, updateInvoices, reportChanges, clock, params }),
    headers: createHeaderChain({ store, updateInvoices, reportChanges, clock, log }),
    keys: createScanKeys({ store, vault }),
    chainProblems: createChainProblems({ store, clock }),
  }
}

function closeLater<T extends { close(): unknown }>(stack: AsyncDisposableStack, resource: T): T {
  return stack.adopt(resource, async adopted => void (await adopted.close()))
}

function stopLater(stack: AsyncDisposableStack, worker: { stop(): Promise<void> }): void {
  stack.adopt(worker, adopted => adopted.stop())
}
