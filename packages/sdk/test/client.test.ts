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
import { ZatgateClient } from '../src/client.ts'
import { ZatgateError } from '../src/error.ts'
import type { ClientOptions } from '../src/options.ts'

interface ReceivedRequest {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** Starts a service with scripted responses: each is sent once, the last one repeatedly. */
async function service(t: TestContext, ...responders: Respond[]) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body: await text(request) })
    const respond = responders.length > 1 ? responders.shift() : responders[0]
    respond?.(response, request)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = (options: Partial<ClientOptions> = {}) =>
    new ZatgateClient({ baseUrl, apiKey: 'zg_key', sessionToken: 'session', ...options })
  return { server, requests, client }
}

const json =
  (body: unknown, status = 200, headers = {}): Respond =>
  response =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const drop: Respond = (_response, request) => request.socket.destroy()
const hang: Respond = () => {}

async function errorOf(call: Promise<unknown>): Promise<ZatgateError> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof ZatgateError, String(error))
    return error
  }
  return assert.fail('the call succeeded')
}

const INVOICE = { id: 'an id/of any kind', status: 'pending' }

test('creates an invoice with the API key, JSON and an idempotency key', async t => {
  const { requests, client } = await service(t, json(INVOICE))
  assert.deepEqual(await client().createInvoice({ amount_zat: 5 }, { idempotencyKey: 'order 1' }), INVOICE)
  await client().createInvoice({ amount_zat: 5 })
  const [first, second] = requests as [ReceivedRequest, ReceivedRequest]
  assert.equal(first.line, 'POST /v1/invoices')
  assert.equal(first.body, '{"amount_zat":5}')
  assert.equal(first.headers.authorization, 'Bearer zg_key')
  assert.equal(first.headers['content-type'], 'application/json')
  assert.equal(first.headers['idempotency-key'], 'order 1')
  assert.match(String(second.headers['idempotency-key']), /^[0-9a-f-]{36}$/)
})

test('every method requests its endpoint with the right credential', async t => {
  const { requests, client } = await service(t, json({}))
  const api = client()
  const calls: [string, 'none' | 'session', () => Promise<unknown>][] = [
    ['GET /v1/invoices/a%2Fb', 'session', () => api.getInvoice('a/b')],
    ['GET /v1/invoices/a?include=missing', 'session', () => api.getInvoice('a', { include: 'missing' })],
    ['POST /v1/invoices/a/cancel', 'session', () => api.cancelInvoice('a')],
    ['POST /v1/invoices/a/mark', 'session', () => api.markInvoice('a', { as: 'settled' })],
    ['POST /v1/account/invoices/a/refunds', 'session', () => api.createRefund('a')],
    ['GET /v1/account/invoices/a/refunds', 'session', () => api.listInvoiceRefunds('a')],
    ['GET /v1/account/refunds?status=ready', 'session', () => api.listRefunds({ status: 'ready' })],
    ['GET /v1/account/refunds/a', 'session', () => api.getRefund('a')],
    ['POST /v1/account/refunds/payment-request', 'session', () => api.refundPayment(['a'])],
    ['POST /v1/account/refunds/a/sent', 'session', () => api.markRefundSent('a', 'ab')],
    ['POST /v1/account/refunds/a/cancel', 'session', () => api.cancelRefund('a')],
    ['GET /v1/refunds/a', 'none', () => api.getBuyerRefund('a')],
    ['PUT /v1/refunds/a/address', 'none', () => api.giveRefundAddress('a', 'u1')],
    ['GET /v1/account/invoices?limit=2', 'session', () => api.listAccountInvoices({ limit: 2 })],
    ['GET /v1/invoices?status=paid%2Cexpired', 'session', () => api.listInvoices({ status: 'paid,expired' })],
    ['GET /v1/rates', 'none', () => api.rates()],
    ['GET /v1/rates?currency=USD%2CBTC', 'none', () => api.rates(['USD', 'BTC'])],
    ['GET /v1/swap/assets', 'none', () => api.listSwapAssets()],
    ['POST /v1/invoices/a/swap', 'none', () => api.startSwap('a', { asset_id: 'x', refund_to: 'y' })],
    ['GET /v1/account', 'session', () => api.getAccount()],
    ['PATCH /v1/account', 'session', () => api.updateAccount({ confirmations: 1 })],
    ['PUT /v1/account/viewing-key', 'session', () => api.setViewingKey('u')],
    ['GET /v1/account/api-keys', 'session', () => api.listApiKeys()],
    ['POST /v1/account/api-keys', 'session', () => api.createApiKey('n')],
    ['DELETE /v1/account/api-keys/a', 'session', () => api.revokeApiKey('a')],
    ['GET /v1/account/sessions', 'session', () => api.listSessions()],
    ['DELETE /v1/account/sessions/a', 'session', () => api.endSession('a')],
    ['POST /v1/auth/logout', 'session', () => api.logout()],
    ['GET /v1/account/export?format=csv&from=1', 'session', () => api.exportInvoices({ format: 'csv', from: 1 })],
    ['GET /v1/account/refunds/export?format=json&to=9', 'session', () => api.exportRefunds({ format: 'json', to: 9 })],
    ['GET /v1/account/webhook', 'session', () => api.getWebhook()],
    ['PUT /v1/account/webhook', 'session', () => api.setWebhook('https://a.example')],
    ['DELETE /v1/account/webhook', 'session', () => api.removeWebhook()],
    ['POST /v1/account/webhook/rotate-secret', 'session', () => api.rotateWebhookSecret()],
    ['POST /v1/account/webhook/test', 'session', () => api.testWebhook()],
    ['GET /v1/account/webhook/deliveries?invoice_id=a', 'session', () => api.listDeliveries({ invoice_id: 'a' })],
    ['POST /v1/account/webhook/deliveries/a/resend', 'session', () => api.resendDelivery('a')],
    ['GET /v1/account/endpoints', 'session', () => api.endpoints.list()],
    ['POST /v1/account/endpoints', 'session', () => api.endpoints.create({ url: 'https://a.example' })],
    ['GET /v1/account/endpoints/a%2Fb', 'session', () => api.endpoints.get('a/b')],
    ['PATCH /v1/account/endpoints/a', 'session', () => api.endpoints.change('a', { enabled: true })],
    ['DELETE /v1/account/endpoints/a', 'session', () => api.endpoints.remove('a')],
    ['POST /v1/account/endpoints/a/rotate-secret', 'session', () => api.endpoints.rotateSecret('a')],
    ['POST /v1/account/endpoints/a/test', 'session', () => api.endpoints.test('a')],
    ['POST /v1/account/endpoints/a/recover', 'session', () => api.endpoints.recover('a', 1)],
    ['GET /v1/account/store', 'session', () => api.store.get()],
    ['PATCH /v1/account/store', 'session', () => api.store.change({ name: null })],
    ['PUT /v1/account/store/logo', 'session', () => api.store.setLogo(Uint8Array.of(1))],
    ['DELETE /v1/account/store/logo', 'session', () => api.store.removeLogo()],
    ['GET /v1/plans', 'none', () => api.listPlans()],
    ['GET /v1/account/billing', 'session', () => api.getBilling()],
    ['POST /v1/account/billing/subscribe', 'session', () => api.subscribe('Pro')],
    ['GET /v1/account/withdrawals', 'session', () => api.listWithdrawals()],
    [
      'POST /v1/account/withdrawals',
      'session',
      () => api.createWithdrawal({ amount_zat: 1, fiat_currency: 'EUR', payout_to: 'x' }),
    ],
    ['GET /v1/account/withdrawals/a', 'session', () => api.getWithdrawal('a')],
    ['POST /v1/account/withdrawals/a/cancel', 'session', () => api.cancelWithdrawal('a')],
  ]
  for (const [line, credential, call] of calls) {
    await call()
    assert.equal(requests.at(-1)?.line, line)
    assert.equal(requests.at(-1)?.headers.authorization, credential === 'none' ? undefined : 'Bearer session', line)
  }
  assert.throws(() => client({ apiKey: undefined as never }).createInvoice({ amount_zat: 1 }), /apiKey/)
})

test('a logo is sent as its bytes', async t => {
  const { requests, client } = await service(t, json({}))
  await client().store.setLogo(new TextEncoder().encode('PNG'))
  assert.equal(requests[0]?.body, 'PNG')
  assert.equal(requests[0]?.headers['content-type'], 'application/octet-stream')
})

test('without a session token, a scoped API key authenticates what its scopes can reach', async t => {
  const { requests, client } = await service(t, json({}))
  const api = client({ apiKey: 'zgk_key', sessionToken: undefined as never })
  const calls = [
    () => api.getInvoice('a'),
    () => api.cancelInvoice('a'),
    () => api.listInvoices(),
    () => api.createRefund('a'),
    () => api.listInvoiceRefunds('a'),
    () => api.listRefunds(),
    () => api.getRefund('a'),
    () => api.refundPayment(['a']),
    () => api.markRefundSent('a', 'ab'),
    () => api.cancelRefund('a'),
    () => api.testWebhook(),
    () => api.listDeliveries(),
    () => api.resendDelivery('a'),
    () => api.endpoints.list(),
    () => api.endpoints.create({ url: 'https://a.example' }),
    () => api.endpoints.recover('a', 1),
    () => api.listWithdrawals(),
    () => api.getWithdrawal('a'),
  ]
  for (const call of calls) {
    await call()
    assert.equal(requests.at(-1)?.headers.authorization, 'Bearer zgk_key', String(call))
  }
  assert.throws(() => api.listAccountInvoices(), /sessionToken/)
  assert.throws(() => client({ sessionToken: undefined as never }).listInvoices(), /sessionToken/)
})

test('a new API key has the rights of the call', async t => {
  const { requests, client } = await service(t, json({}))
  const rights = { scopes: ['invoices:read' as const], expires_at: 9, addresses: ['192.0.2.1'] }
  await client().createApiKey('till', rights)
  assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), { name: 'till', ...rights })
})

test('a 204 response resolves to undefined, and an export is a stream', async t => {
  const { client } = await service(
    t,
    response => response.writeHead(204).end(),
    response => response.end('a,b\n'),
  )
  assert.equal(await client().removeWebhook(), undefined)
  assert.equal(await text(await client().exportInvoices({ format: 'csv' })), 'a,b\n')
})

test('an error response rejects with its status, code, message and body', async t => {
  const body = { code: 'monthly_limit', message: 'monthly invoice limit reached', limit: 50, used: 50, plan: 'Free' }
  const { client, requests } = await service(t, json(body, 402))
  const error = await errorOf(client().createInvoice({ amount_zat: 1 }))
  assert.deepEqual([error.status, error.code, error.message, error.body], [402, body.code, body.message, body])
  assert.equal(requests.length, 1)
})

test('an error has the link of its body, if there is one', async t => {
  const body = { code: 'no_such_invoice', message: 'no such invoice' }
  const url = 'https://pay.example.com/docs/errors#no_such_invoice'
  const { client } = await service(t, json({ ...body, doc_url: url }, 404), json(body, 404))
  assert.equal((await errorOf(client().getInvoice('a'))).docUrl, url)
  assert.equal((await errorOf(client().getInvoice('a'))).docUrl, null)
})

test('a call that is safe to repeat is retried with the same idempotency key', async t => {
  const page: Respond = response => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  const { client, requests } = await service(t, drop, page, json(INVOICE))
  assert.deepEqual(await client().createInvoice({ amount_zat: 1 }), INVOICE)
  assert.equal(requests.length, 3)
  assert.equal(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size, 1)
})

test('a call that is not safe to repeat is sent once', async t => {
  const { client, requests } = await service(t, json({ code: 'unavailable', message: 'service unavailable' }, 503))
  const api = client()
  const calls = [() => api.testWebhook(), () => api.setWebhook('https://a.example'), () => api.revokeApiKey('a')]
  for (const call of calls) assert.equal((await errorOf(call())).code, 'unavailable')
  assert.equal(requests.length, 3)
})

test('retries are limited, respect Retry-After and stop when Retry-After is too long', async t => {
  const busy = (secs: number) =>
    json({ code: 'too_many_requests', message: 'too many requests' }, 429, { 'retry-after': secs })
  const { client, requests } = await service(t, busy(0), busy(0), busy(0), busy(600))
  const error = await errorOf(client().listPlans())
  assert.deepEqual([error.status, error.retryAfterSecs, requests.length], [429, 0, 3])
  assert.equal((await errorOf(client().listPlans())).retryAfterSecs, 600)
  assert.equal(requests.length, 4)
})

test('a timeout, an abort, an unreachable service and an invalid response each have a code', async t => {
  const { client } = await service(t, hang)
  const timedOut = await errorOf(client({ timeoutMs: 60, retries: 0 }).listPlans())
  assert.deepEqual([timedOut.status, timedOut.code], [0, 'timeout'])
  const abort = new AbortController()
  const aborted = errorOf(client().listPlans({ signal: abort.signal }))
  abort.abort()
  assert.equal((await aborted).code, 'aborted')
  const unreached = new ZatgateClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
  assert.equal((await errorOf(unreached.listPlans())).code, 'network_error')

  const page = await service(t, response => response.end('<html>'))
  assert.equal((await errorOf(page.client().listPlans())).code, 'invalid_response')
  const endless = await service(t, response => {
    const chunk = Buffer.alloc(1_000_000)
    const sendBulk = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', sendBulk)
    sendBulk()
  })
  assert.match((await errorOf(endless.client().listPlans())).message, /too large/)
  const redirecting = await service(t, response => response.writeHead(302, { location: '/' }).end())
  assert.equal((await errorOf(redirecting.client({ retries: 0 }).listPlans())).code, 'network_error')
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

const send = (socket: WebSocket, message: unknown) => socket.send(JSON.stringify(message))

test('followInvoice yields each message and ends at a final status', async t => {
  const client = await stream(t, socket => {
    for (const status of ['pending', 'detected', 'paid']) send(socket, { status })
    socket.close(1000)
  })
  const statuses = await statusesOf(client)
  assert.deepEqual(statuses, ['pending', 'detected', 'paid'])
})

test('followInvoice reconnects after a lost connection', async t => {
  const client = await stream(t, (socket, connection) => {
    send(socket, { status: connection === 1 ? 'pending' : 'expired' })
    if (connection === 1) setTimeout(() => socket.terminate(), 20)
  })
  const statuses = await statusesOf(client)
  assert.deepEqual(statuses, ['pending', 'expired'])
})

test('followInvoice goes on after a phone slept while it reconnected', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const client = await stream(t, (socket, connection) => {
    if (connection === 3) return send(socket, { status: 'paid' })
    if (connection === 1) send(socket, { status: 'pending' })
    else t.mock.timers.tick(8 * 3_600_000)
    setTimeout(() => socket.terminate(), 20)
  })
  assert.deepEqual(await statusesOf(client), ['pending', 'paid'])
})

test('followInvoice fails for an unknown invoice, and an abort or leaving the loop closes the connection', async t => {
  const unknown = await stream(t, socket => send(socket, { status: 'not_found' }))
  assert.equal((await errorOf(unknown.followInvoice('a/b').next())).code, 'no_such_invoice')

  const closed: Promise<unknown>[] = []
  const client = await stream(t, socket => {
    closed.push(once(socket, 'close'))
    send(socket, { status: 'pending' })
  })
  const abort = new AbortController()
  for await (const _ of client.followInvoice('a/b', { signal: abort.signal })) abort.abort()
  for await (const _ of client.followInvoice('a/b')) break
  assert.equal(closed.length, 2)
  await Promise.all(closed)
})
