import { mkdirSync } from 'node:fs'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createKeyedHash } from './adapters/crypto/keyed-hash.ts'
import { createVault } from './adapters/crypto/vault.ts'
import { createOutbound } from './adapters/http-client/client.ts'
import { createLightwalletd } from './adapters/lightwalletd/chain.ts'
import { createWatchMeter } from './adapters/metrics/chain.ts'
import { createDeliveryMeter } from './adapters/metrics/delivery.ts'
import { addDeskGauges } from './adapters/metrics/withdrawal.ts'
import { createOneClick, noSwapProvider } from './adapters/oneclick/provider.ts'
import { createManualPayout } from './adapters/payout/manual.ts'
import { createRates } from './adapters/rates/cached.ts'
import { krakenRates } from './adapters/rates/kraken.ts'
import { createMailer } from './adapters/smtp/mailer.ts'
import { systemClock } from './adapters/system/clock.ts'
import { createLogger, type Logger } from './adapters/system/logger.ts'
import { systemRandom } from './adapters/system/random.ts'
import { createViewer } from './adapters/zcash/note-scanner.ts'
import type { Config } from './config/settings.ts'
import { type ConsensusParams, consensusParams } from './domain/network-upgrade.ts'
import type { App } from './http/app.ts'
import { createHttpServer } from './http/server.ts'
import type { Clock } from './ports/clock.ts'
import type { Outbound } from './ports/http-client.ts'
import { NO_WATCH_METER, type WatchMeter } from './ports/metrics.ts'
import type { Viewer } from './ports/note-scanner.ts'
import type { Random } from './ports/random.ts'
import type { Invoice } from './ports/repository/invoice.ts'
import type { Rows, Store } from './ports/store.ts'
import type { Vault } from './ports/vault.ts'
import { type Accounts, createAccounts } from './services/account.ts'
import { createAddresses } from './services/address.ts'
import { type Billing, createBilling } from './services/billing.ts'
import { createBlockSpacing } from './services/block-spacing.ts'
import { createChainProblems } from './services/chain-problem.ts'
import { createHeaders } from './services/chain-rewind.ts'
import { createRetention } from './services/cleanup.ts'
import { type Credentials, createCredentials } from './services/credentials.ts'
import { createDashboard } from './services/dashboard.ts'
import { createOrigin, type Origin } from './services/database-identity.ts'
import { createDeliveries } from './services/delivery.ts'
import { createSecrets } from './services/encryption-key.ts'
import { createExports } from './services/export.ts'
import { createInvoices, type Invoices } from './services/invoice.ts'
import { createReassess, createReport, type Reassess } from './services/invoice-state.ts'
import { createMails } from './services/mail.ts'
import { openOperator } from './services/operator.ts'
import { createPayments } from './services/payment.ts'
import { createPayouts, type Payouts } from './services/payout.ts'
import { createWatchKeys } from './services/scan-key.ts'
import { createSignIn } from './services/sign-in.ts'
import { createSwaps, type Swaps } from './services/swap.ts'
import { createSwapAssets } from './services/swap-asset.ts'
import { createSwapLooks, swapOfInvoice } from './services/swap-status.ts'
import { createViewingKeys, type ViewingKeys } from './services/viewing-key.ts'
import { createWebhooks, type Webhooks } from './services/webhook.ts'
import { createWithdrawals, type Withdrawals } from './services/withdrawal.ts'
import { openStore } from './store/open.ts'
import type { Playground } from './web/context.ts'
import { addSite, strayPage } from './web/site.ts'
import { startBilling } from './workers/billing.ts'
import { startWatcher } from './workers/chain/sync.ts'
import { startUpkeep } from './workers/cleanup.ts'
import { startDelivery } from './workers/delivery.ts'
import { startExpiry } from './workers/expiry.ts'
import { startMailing } from './workers/mail.ts'
import { startSwapWatch } from './workers/swap.ts'

export interface ServiceOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** Tools that the pages offer on a simulated network. */
  readonly playground?: Playground
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
  const infrastructure = await openWorld(config, options, stack)
  const services = await createServices(infrastructure)
  stack.defer(() => services.credentials.settled())
  const { roles } = config
  const url = roles.includes('api') ? await startApi(infrastructure, services, options.playground ?? null) : ''
  if (roles.includes('delivery')) startDeliveryRole(infrastructure, services, config.publicUrl ?? url)
  if (roles.includes('watcher')) startWatcherRole(infrastructure, services)

  const running = stack.move()
  return { url, store: infrastructure.store, ...services, close: () => running.disposeAsync() }
}

/** The adapters that the services use. `stack` closes all of them. */
export interface World {
  readonly config: Config
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly registry: Registry
  readonly store: Store
  readonly origin: Origin
  readonly vault: Vault
  readonly viewer: Viewer
  /** For webhooks: connects only to public addresses, unless WEBHOOK_ALLOW_PRIVATE is set. */
  readonly outbound: Outbound
  /** For services that the operator configured: connects to any address. */
  readonly neighbours: Outbound
  readonly stack: AsyncDisposableStack
}

/** @throws when the database cannot be opened, or its secrets are sealed under another key */
export async function openWorld(config: Config, options: ServiceOptions, stack: AsyncDisposableStack): Promise<World> {
  const { clock = systemClock, random = systemRandom, logger: log = createLogger(config.logLevel) } = options
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  mkdirSync(config.dataDir, { recursive: true })
  const onFault = (err: unknown) => log.error({ err }, 'database error')
  const store = closeLater(stack, await openStore(config.databaseUrl, { onFault }))
  const vault = createVault(config.encryptionKeys, random)
  await createSecrets({ store, vault }).check()
  const origin = createOrigin({ store, clock, random, lateWatchDays: config.lateWatchDays, log })
  await origin.check()
  const viewer = closeLater(stack, createViewer({ log }))
  const outbound = closeLater(stack, createOutbound({ allowPrivate: config.webhookAllowPrivate }))
  const neighbours = closeLater(stack, createOutbound({ allowPrivate: true }))
  const params = consensusParams(config.network, config.regtest)
  return { config, params, clock, random, log, registry, store, origin, vault, viewer, outbound, neighbours, stack }
}

type Services = Awaited<ReturnType<typeof createServices>>

/** Creates all services. Nothing runs yet. */
export async function createServices(infrastructure: World) {
  const { config, params, clock, random, log, store, origin, vault, viewer, neighbours } = infrastructure
  const { network, plans, confirmations, lateWatchDays, registration, billingViewingKey } = config

  const onError = (err: unknown) => log.warn({ err }, 'could not record when a credential was used')
  const credentials = createCredentials({ store, clock, random, onError })
  const accounts = createAccounts({ store, clock, random, network, plans, confirmations })
  const viewingKeys = createViewingKeys({ store, viewer, vault, clock, random, network })
  const addresses = createAddresses({ store, viewer, vault, origin })
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays })
  const webhooks = createWebhooks({ store, vault, clock, random, allowPrivate: config.webhookAllowPrivate })

  const operator =
    billingViewingKey === null
      ? null
      : await openOperator({ store, viewingKeys, clock, random, network, confirmations, billingViewingKey })
  const source = krakenRates(config.ratesUrl, neighbours)
  const rates = createRates({ source, clock, maxAgeSecs: config.ratesMaxAgeSecs })
  const terms = config.withdrawals
  const billing = createBilling({ store, clock, params, plans, invoices, operator, log })
  const keyedHash = createKeyedHash(config.encryptionKeys)
  const withdrawalDeps = { store, clock, random, vault, keyedHash, rates, invoices, operator, params, terms }
  const withdrawals = createWithdrawals(withdrawalDeps)
  const payouts = createPayouts({ store, clock, vault, provider: createManualPayout(log), log })
  const applyPayment = (tx: Rows, _before: Invoice, after: Invoice) =>
    after.purpose === 'plan' ? billing.settle(tx, after) : withdrawals.settle(tx, after)

  const reassess = createReassess({ settle: applyPayment, swapOf: swapOfInvoice })
  const provider = config.swap ? createOneClick({ ...config.swap, outbound: neighbours, clock }) : noSwapProvider()
  const assets = createSwapAssets({ provider, clock, log })
  const looks = createSwapLooks({ store, provider, clock, log })
  const swaps = createSwaps({ store, provider, assets, looks, clock, random, log })

  const signIn = createSignIn({ store, clock, random, keyedHash, network, confirmations, registration })
  const dashboard = createDashboard({ store, viewer, vault, clock, params, lateWatchDays })
  const exports = createExports({ store, clock })
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
    looks,
    payouts,
    rates,
    reassess,
    signIn,
    swaps,
    viewingKeys,
    webhooks,
    withdrawals,
  }
}

/** Serves the API and the pages. @returns the URL that the server listens on */
async function startApi(infrastructure: World, services: Services, playground: Playground | null): Promise<string> {
  const { config, clock, log, registry, store, origin, stack } = infrastructure
  await origin.begin()
  const { network } = config
  const { billing, payouts } = services
  addDeskGauges(registry, async () => ({ ...(await payouts.waiting()), plans: await billing.waiting() }))
  const site = (app: App, publicUrl: () => string) =>
    addSite(app, { ...services, network, playground, publicUrl, clock, log })
  const server = await createHttpServer({ settings: config, ...services, store, site, strayPage, log, registry })
  return closeLater(stack, server).listen()
}

/** Sends webhooks and mails. */
function startDeliveryRole(infrastructure: World, services: Services, publicUrl: string): void {
  const { config, clock, random, log, registry, store, vault, outbound, stack } = infrastructure
  const deliveries = createDeliveries({ store, vault, outbound, clock, random, log })
  stopLater(
    stack,
    startDelivery({ deliveries, store, clock, log, meter: createDeliveryMeter(registry, deliveries.countOpen) }),
  )
  if (!config.mail) return
  const mailer = closeLater(stack, createMailer(config.mail.smtpUrl, config.mail.from))
  const { keyedHash } = services
  const { registration } = config
  const mails = createMails({ store, mailer, clock, random, keyedHash, registration, publicUrl: () => publicUrl, log })
  stopLater(stack, startMailing({ store, mails, clock, log }))
}

/** Starts the chain sync and the scheduled jobs. */
function startWatcherRole(infrastructure: World, services: Services): void {
  const { clock, log, registry, store, viewer, stack } = infrastructure
  const { billing, payouts, looks, webhooks } = services
  const meter = createWatchMeter(registry, clock)
  const { chain, payments, headers, keys, chainProblems } = openWatch(infrastructure, services.reassess, meter)
  const retention = createRetention({ store, clock })
  const tasks = [retention.pruneIdempotencyKeys, retention.pruneEvents, webhooks.prune]
  stopLater(stack, startUpkeep({ tasks, clock, log }))
  stopLater(stack, startBilling({ billing, payouts, store, clock, log }))
  stopLater(stack, startSwapWatch({ store, looks, clock, log }))
  stopLater(stack, startExpiry({ payments, clock, log }))
  stopLater(stack, startWatcher({ chain, viewer, payments, headers, keys, chainProblems, clock, log, meter }))
}

/** Creates what chain sync and `rescan` need to read the chain. */
export function openWatch(infrastructure: World, reassess: Reassess, meter: WatchMeter = NO_WATCH_METER) {
  const { config, params, clock, log, store, vault, stack } = infrastructure
  const { lightwalletdUrls: urls } = config
  const report = createReport({ log, meter })
  return {
    chain: closeLater(stack, createLightwalletd({ urls, params, clock, log })),
    payments: createPayments({ store, reassess, report, clock, params }),
    headers: createHeaders({ store, reassess, report, clock, log }),
    keys: createWatchKeys({ store, vault }),
    chainProblems: createChainProblems({ store, clock }),
  }
}

function closeLater<T extends { close(): unknown }>(stack: AsyncDisposableStack, resource: T): T {
  return stack.adopt(resource, async adopted => void (await adopted.close()))
}

function stopLater(stack: AsyncDisposableStack, worker: { stop(): Promise<void> }): void {
  stack.adopt(worker, adopted => adopted.stop())
}
