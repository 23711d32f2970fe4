import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Merchant, startTestApi, type TestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'

const REQUESTS = 10_000
const CONCURRENCY = 32

let api: TestApi
let merchant: Merchant
let invoiceId: string
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })

before(async () => {
  api = await startTestApi()
  merchant = await api.merchant()
  const { body } = await call(api, 'POST /v1/invoices', { token: merchant.apiKey, json: { amount_zat: 1 } })
  invoiceId = body.id
})
after(async () => {
  agent.destroy()
  await api.close()
})

interface Fuzzed {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

const known = [
  '/healthz',
  '/openapi.json',
  '/v1/invoices',
  '/v1/invoices/ID',
  '/v1/invoices/ID/ws',
  '/v1/invoices/ID/swap',
  '/v1/account',
  '/v1/account/invoices',
  '/v1/account/viewing-key',
  '/v1/account/api-keys',
  '/v1/account/api-keys/ID',
  '/v1/account/sessions',
  '/v1/account/sessions/ID',
  '/v1/account/webhook',
  '/v1/account/webhook/deliveries',
  '/v1/auth/login',
]

const segment = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map(text => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('..', '.', '%2e%2e', '%00', '%zz', '%', '', 'ID', '3fa85f64-5717-4562-b3fc-2c963f66afa6', '*', ':id'),
)
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc
    .array(fc.tuple(fc.constantFrom('limit', 'before', 'x', 'limit[]', '__proto__'), segment), { maxLength: 3 })
    .map(pairs => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
)
const path = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...known) },
      fc.array(segment, { maxLength: 4 }).map(parts => `/${parts.join('/')}`),
    ),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      segment.map(part => `/${part}`),
    ),
    query,
  )
  .map(parts => parts.join(''))

const value = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, 1, 60, 86_400, 2_100_000_000_000_000, 2_100_000_000_000_001, Number.MAX_SAFE_INTEGER),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.jsonValue({ maxDepth: 2 }),
)
const FIELDS = ['amount_zat', 'expires_in_secs', 'confirmations', 'viewing_key', 'name', 'url', 'asset_id', 'refund_to']
const record = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...FIELDS, '__proto__', 'constructor', 'toString'), fc.string({ maxLength: 8 })),
      value,
    ),
    { maxLength: 4 },
  )
  .map(pairs => `{${pairs.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`).join(',')}}`)
const body = fc.oneof(
  { weight: 4, arbitrary: record },
  fc.jsonValue({ maxDepth: 3 }).map(json => JSON.stringify(json)),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom('', '{', '['.repeat(5_000), `{"a":${'['.repeat(3_000)}`, '"\\ud800"', '1e999', '-0', '\ufeff{}'),
)

/** Header values that Node's client accepts. */
const headerText = fc.string({ maxLength: 60 }).map(text => text.replace(/[^\x20-\x7e]/g, ''))
const authorization = () =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(`Bearer ${merchant.apiKey}`, `Bearer ${merchant.sessionToken}`) },
    headerText.map(text => `Bearer ${text}`),
    headerText,
    fc.constant(''),
  )
const headers = () =>
  fc.record(
    {
      authorization: authorization(),
      'content-type': fc.oneof(
        { weight: 5, arbitrary: fc.constant('application/json') },
        fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/json;', ';', 'a/b'),
        headerText,
      ),
      'idempotency-key': headerText,
      origin: headerText,
      accept: headerText,
      'x-forwarded-for': headerText,
      expect: fc.constant('100-continue'),
      upgrade: fc.constantFrom('websocket', 'h2c'),
    },
    { requiredKeys: ['authorization', 'content-type'] },
  )

const fuzzed = (): fc.Arbitrary<Fuzzed> =>
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE'),
    path: path.map(text => text.replaceAll('ID', invoiceId)),
    headers: headers(),
    body,
  })

/** Null if the server closed the connection, which HTTP allows. */
function send({ method, path, headers, body }: Fuzzed): Promise<{ status: number; text: string } | null> {
  const bodyless = ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url)
    const outgoing = request({ hostname, port, method, path, headers, agent, timeout: 5_000 })
    outgoing.on('timeout', () => reject(new Error(`no response: ${method} ${path}`)))
    outgoing.on('error', () => resolve(null))
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve({ status: 101, text: '' })
    })
    outgoing.on('response', response => {
      let text = ''
      response.setEncoding('utf8').on('data', data => {
        text += data
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    outgoing.end(bodyless ? undefined : body)
  })
}

test(`${REQUESTS} fuzzed requests get no 5xx, none hangs, and every error is flat JSON`, async () => {
  const requests = fc.sample(fuzzed(), { numRuns: REQUESTS, seed: 20_261_121 })
  const counts = new Map<number, number>()
  let next = 0
  async function worker(): Promise<void> {
    for (let index = next++; index < requests.length; index = next++) {
      const fuzz = requests[index]!
      const response = await send(fuzz)
      const description = `${fuzz.method} ${fuzz.path} ${JSON.stringify(fuzz.headers)} ${String(fuzz.body).slice(0, 200)}`
      const status = response?.status ?? 0
      counts.set(status, (counts.get(status) ?? 0) + 1)
      assert.ok(status < 500, `${status} for ${description}`)
      if (response && status >= 400 && response.text !== '') {
        const error = JSON.parse(response.text)
        assert.equal(typeof error.code, 'string', description)
        assert.equal(typeof error.message, 'string', description)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))

  // The test proves little if every request fails early, so each of these statuses must occur often.
  for (const status of [200, 400, 401, 404, 405]) assert.ok((counts.get(status) ?? 0) > 100, `few ${status}s`)
  assert.ok((counts.get(0) ?? 0) < REQUESTS / 100)
  assert.equal((await call(api, 'GET /healthz')).text, 'ok')
})
