import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '@zatgate/zcash/spending-key'
import type { KeyExpiry } from '@zatgate/zcash/viewing-key'
import { Registry } from 'prom-client'
import { createKeyedHash } from '../../src/adapters/crypto/keyed-hash.ts'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { disabledSwapProvider } from '../../src/adapters/oneclick/provider.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import type { Account } from '../../src/domain/account.ts'
import { consensusParams } from '../../src/domain/network-upgrade.ts'
import { DEFAULT_PLANS, type Plan } from '../../src/domain/plan.ts'
import { createHttpServer, type HttpSettings } from '../../src/http/server.ts'
import type { Log } from '../../src/ports/log.ts'
import type { NoteScanner } from '../../src/ports/note-scanner.ts'
import type { Rates } from '../../src/ports/rates.ts'
import type { Store } from '../../src/ports/store.ts'
import type { SwapProvider } from '../../src/ports/swap-provider.ts'
import { type Accounts, createAccounts } from '../../src/services/account.ts'
import { createAddresses } from '../../src/services/address.ts'
import { createBilling } from '../../src/services/billing.ts'
import { type Credentials, createCredentials } from '../../src/services/credentials.ts'
import { createDatabaseIdentity } from '../../src/services/database-identity.ts'
import { createInvoiceExports } from '../../src/services/export.ts'
import { createInvoices, type Invoices } from '../../src/services/invoice.ts'
import { ensureOperatorAccount } from '../../src/services/operator.ts'
import { createSwaps, type Swaps } from '../../src/services/swap.ts'
import { createSwapAssets } from '../../src/services/swap-asset.ts'
import { createSwapStatusPoller, type SwapStatusPoller } from '../../src/services/swap-status.ts'
import { createViewingKeys, type ViewingKeys } from '../../src/services/viewing-key.ts'
import { createWebhooks, type Webhooks } from '../../src/services/webhook.ts'
import { createWithdrawals } from '../../src/services/withdrawal.ts'
import { openStore } from '../../src/store/open.ts'
import { silentLog } from './log.ts'
import { ManualClock } from './manual-clock.ts'
import { createPlainNoteScanner } from './plain-note-scanner.ts'

/** Options of startTestApi. */
export interface TestApiOptions {
  readonly settings?: Partial<HttpSettings>
  readonly plans?: readonly Plan[]
  readonly log?: Log
  /** Whether plans and withdrawals are enabled. Default: true. */
  readonly billing?: boolean
  /** Default: a price of 100 in every currency. */
  readonly rates?: Rates
  /** The database of another test API, to simulate a second process on it. */
  readonly databaseUrl?: string
  readonly clock?: ManualClock
  /** Default: no swap provider. */
  readonly swapProvider?: SwapProvider
  /** Default: a scanner that derives addresses in this thread. */
  readonly viewer?: NoteScanner
}

/** The HTTP server with a real store and a manual clock, but without a chain: nothing is ever paid. */
export interface TestApi {
  readonly url: string
  readonly databaseUrl: string
  readonly clock: ManualClock
  readonly store: Store
  readonly accounts: Accounts
  readonly viewingKeys: ViewingKeys
  readonly credentials: Credentials
  readonly invoices: Invoices
  readonly swaps: Swaps
  readonly swapStatus: SwapStatusPoller
  readonly webhooks: Webhooks
  /** Creates an account. Default: on the unlimited plan and with a viewing key. */
  merchant(options?: { plan?: string; viewingKey?: string | null }): Promise<Merchant>
  close(): Promise<void>
}

/** An account with its credentials. */
export interface Merchant {
  readonly account: Account
  readonly apiKey: string
  readonly sessionToken: string
}

export const VAULT_KEY = Buffer.alloc(32, 1)

/** Starts the HTTP server on a random port. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const {
    plans = DEFAULT_PLANS,
    log = silentLog,
    clock = new ManualClock(),
    viewer: noteScanner = createPlainNoteScanner(),
  } = options
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-api-'))
  const databaseUrl = options.databaseUrl ?? `sqlite:${join(dir, 'test.db')}`
  const random = systemRandom
  const vault = createVault([VAULT_KEY], random)
  const keyedHash = createKeyedHash([VAULT_KEY])
  const store = await openStore(databaseUrl)
  const network = 'regtest'
  const accounts = createAccounts({ store, clock, random, network, plans, confirmations: 3 })
  const viewingKeys = createViewingKeys({ store, noteScanner, vault, clock, random, network })
  const credentials = createCredentials({
    store,
    clock,
    random,
    onError: error => log.error({ err: error }, 'failed to record last use'),
  })
  const databaseIdentity = createDatabaseIdentity({ store, clock, random, lateWatchDays: 7, log })
  await databaseIdentity.advanceCountersIfCopy()
  const addresses = createAddresses({ store, noteScanner, vault, databaseIdentity })
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays: 7 })
  const provider = options.swapProvider ?? disabledSwapProvider()
  const assets = createSwapAssets({ provider, clock, log })
  const swapStatus = createSwapStatusPoller({ store, provider, clock, log })
  const swaps = createSwaps({ store, provider, assets, swapStatus, clock, random, log })
  const webhooks = createWebhooks({ store, vault, clock, random, allowPrivate: false })
  const operator =
    options.billing === false
      ? null
      : await ensureOperatorAccount({
          store,
          viewingKeys,
          clock,
          random,
          network,
          confirmations: 3,
          billingViewingKey: testViewingKey(9),
        })
  const billing = createBilling({ store, clock, params: consensusParams(network), plans, invoices, operator, log })
  const rates: Rates = options.rates ?? { rate: async currency => ({ currency, price: '100', fetchedAt: clock.secs }) }
  const terms = { currencies: ['USD', 'EUR', 'JPY'], spreadBps: 100, expiresInSecs: 900 }
  const withdrawals = createWithdrawals({
    store,
    clock,
    random,
    vault,
    keyedHash,
    rates,
    invoices,
    operator,
    params: consensusParams(network),
    terms,
  })
  const settings = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    trustProxy: false,
    rateLimit: 0,
    maxWebSockets: 1_000,
    metricsToken: null,
    ...options.settings,
  } as const
  const services = { store, accounts, viewingKeys, credentials, invoices, swaps, webhooks, billing, withdrawals }
  const exports = createInvoiceExports({ store, clock })
  const server = await createHttpServer({ settings, ...services, exports, log, registry: new Registry() })
  const url = await server.listen()
  let merchants = 0

  return {
    url,
    databaseUrl,
    clock,
    swapStatus,
    ...services,

    async merchant({ plan = 'Business', viewingKey = testViewingKey() } = {}) {
      merchants += 1
      const email = `merchant${merchants}-${random.uuid()}@example.org`
      let account = await accounts.findOrCreate(email)
      account = await accounts.setPlan(email, plan, null)
      if (viewingKey !== null) account = (await viewingKeys.set(account, viewingKey)).account
      const { key } = await credentials.createApiKey(account, 'test')
      const { token } = await credentials.createSession(account, 'test')
      return { account, apiKey: key, sessionToken: token }
    },

    async close() {
      await server.close()
      await credentials.whenIdle()
      await store.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** A regtest UFVK, deterministic by `seed`. With `expiry` it has Revision 2. */
export function testViewingKey(seed = 1, expiry?: KeyExpiry): string {
  const key = deriveFullViewingKey(deriveOrchardSpendingKey(new Uint8Array(32).fill(seed), 1, 0))
  return encodeFullViewingKey(key, 'regtest', expiry)
}

/** An HTTP response. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect the response body freely
  readonly body: any
}

/** Options of call. */
export interface CallOptions {
  readonly token?: string
  readonly headers?: Record<string, string>
  /** Body to send as JSON. */
  readonly json?: unknown
  /** Body to send unchanged. */
  readonly raw?: string | Uint8Array
}

/** Sends one request. `line` is a method and a path, such as `POST /v1/invoices`. */
export async function call(
  api: { readonly url: string },
  line: string,
  options: CallOptions = {},
): Promise<TestResponse> {
  const [method = 'GET', path = '/'] = line.split(' ')
  const { token, json, raw } = options
  const body = json === undefined ? raw : JSON.stringify(json)
  const headers = {
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...options.headers,
  }
  const response = await fetch(api.url + path, { method, headers, body: (body as string | undefined) ?? null })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}
