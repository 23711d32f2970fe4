import { mkdirSync } from 'node:fs'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { systemClock } from './adapters/clock.ts'
import { createDeliveryMeter } from './adapters/delivery-meter.ts'
import { addDeskGauges } from './adapters/desk-gauges.ts'
import { createKeyedHash } from './adapters/keyed-hash.ts'
import { createLightwalletd } from './adapters/lightwalletd.ts'
import { createLogger, type Logger } from './adapters/logger.ts'
import { createMailer } from './adapters/mail.ts'
import { createOneClick, noSwapProvider } from './adapters/oneclick.ts'
import { createOutbound } from './adapters/outbound.ts'
import { createManualPayout } from './adapters/payout-manual.ts'
import { systemRandom } from './adapters/random.ts'
import { createRates } from './adapters/rates.ts'
import { krakenRates } from './adapters/rates-kraken.ts'
import { createVault } from './adapters/vault.ts'
import { createViewer } from './adapters/viewer.ts'
import { createWatchMeter } from './adapters/watch-meter.ts'
import type { Config } from './config.ts'
import { nu63HeightOf } from './domain/chain.ts'
import type { App } from './http/app.ts'
import { createHttpServer } from './http/server.ts'
import type { Invoice } from './ports/invoice.ts'
import type { Clock, Random, Rows, Store } from './ports.ts'
import { type Accounts, createAccounts } from './services/accounts.ts'
import { createAddresses } from './services/addresses.ts'
import { createReassess } from './services/assessment.ts'
import { type Billing, createBilling } from './services/billing.ts'
import { type Credentials, createCredentials } from './services/credentials.ts'
import { createDashboard } from './services/dashboard.ts'
import { createDeliveries } from './services/deliveries.ts'
import { createExports } from './services/export.ts'
import { createInvoices, type Invoices } from './services/invoices.ts'
import { createMails } from './services/mail.ts'
import { openOperator } from './services/operator.ts'
import { createPayments } from './services/payments.ts'
import { createPayouts, type Payouts } from './services/payouts.ts'
import { createRetention } from './services/retention.ts'
import { createSecrets } from './services/secrets.ts'
import { createSignIn } from './services/sign-in.ts'
import { createSwapAssets } from './services/swap-assets.ts'
import { createSwapLooks, swapOfInvoice } from './services/swap-looks.ts'
import { createSwaps, type Swaps } from './services/swaps.ts'
import { createViewingKeys, type ViewingKeys } from './services/viewing-keys.ts'
import { createWatchKeys } from './services/watch-keys.ts'
import { createWebhooks, type Webhooks } from './services/webhooks.ts'
import { createWithdrawals, type Withdrawals } from './services/withdrawals.ts'
import { openStore } from './store/open.ts'
import { addSite, type Playground } from './web/site.ts'
import { startBilling } from './workers/billing.ts'
import { startDelivery } from './workers/delivery.ts'
import { startExpiry } from './workers/expiry.ts'
import { startMailing } from './workers/mail.ts'
import { startSwapWatch } from './workers/swaps.ts'
import { startUpkeep } from './workers/upkeep.ts'
import { startWatcher } from './workers/watcher.ts'

export interface ServiceOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** What the pages offer for trying, on a simulated network. */
  readonly playground?: Playground
}

/** The service while it runs. */
export interface Service {
  /** Where it answers; empty when this process has not the role `api`. */
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
  /** Stops taking work, finishes what is begun, and lets go of everything; bounded. */
  close(): Promise<void>
}

/**
 * Starts the parts that the roles ask for. What failed to start takes the rest down again.
 * @throws when the database, the encryption key or the address to listen at is not usable
 */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  if (config.sandbox)
    throw new Error('the settings name no network: the sandbox fills them in before the service starts')
  const { clock = systemClock, random = systemRandom, logger = createLogger(config.logLevel) } = options
  await using stack = new AsyncDisposableStack()
  const closing = <T extends { close(): Promise<void> }>(part: T): T => stack.adopt(part, it => it.close())
  const stopping = (worker: { stop(): Promise<void> }) => stack.adopt(worker, it => it.stop())
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  mkdirSync(config.dataDir, { recursive: true })
  const store = closing(await openStore(config.databaseUrl, { onFault: err => logger.error({ err }, 'database') }))
  const vault = createVault(config.encryptionKeys, random)
  await createSecrets({ store, vault }).check()
  const viewer = closing(createViewer({ log: logger }))

  const { network, plans, confirmations, lateWatchDays, webhookAllowPrivate: allowPrivate } = config
  const onError = (err: unknown) => logger.warn({ err }, 'could not note when a credential was used')
  const credentials = createCredentials({ store, clock, random, onError })
  stack.defer(() => credentials.settled())
  const accounts = createAccounts({ store, clock, random, network, plans, confirmations })
  const viewingKeys = createViewingKeys({ store, viewer, vault, clock, network })
  const addresses = createAddresses({ store, viewer, vault })
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays })
  const webhooks = createWebhooks({ store, vault, clock, random, allowPrivate })
  const outbound = stack.adopt(createOutbound({ allowPrivate }), it => it.close())
  const deliveries = createDeliveries({ store, vault, outbound, clock, random, log: logger })

  const { billingViewingKey } = config
  const operator =
    billingViewingKey === null
      ? null
      : await openOperator({ store, viewingKeys, clock, random, network, confirmations, billingViewingKey })
  // The operator says where the rates come from: any address will do.
  const neighbours = stack.adopt(createOutbound({ allowPrivate: true }), it => it.close())
  const source = krakenRates(config.ratesUrl, neighbours)
  const rates = createRates({ source, clock, maxAgeSecs: config.ratesMaxAgeSecs })
  const terms = config.withdrawals
  const billing = createBilling({ store, clock, plans, invoices, operator, log: logger })
  const withdrawals = createWithdrawals({ store, clock, random, vault, rates, invoices, operator, terms })
  const payouts = createPayouts({ store, clock, vault, provider: createManualPayout(logger), log: logger })
  addDeskGauges(registry, async () => ({ ...(await payouts.waiting()), plans: await billing.waiting() }))
  const settle = (rows: Rows, _before: Invoice, after: Invoice) =>
    after.purpose === 'plan' ? billing.settle(rows, after) : withdrawals.settle(rows, after)

  const reassess = createReassess({ settle, swapOf: swapOfInvoice })
  const provider = config.swap ? createOneClick({ ...config.swap, outbound: neighbours }) : noSwapProvider()
  const assets = createSwapAssets({ provider, clock, log: logger })
  const looks = createSwapLooks({ store, provider, reassess, clock, log: logger })
  const swaps = createSwaps({ store, provider, assets, looks, clock, random, log: logger })

  const keyedHash = createKeyedHash(config.encryptionKeys)
  const { registration } = config
  const signIn = createSignIn({ store, clock, random, keyedHash, network, confirmations, registration })
  const dashboard = createDashboard({ store, viewer, vault, clock, lateWatchDays })
  const exports = createExports({ store, clock })

  let url = ''
  const publicUrl = () => config.publicUrl ?? url
  if (config.roles.includes('api')) {
    const services = {
      store,
      accounts,
      viewingKeys,
      credentials,
      invoices,
      swaps,
      webhooks,
      exports,
      billing,
      withdrawals,
    }
    const playground = options.playground ?? null
    const site = (app: App, siteUrl: () => string) =>
      addSite(app, { ...services, dashboard, signIn, network, playground, publicUrl: siteUrl, clock, log: logger })
    url = await closing(await createHttpServer({ settings: config, ...services, site, log: logger, registry })).listen()
  }
  if (config.roles.includes('delivery')) {
    const meter = createDeliveryMeter(registry)
    stopping(startDelivery({ deliveries, store, clock, log: logger, meter }))
    if (config.mail) {
      const mailer = stack.adopt(createMailer(config.mail.smtpUrl, config.mail.from), it => it.close())
      const mails = createMails({ store, mailer, clock, random, keyedHash, registration, publicUrl, log: logger })
      stopping(startMailing({ store, mails, clock, log: logger }))
    }
  }

  if (config.roles.includes('watcher')) {
    const meter = createWatchMeter(registry, clock)
    const nu63Height = nu63HeightOf(network, config.sandboxNu63Height)
    const chain = closing(
      createLightwalletd({ urls: config.lightwalletdUrls, network, nu63Height, clock, log: logger }),
    )
    const payments = createPayments({ store, reassess, clock, log: logger, nu63Height, meter })
    const keys = createWatchKeys({ store, vault })
    const retention = createRetention({ store, clock })
    const tasks = [retention.pruneIdempotencyKeys, retention.pruneEvents, webhooks.prune]
    stopping(startUpkeep({ tasks, clock, log: logger }))
    stopping(startBilling({ billing, payouts, store, clock, log: logger }))
    stopping(startSwapWatch({ store, looks, clock, log: logger }))
    stopping(startExpiry({ payments, clock, log: logger }))
    stopping(startWatcher({ chain, viewer, payments, keys, clock, log: logger, meter }))
  }

  const running = stack.move()
  return {
    url,
    store,
    accounts,
    viewingKeys,
    credentials,
    invoices,
    swaps,
    webhooks,
    billing,
    withdrawals,
    payouts,
    close: () => running.disposeAsync(),
  }
}
