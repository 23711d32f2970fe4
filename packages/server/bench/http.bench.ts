import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Rates } from '@zatgate/sandbox/rates'
import fastify from 'fastify'
import { Type } from 'typebox'
import { loadConfig } from '../src/config/settings.ts'
import { compileValidator } from '../src/http/validation.ts'
import { type Service, startService } from '../src/main.ts'
import { startTestApi } from '../test/harness/api.ts'
import { testViewingKey } from '../test/harness/viewing-key.ts'
import { instantAddresses } from './addresses.ts'
import { type FreshUrl, onEachDatabase } from './databases.ts'
import { load, type Measured, requestText } from './load.ts'
import { count, printLine, report } from './report.ts'
import { startServiceProcess } from './service-process.ts'

const CONNECTIONS = 64
const SECONDS = 1.5
/** The compiler of Node is busy with a new service for some seconds. */
const WARM_UP_SECONDS = 5
const ROUNDS = 5
const KEYS = 8
const BURST = 5_000
const BURST_SECONDS = 60
const GOALS = {
  create: { SQLite: 0.18, PostgreSQL: 0.15 },
  /** The rate of creates with order, price and metadata, to that of creates with an amount alone. */
  sale: 1 / 1.3,
  read: { SQLite: 0.7, PostgreSQL: 0.5 },
  p99Ms: 50,
}
type DatabaseName = keyof typeof GOALS.create

/** A server and the API keys of several merchants. */
interface Shops {
  readonly url: string
  readonly keys: readonly string[]
}

/**
 * Invoices created and read over HTTP, compared with the same framework that sends a constant response of the same size
 * under the same load in the same run. The load comes from another thread on the same cores.
 */
async function run(): Promise<void> {
  await onEachDatabase(async (name, freshUrl) => {
    await measureBursts(name, await freshUrl())
    await withService(await freshUrl(), async shops => {
      const { url, keys } = shops
      await measureCreate(`create an invoice on one key, ${name}`, name, { url, keys: keys.slice(0, 1) })
      await measureCreate(`create an invoice, ${name}`, name, shops)
      await measureSale(`create an invoice with order, price and 2 KiB of metadata, ${name}`, shops)
      await measureRead(`read an invoice, ${name}`, name, shops)
    })
    await withInstantAddresses(freshUrl, shops =>
      measureCreate(`create an invoice, instant address, ${name}`, name, shops),
    )
  })
}

const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
process.on('exit', () => rmSync(dataDir, { recursive: true }))

const rates = await Rates.start()

const settings = (databaseUrl: string) => ({
  RATES_SOURCES: rates.setting,
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl,
  PORT: '0',
  ROLES: 'api',
  RATE_LIMIT: '0',
  LOG_LEVEL: 'silent',
  NETWORK: 'regtest',
  LIGHTWALLETD_URL: 'http://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'bench@example.org',
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
})

async function withService<T>(databaseUrl: string, work: (shops: Shops) => Promise<T>): Promise<T> {
  await using stack = new AsyncDisposableStack()
  const service = stack.adopt(await startService(loadConfig(settings(databaseUrl))), it => it.close())
  return await work({ url: service.url, keys: await openShops(service) })
}

async function openShops({ accounts, apiKeys, viewingKeys }: Service): Promise<string[]> {
  const keys: string[] = []
  for (let shop = 1; shop <= KEYS; shop++) {
    const email = `shop${shop}@example.org`
    await accounts.findOrCreate(email)
    const account = await accounts.setPlan(email, 'Business', null)
    await viewingKeys.set(account, testViewingKey(shop))
    keys.push((await apiKeys.create(account, 'bench')).key)
  }
  return keys
}

/** The cost of creating an invoice without the cryptography. */
async function withInstantAddresses(freshUrl: FreshUrl, work: (shops: Shops) => Promise<void>): Promise<void> {
  const api = await startTestApi({ databaseUrl: await freshUrl(), noteScanner: instantAddresses() })
  const keys: string[] = []
  for (let shop = 1; shop <= KEYS; shop++) {
    keys.push((await api.merchant({ viewingKey: testViewingKey(shop) })).apiKey)
  }
  await work({ url: api.url, keys })
  await api.close()
}

async function measureCreate(what: string, database: string, { url, keys }: Shops): Promise<void> {
  const sample = await created(url, keys[0]!)
  const creates = (at: string) => keys.map(key => createRequest(at, key))
  await load({ url, requests: creates(url), connections: CONNECTIONS, seconds: WARM_UP_SECONDS })
  await compare(what, GOALS.create[database as DatabaseName], url, sample.body, creates)
}

/** A sale as shops create it, compared with an amount alone. */
async function measureSale(what: string, { url, keys }: Shops): Promise<void> {
  const requests = (body: string) => keys.map(key => createRequest(url, key, body))
  const plain = { name: 'an amount alone', url, requests: requests(AMOUNT_ALONE) }
  await alternate(what, GOALS.sale, { url, requests: requests(SALE) }, plain)
}

/** The first requests of a process. The first one has no address derived ahead: no invoice has been created on the key. */
async function measureBursts(database: string, databaseUrl: string): Promise<void> {
  const [key] = await withService(databaseUrl, async ({ keys }) => keys)
  for (const start of ['the first start', 'a restart']) {
    const { url, stop } = await startServiceProcess(settings(databaseUrl))
    const limits = { connections: CONNECTIONS, seconds: BURST_SECONDS, maxRequests: BURST }
    const measured = await load({ url, requests: [createRequest(url, key!)], ...limits })
    await stop()
    const notes = notesOf(measured, measured.failed).join(', ')
    printLine(
      `${BURST} creates on one key after ${start}, ${database}: ${count(measured.perSecond)} requests/s, ${notes}`,
    )
  }
}

/** The response times, and the failures if there are some. */
function notesOf({ p50Ms, p99Ms }: Measured, failed: number): string[] {
  const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (goal < ${GOALS.p99Ms})`
  return failed > 0 ? [times, `${failed} FAILED`] : [times]
}

async function measureRead(what: string, database: string, { url, keys }: Shops): Promise<void> {
  const sample = await created(url, keys[0]!)
  const read = (at: string) => [requestText(at, 'GET', `/v1/invoices/${sample.id}`, {})]
  await compare(what, GOALS.read[database as DatabaseName], url, sample.body, read)
}

const AMOUNT_ALONE = '{"amount_zat":150000000}'

const SALE = JSON.stringify({
  price: { amount: '25.00', currency: 'EUR' },
  order_id: '1001',
  description: 'T-shirt',
  metadata: { lines: 'x'.repeat(2_000), customer: 42 },
})

const createRequest = (url: string, key: string, body = AMOUNT_ALONE) =>
  requestText(url, 'POST', '/v1/invoices', { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body)

async function created(url: string, key: string): Promise<{ id: string; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/v1/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: AMOUNT_ALONE,
  })
  const body = (await response.json()) as { id: string }
  return { id: body.id, body }
}

/** The framework with request and response schemas, and handlers that return a constant. */
async function startConstant(responseBody: Record<string, unknown>) {
  const app = fastify()
  app.setValidatorCompiler(compileValidator as never)
  const types: Record<string, object> = { string: Type.String(), number: Type.Integer() }
  const shape = Object.fromEntries(
    Object.entries(responseBody).map(([name, value]) => [name, types[typeof value] as never]),
  )
  const response = { 200: Type.Object(shape) }
  const body = Type.Object({ amount_zat: Type.Integer({ minimum: 1 }) }, { additionalProperties: false })
  app.post('/v1/invoices', { schema: { body, response } }, async () => responseBody)
  app.get('/v1/invoices/:id', { schema: { response } }, async () => responseBody)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, close: () => app.close() }
}

/** Compares requests with the same framework that sends a constant response of the same size. */
async function compare(
  what: string,
  goal: number,
  url: string,
  responseBody: Record<string, unknown>,
  requests: (url: string) => readonly string[],
): Promise<void> {
  const constant = await startConstant(responseBody)
  const bound = { name: 'a constant response', requests: requests(constant.url), url: constant.url }
  await alternate(what, goal, { url, requests: requests(url) }, bound)
  await constant.close()
}

interface Side {
  readonly url: string
  readonly requests: readonly string[]
}

/** Alternates between both and takes the best round of each, since other load on the machine only slows one down. */
async function alternate(
  what: string,
  goal: number,
  side: Side,
  bound: Side & { readonly name: string },
): Promise<void> {
  const measured = ({ url, requests }: Side) => load({ url, requests, connections: CONNECTIONS, seconds: SECONDS })
  const ours: Measured[] = []
  const bounds: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await measured(side))
    bounds.push(await measured(bound))
  }
  const best = fastest(ours)
  const failed = ours.reduce((sum, round) => sum + round.failed, 0)
  report({
    what,
    perSecond: best.perSecond,
    unit: 'requests',
    bound: { name: bound.name, perSecond: fastest(bounds).perSecond },
    goal,
    notes: notesOf(best, failed),
  })
}

function fastest(all: readonly Measured[]): Measured {
  return all.reduce((best, round) => (round.perSecond > best.perSecond ? round : best))
}

await run()
await rates.close()
