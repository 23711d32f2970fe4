import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import type { ClientOptions } from '../src/client.ts'
import { ZatgateClient } from '../src/client.ts'
import { ZatgateError } from '../src/error.ts'

interface Seen {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A service that answers as it is told: each answer once, the last one for ever. */
async function service(t: TestContext, ...answers: Respond[]) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body: await text(request) })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(response, request)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = (options: Partial<ClientOptions> = {}) =>
    new ZatgateClient({ baseUrl, apiKey: 'zg_key', sessionToken: 'session', ...options })
  return { server, seen, client }
}

const json =
  (body: unknown, status = 200, headers = {}): Respond =>
  response =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const drop: Respond = (_response, request) => request.socket.destroy()
const hang: Respond = () => {}

async function failure(call: Promise<unknown>): Promise<ZatgateError> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof ZatgateError, String(error))
    return error
  }
  return assert.fail('it succeeded')
}

const INVOICE = { id: 'an id/of any kind', status: 'pending' }

test('creates an invoice with the API key, JSON and an idempotency key', async t => {
  const { seen, client } = await service(t, json(INVOICE))
  assert.deepEqual(await client().createInvoice({ amount_zat: 5 }, { idempotencyKey: 'order 1' }), INVOICE)
  await client().createInvoice({ amount_zat: 5 })
  const [first, second] = seen as [Seen, Seen]
  assert.equal(first.line, 'POST /v1/invoices')
  assert.equal(first.body, '{"amount_zat":5}')
  assert.equal(first.headers.authorization, 'Bearer zg_key')
  assert.equal(first.headers['content-type'], 'application/json')
  assert.equal(first.headers['idempotency-key'], 'order 1')
  assert.match(String(second.headers['idempotency-key']), /^[0-9a-f-]{36}$/)
})

test('every method asks for its endpoint, with the credential that it takes', async t => {
  const { seen, client } = await service(t, json({}))
  const it = client()
  const calls: [string, 'none' | 'session', () => Promise<unknown>][] = [
    ['GET /v1/invoices/a%2Fb', 'none', () => it.getInvoice('a/b')],
    ['GET /v1/account/invoices?limit=2&before=x', 'session', () => it.listInvoices({ limit: 2, before: 'x' })],
    ['GET /v1/swap/assets', 'none', () => it.listSwapAssets()],
    ['POST /v1/invoices/a/swap', 'none', () => it.startSwap('a', { asset_id: 'x', refund_to: 'y' })],
    ['GET /v1/account', 'session', () => it.getAccount()],
    ['PATCH /v1/account', 'session', () => it.updateAccount({ confirmations: 1 })],
    ['PUT /v1/account/viewing-key', 'session', () => it.setViewingKey('u')],
    ['GET /v1/account/api-keys', 'session', () => it.listApiKeys()],
    ['POST /v1/account/api-keys', 'session', () => it.createApiKey('n')],
    ['DELETE /v1/account/api-keys/a', 'session', () => it.revokeApiKey('a')],
    ['GET /v1/account/sessions', 'session', () => it.listSessions()],
    ['DELETE /v1/account/sessions/a', 'session', () => it.endSession('a')],
    ['POST /v1/auth/logout', 'session', () => it.logout()],
    ['GET /v1/account/export?format=csv&from=1', 'session', () => it.exportInvoices({ format: 'csv', from: 1 })],
    ['GET /v1/account/webhook', 'session', () => it.getWebhook()],
    ['PUT /v1/account/webhook', 'session', () => it.setWebhook('https://a.example')],
    ['DELETE /v1/account/webhook', 'session', () => it.removeWebhook()],
    ['POST /v1/account/webhook/rotate-secret', 'session', () => it.rotateWebhookSecret()],
    ['POST /v1/account/webhook/test', 'session', () => it.testWebhook()],
    ['GET /v1/account/webhook/deliveries?invoice_id=a', 'session', () => it.listDeliveries({ invoice_id: 'a' })],
    ['POST /v1/account/webhook/deliveries/a/resend', 'session', () => it.resendDelivery('a')],
    ['GET /v1/plans', 'none', () => it.listPlans()],
    ['GET /v1/account/billing', 'session', () => it.getBilling()],
    ['POST /v1/account/billing/subscribe', 'session', () => it.subscribe('Pro')],
    ['GET /v1/account/withdrawals', 'session', () => it.listWithdrawals()],
    [
      'POST /v1/account/withdrawals',
      'session',
      () => it.createWithdrawal({ amount_zat: 1, fiat_currency: 'EUR', payout_to: 'x' }),
    ],
    ['GET /v1/account/withdrawals/a', 'session', () => it.getWithdrawal('a')],
    ['POST /v1/account/withdrawals/a/cancel', 'session', () => it.cancelWithdrawal('a')],
  ]
  for (const [line, credential, call] of calls) {
    await call()
    assert.equal(seen.at(-1)?.line, line)
    assert.equal(seen.at(-1)?.headers.authorization, credential === 'none' ? undefined : 'Bearer session', line)
  }
  assert.throws(() => client({ apiKey: undefined as never }).createInvoice({ amount_zat: 1 }), /apiKey/)
})

test('204 gives nothing, and an export streams', async t => {
  const { client } = await service(
    t,
    response => response.writeHead(204).end(),
    response => response.end('a,b\n'),
  )
  assert.equal(await client().removeWebhook(), undefined)
  assert.equal(await text(await client().exportInvoices({ format: 'csv' })), 'a,b\n')
})

test('an error body becomes an error with status, code, message and the whole body', async t => {
  const body = { code: 'monthly_limit', message: 'monthly invoice limit reached', limit: 50, used: 50, plan: 'Free' }
  const { client, seen } = await service(t, json(body, 402))
  const error = await failure(client().createInvoice({ amount_zat: 1 }))
  assert.deepEqual([error.status, error.code, error.message, error.body], [402, body.code, body.message, body])
  assert.equal(seen.length, 1)
})

test('what is safe to repeat is repeated after trouble, with the same idempotency key', async t => {
  const page: Respond = response => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  const { client, seen } = await service(t, drop, page, json(INVOICE))
  assert.deepEqual(await client().createInvoice({ amount_zat: 1 }), INVOICE)
  assert.equal(seen.length, 3)
  assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1)
})

test('what is not safe to repeat is sent once', async t => {
  const { client, seen } = await service(t, json({ code: 'unavailable', message: 'service unavailable' }, 503))
  const it = client()
  const calls = [() => it.testWebhook(), () => it.setWebhook('https://a.example'), () => it.revokeApiKey('a')]
  for (const call of calls) assert.equal((await failure(call())).code, 'unavailable')
  assert.equal(seen.length, 3)
})

test('retries end, honour Retry-After, and are not made where the wait would be long', async t => {
  const busy = (secs: number) =>
    json({ code: 'too_many_requests', message: 'too many requests' }, 429, { 'retry-after': secs })
  const { client, seen } = await service(t, busy(0), busy(0), busy(0), busy(600))
  const error = await failure(client().listPlans())
  assert.deepEqual([error.status, error.retryAfterSecs, seen.length], [429, 0, 3])
  assert.equal((await failure(client().listPlans())).retryAfterSecs, 600)
  assert.equal(seen.length, 4)
})

test('no answer in time, an abort, no service, and an answer of something else each have a code', async t => {
  const { client } = await service(t, hang)
  const late = await failure(client({ timeoutMs: 60, retries: 0 }).listPlans())
  assert.deepEqual([late.status, late.code], [0, 'timeout'])
  const abort = new AbortController()
  const aborted = failure(client().listPlans({ signal: abort.signal }))
  abort.abort()
  assert.equal((await aborted).code, 'aborted')
  const unreached = new ZatgateClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
  assert.equal((await failure(unreached.listPlans())).code, 'network_error')

  const page = await service(t, response => response.end('<html>'))
  assert.equal((await failure(page.client().listPlans())).code, 'invalid_response')
  const endless = await service(t, response => {
    const chunk = Buffer.alloc(1_000_000)
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', pour)
    pour()
  })
  assert.match((await failure(endless.client().listPlans())).message, /too large/)
  const redirecting = await service(t, response => response.writeHead(302, { location: '/' }).end())
  assert.equal((await failure(redirecting.client({ retries: 0 }).listPlans())).code, 'network_error')
})

async function stream(t: TestContext, onSocket: (socket: WebSocket, connection: number) => void) {
  const { server, client } = await service(t, json({}))
  const sockets = new WebSocketServer({ server })
  let connections = 0
  sockets.on('connection', (socket, request) => {
    assert.equal(request.url, '/v1/invoices/a%2Fb/ws')
    onSocket(socket, ++connections)
  })
  t.after(() => sockets.close())
  return client()
}

async function statusesOf(client: ZatgateClient): Promise<string[]> {
  const statuses: string[] = []
  for await (const { status } of client.followInvoice('a/b')) statuses.push(status)
  return statuses
}

const say = (socket: WebSocket, message: unknown) => socket.send(JSON.stringify(message))

test('following an invoice gives each message and ends at a final status', async t => {
  const client = await stream(t, socket => {
    for (const status of ['pending', 'detected', 'paid']) say(socket, { status })
    socket.close(1000)
  })
  const statuses = await statusesOf(client)
  assert.deepEqual(statuses, ['pending', 'detected', 'paid'])
})

test('following goes on over a new connection when the old one is lost', async t => {
  const client = await stream(t, (socket, connection) => {
    say(socket, { status: connection === 1 ? 'pending' : 'expired' })
    if (connection === 1) setTimeout(() => socket.terminate(), 20)
  })
  const statuses = await statusesOf(client)
  assert.deepEqual(statuses, ['pending', 'expired'])
})

test('following an unknown invoice fails, and an abort or leaving the loop closes the connection', async t => {
  const unknown = await stream(t, socket => say(socket, { status: 'not_found' }))
  assert.equal((await failure(unknown.followInvoice('a/b').next())).code, 'no_such_invoice')

  const closed: Promise<unknown>[] = []
  const client = await stream(t, socket => {
    closed.push(once(socket, 'close'))
    say(socket, { status: 'pending' })
  })
  const abort = new AbortController()
  for await (const _ of client.followInvoice('a/b', { signal: abort.signal })) abort.abort()
  for await (const _ of client.followInvoice('a/b')) break
  assert.equal(closed.length, 2)
  await Promise.all(closed)
})
