import { mkdirSync } from 'node:fs'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { systemClock } from './adapters/clock.ts'
import { createDeliveryMeter } from './adapters/delivery-meter.ts'
import { createLightwalletd } from './adapters/lightwalletd.ts'
import { createLogger, type Logger } from './adapters/logger.ts'
import { createOutbound } from './adapters/outbound.ts'
import { systemRandom } from './adapters/random.ts'
import { createVault } from './adapters/vault.ts'
import { createViewer } from './adapters/viewer.ts'
import { createWatchMeter } from './adapters/watch-meter.ts'
import type { Config } from './config.ts'
import { nu63HeightOf } from './domain/chain.ts'
import { createHttpServer } from './http/server.ts'
import type { Clock, Random, Store } from './ports.ts'
import { type Accounts, createAccounts } from './services/accounts.ts'
import { createAddresses } from './services/addresses.ts'
import { createReassess } from './services/assessment.ts'
import { type Credentials, createCredentials } from './services/credentials.ts'
import { createDeliveries } from './services/deliveries.ts'
import { createInvoices, type Invoices } from './services/invoices.ts'
import { createPayments } from './services/payments.ts'
import { createRetention } from './services/retention.ts'
import { createSecrets } from './services/secrets.ts'
import { createViewingKeys, type ViewingKeys } from './services/viewing-keys.ts'
import { createWatchKeys } from './services/watch-keys.ts'
import { createWebhooks, type Webhooks } from './services/webhooks.ts'
import { openStore } from './store/open.ts'
import { startDelivery } from './workers/delivery.ts'
import { startExpiry } from './workers/expiry.ts'
import { startUpkeep } from './workers/upkeep.ts'
import { startWatcher } from './workers/watcher.ts'

export interface ServiceOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
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
  readonly webhooks: Webhooks
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

  let url = ''
  if (config.roles.includes('api')) {
    const services = { store, accounts, viewingKeys, credentials, invoices, webhooks }
    url = await closing(await createHttpServer({ settings: config, ...services, log: logger, registry })).listen()
  }
  if (config.roles.includes('delivery')) {
    const meter = createDeliveryMeter(registry)
    stopping(startDelivery({ deliveries, store, clock, log: logger, meter }))
  }

  if (config.roles.includes('watcher')) {
    const meter = createWatchMeter(registry, clock)
    const nu63Height = nu63HeightOf(network, config.sandboxNu63Height)
    const chain = closing(
      createLightwalletd({ urls: config.lightwalletdUrls, network, nu63Height, clock, log: logger }),
    )
    const payments = createPayments({ store, reassess: createReassess(), clock, log: logger, nu63Height, meter })
    const keys = createWatchKeys({ store, vault })
    const retention = createRetention({ store, clock })
    const tasks = [retention.pruneIdempotencyKeys, retention.pruneEvents, webhooks.prune]
    stopping(startUpkeep({ tasks, clock, log: logger }))
    stopping(startExpiry({ payments, clock, log: logger }))
    stopping(startWatcher({ chain, viewer, payments, keys, clock, log: logger, meter }))
  }

  const running = stack.move()
  return { url, store, accounts, viewingKeys, credentials, invoices, webhooks, close: () => running.disposeAsync() }
}
