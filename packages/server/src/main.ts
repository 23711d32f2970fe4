import { mkdirSync } from 'node:fs'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { systemClock } from './adapters/clock.ts'
import { createLogger, type Logger } from './adapters/logger.ts'
import { systemRandom } from './adapters/random.ts'
import { createVault } from './adapters/vault.ts'
import { createViewer } from './adapters/viewer.ts'
import type { Config } from './config.ts'
import { createHttpServer } from './http/server.ts'
import type { Clock, Random, Store } from './ports.ts'
import { type Accounts, createAccounts } from './services/accounts.ts'
import { createAddresses } from './services/addresses.ts'
import { type Credentials, createCredentials } from './services/credentials.ts'
import { createInvoices, type Invoices } from './services/invoices.ts'
import { createSecrets } from './services/secrets.ts'
import { createViewingKeys, type ViewingKeys } from './services/viewing-keys.ts'
import { openStore } from './store/open.ts'

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
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  mkdirSync(config.dataDir, { recursive: true })
  const store = closing(await openStore(config.databaseUrl, { onFault: err => logger.error({ err }, 'database') }))
  const vault = createVault(config.encryptionKeys, random)
  await createSecrets({ store, vault }).check()
  const viewer = closing(createViewer({ log: logger }))

  const { network, plans, confirmations, lateWatchDays } = config
  const onError = (err: unknown) => logger.warn({ err }, 'could not note when a credential was used')
  const credentials = createCredentials({ store, clock, random, onError })
  stack.defer(() => credentials.settled())
  const accounts = createAccounts({ store, clock, random, network, plans, confirmations })
  const viewingKeys = createViewingKeys({ store, viewer, vault, clock, network })
  const addresses = createAddresses({ store, viewer, vault })
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays })

  let url = ''
  if (config.roles.includes('api')) {
    const services = { store, accounts, viewingKeys, credentials, invoices }
    url = await closing(await createHttpServer({ settings: config, ...services, log: logger, registry })).listen()
  }

  const running = stack.move()
  return { url, store, accounts, viewingKeys, credentials, invoices, close: () => running.disposeAsync() }
}
