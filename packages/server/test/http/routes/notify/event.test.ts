import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { Session } from '../../../../src/domain/account/session.ts'
import { addAuth } from '../../../../src/http/auth.ts'
import { createApp } from '../../../../src/http/create-app.ts'
import { eventRoutes } from '../../../../src/http/routes/notify/event.ts'
import type { EventFeed, EventPage } from '../../../../src/services/notify/event-feed.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { type CallOptions, call } from '../../../harness/http-call.ts'
import { until } from '../../../harness/until.ts'

const EVENTS = '/v1/account/events'
const MAX_READERS = 20
const WAIT_SECS = 30

const api = await startTestApi()
after(() => api.close())

const read = (user: Merchant, query = '', options: CallOptions = {}) =>
  call(api, `GET ${EVENTS}${query && `?${query}`}`, { token: user.sessionToken, ...options })

async function raise({ account }: Merchant, body = '{"type":"plan.updated"}'): Promise<string> {
  const publicId = randomUUID()
  const event = { accountId: account.id, invoiceId: null, type: 'plan.updated', createdAt: api.clock.secs } as const
  await api.store.write(async tx => {
    await tx.events.append([{ ...event, body, publicId }])
    tx.notify('events')
  })
  return publicId
}

/** A reader that waits, on a separate connection. */
async function openReader({ url = api.url, sessionToken }: { readonly url?: string; readonly sessionToken: string }) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const headers = `host: ${hostname}\r\nauthorization: Bearer ${sessionToken}`
  socket.write(`GET ${EVENTS}?after=1&wait=${WAIT_SECS} HTTP/1.1\r\n${headers}\r\n\r\n`)
  return socket
}

/** Readers that wait. The watch of all of them sleeps too, for a second at most. */
const waiting = () => api.clock.sleeping.filter(ms => ms > 1_000).length
const untilWaiting = (readers: number) => until(`${readers} readers`, () => waiting() === readers)

test('a body has its bytes: the metadata of an invoice with its numbers, order and names', async () => {
  const user = await api.merchant()
  const metadata = '{"b":1.10,"a":1e2,"__proto__":{"x":12345678901234567890},"":"\\u00fc / \\/"}'
  const raw = `{"amount_zat":5,"metadata":${metadata}}`
  const headers = { 'content-type': 'application/json' }
  const created = await call(api, 'POST /v1/invoices', { token: user.apiKey, raw, headers })
  assert.equal(created.status, 200)
  const { text, body, headers: answered } = await read(user, 'types=invoice.created')
  const [event] = body
  assert.deepEqual(
    [event.type, event.body.type, event.body.invoice_id, event.created_at],
    ['invoice.created', 'invoice.created', created.body.id, api.clock.secs],
  )
  assert.ok(text.includes(`"metadata":${metadata}`), text)
  const [stored] = await api.store.read(tx => tx.events.listAfter(user.account.id, event.seq - 1, 1))
  const { publicId: id, type, createdAt } = stored!
  assert.equal(
    text,
    `[{"seq":${event.seq},"id":"${id}","type":"${type}","created_at":${createdAt},"body":${stored!.body}}]`,
  )
  assert.equal(answered.get('content-type'), 'application/json; charset=utf-8')
})

test('`X-Next-After` passes events of other types, and is there for an empty page', async () => {
  const user = await api.merchant()
  await raise(user)
  const first = await read(user, 'limit=1')
  assert.deepEqual([first.body.length, first.headers.get('x-next-after')], [1, '1'])
  const second = await read(user, 'after=1')
  assert.deepEqual([second.body.map(({ seq }: { seq: number }) => seq), second.headers.get('x-next-after')], [[2], '2'])
  const others = await read(user, 'types=invoice.paid,swap.failed')
  assert.deepEqual([others.text, others.headers.get('x-next-after')], ['[]', '2'])
})

test('every parameter is checked, and the error names it', async () => {
  const user = await api.merchant()
  for (const [name, values] of [
    ['after', ['-1', '1.5', 'x', '', '9007199254740992', '99']],
    ['types', ['', 'x', 'invoice.paid,', ',', 'invoice.paid, test', 'x'.repeat(1_001)]],
    ['limit', ['0', '201', 'x', '']],
    ['wait', ['-1', '31', '1.5', 'x', '']],
  ] as const)
    for (const value of values) {
      const { status, body } = await read(user, `${name}=${encodeURIComponent(value)}`)
      assert.deepEqual([status, body.code], [400, `invalid_${name}`], value)
    }
  assert.equal((await read(user, 'more=1')).status, 400)
  assert.equal((await read(user, 'after=99')).body.detail, 'the newest event of this account is 1')
  assert.equal((await read(user, 'types=test,test&limit=200&after=0&wait=0')).status, 200)
})

test('a number below the oldest event that is kept is gone, and the error has the first one', async () => {
  const user = await api.merchant()
  await raise(user)
  const counters = await api.store.read(tx => tx.events.range(user.account.id))
  assert.deepEqual(counters, { prunedSeq: 0, lastSeq: 2 })
  api.clock.advance(1)
  await raise(user)
  await api.store.write(tx => tx.events.prune(api.clock.secs, 1_000))
  const { status, body } = await read(user, 'after=1')
  assert.deepEqual([status, body.code, body.first_seq], [410, 'events_pruned', 3])
  assert.equal((await read(user, 'after=2')).body.length, 1)
})

test('a wait of 30 s without an event ends with an empty page, on a connection that goes on', async () => {
  const user = await api.merchant()
  const socket = await openReader(user)
  let text = ''
  socket.on('data', data => {
    text += data
  })
  await untilWaiting(1)
  api.clock.advance(WAIT_SECS)
  await until('the empty page', () => text.endsWith('\r\n\r\n[]'))
  text = ''
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until('another response', () => text.startsWith('HTTP/1.1 200'))
  socket.destroy()
})

/** The route alone, with a feed and an authentication of the test. */
async function openRoute(t: TestContext, read: EventFeed['read'], authenticated: Promise<void> = Promise.resolve()) {
  const app = createApp(false, { stalledMs: 1_000 })
  t.after(() => app.close())
  const { account } = await api.merchant()
  const session = { publicId: 'session' } as Session
  const authenticate = async () => {
    await authenticated
    return { account, session }
  }
  addAuth(app, {
    apiKeys: api.apiKeys,
    sessions: { ...api.sessions, authenticate },
    signIn: api.signIn,
    rateLimits: { countForAccount() {}, countForCredential() {} },
  })
  eventRoutes(app, { eventFeed: { read, close() {} } })
  return { app, url: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

test('a wait is not cut as a stalled request is', async t => {
  const { sessionToken: token } = await api.merchant()
  const ended = Promise.withResolvers<EventPage>()
  const begun = Promise.withResolvers<void>()
  const route = await openRoute(t, () => {
    begun.resolve()
    return ended.promise
  })
  const page = call(route, `GET ${EVENTS}?wait=${WAIT_SECS}`, { token })
  await begun.promise
  await assert.rejects(call(route, `GET ${EVENTS}?wait=0`, { token }), 'the server cuts a request that stalls')
  ended.resolve({ events: [], nextAfter: 7 })
  assert.deepEqual(await page.then(({ status, text }) => [status, text]), [200, '[]'])
})

test('a client that disconnects before it is authenticated takes no place', async t => {
  const { sessionToken } = await api.merchant()
  const authenticated = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const read: EventFeed['read'] = async (_account, _query, signal) => {
    signals.push(signal)
    return { events: [], nextAfter: 0 }
  }
  const { app, url } = await openRoute(t, read, authenticated.promise)
  const closed = once(app.server, 'connection').then(([socket]) => once(socket, 'close'))
  const socket = await openReader({ url, sessionToken })
  await once(app.server, 'request')
  socket.destroy()
  await closed
  authenticated.resolve()
  const signal = await until('the read', () => signals[0])
  assert.equal(signal.aborted, true)
})

test('clients that disconnect free their places, also before the wait begins', async () => {
  const user = await api.merchant()
  const readers = await Promise.all(Array.from({ length: MAX_READERS }, () => openReader(user)))
  await untilWaiting(MAX_READERS)
  const refused = await read(user, 'after=1&wait=1')
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_event_readers'])
  assert.equal(refused.headers.get('retry-after'), '5')
  for (const socket of readers) socket.destroy()
  await untilWaiting(0)

  for (let times = 0; times < 2 * MAX_READERS; times++) {
    const socket = await openReader(user)
    socket.destroy()
  }
  const last = await openReader(user)
  await untilWaiting(1)
  last.destroy()
  await untilWaiting(0)
})

test('the requests of a session are limited, waits too', async t => {
  const limited = await startTestApi({ env: { RATE_LIMIT: '100000' } })
  t.after(() => limited.close())
  const user = await limited.merchant()
  const statuses = await Promise.all(
    Array.from({ length: 101 }, () => call(limited, `GET ${EVENTS}`, { token: user.sessionToken })),
  )
  const refused = statuses.filter(({ status }) => status !== 200)
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    [[429, 'too_many_requests']],
  )
})

test('the close of the server ends every wait at once', async () => {
  const closing = await startTestApi()
  const user = await closing.merchant()
  const page = call(closing, `GET ${EVENTS}?after=1&wait=${WAIT_SECS}`, { token: user.sessionToken })
  await until('the reader', () => closing.clock.sleeping.length === 2)
  await closing.close()
  const { status, text } = await page
  assert.deepEqual([status, text], [200, '[]'])
})
