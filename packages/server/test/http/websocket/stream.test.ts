import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import type { Invoice, InvoiceStatus } from '../../../src/domain/sale/invoice.ts'
import { createInvoiceStream } from '../../../src/http/websocket/stream.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { call } from '../../harness/http-call.ts'
import { silentLog } from '../../harness/log.ts'
import { testOutbox } from '../../harness/outbox.ts'
import { until } from '../../harness/until.ts'
import { subscribe } from '../../harness/websocket-client.ts'

const CAPS = { maxWebSockets: 10, maxWebSocketsPerClient: 10 }

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

async function newInvoice(): Promise<Invoice> {
  const { body } = await call(api, 'POST /v1/invoices', { token: merchant.apiKey, json: { amount_zat: 100 } })
  return api.invoices.read(body.id)
}

/** Changes an invoice like the watcher: both are written in one transaction. */
async function change(invoice: Invoice, status: InvoiceStatus, receivedZat = 0n, target: TestApi = api): Promise<void> {
  await target.store.write(async tx => {
    await tx.invoices.updateStates([{ ...invoice, status, receivedZat, dueZat: 100n - receivedZat }])
    await testOutbox.invoicesChanged(tx, [invoice.id], api.clock.secs)
  })
}

test('a message is sent on connect and on each change of status or amount, then 1000 after the final one', async () => {
  const invoice = await newInvoice()
  const client = subscribe(api.url, invoice.publicId)
  assert.equal(await client.message(0), '{"status":"pending"}')
  await change(invoice, 'pending', 60n)
  assert.equal(await client.message(1), '{"status":"pending"}')
  await change(invoice, 'detected', 100n)
  assert.equal(await client.message(2), '{"status":"detected","confirmations":0}')
  await change(invoice, 'paid', 100n)
  assert.equal(await client.message(3), '{"status":"paid"}')
  assert.equal(await client.closed, 1000)
  assert.equal(client.messages.length, 4)
})

test('a final status closes the connection, at once if already reached', async () => {
  for (const status of ['paid', 'underpaid', 'expired'] as const) {
    const invoice = await newInvoice()
    await change(invoice, status, status === 'underpaid' ? 1n : 0n)
    const client = subscribe(api.url, invoice.publicId)
    assert.equal(await client.closed, 1000)
    assert.deepEqual(client.messages, [`{"status":"${status}"}`])
  }
})

test('an unknown or malformed id gets not_found and is closed with 1000', async () => {
  for (const id of ['3fa85f64-5717-4562-b3fc-2c963f66afa6', 'abc', '%00']) {
    const client = subscribe(api.url, id)
    assert.equal(await client.closed, 1000)
    assert.deepEqual(client.messages, ['{"status":"not_found"}'])
  }
})

test('an event without a visible change sends no message', async () => {
  const invoice = await newInvoice()
  const client = subscribe(api.url, invoice.publicId)
  await client.message(0)
  await change(invoice, 'pending')
  await change(invoice, 'paid', 100n)
  await client.closed
  assert.deepEqual(client.messages, ['{"status":"pending"}', '{"status":"paid"}'])
})

test('a change in one process reaches a socket of another', async t => {
  const other = await startTestApi({ databaseUrl: api.databaseUrl })
  t.after(() => other.close())
  const invoice = await newInvoice()
  const client = subscribe(other.url, invoice.publicId)
  await client.message(0)
  await change(invoice, 'paid', 100n)
  assert.equal(await client.message(1), '{"status":"paid"}')
})

test('a reorganisation to the same height sends the confirmations again', async () => {
  const own = await startTestApi()
  try {
    const { apiKey } = await own.merchant()
    const { body } = await call(own, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 100 } })
    const invoice = { ...(await own.invoices.read(body.id)), confirmations: 3 }
    const treeSizes = { sapling: 0, orchard: 0, ironwood: 0 }
    const header = (height: number, hash: string, prevHash: string) => {
      return { height, hash: hash.repeat(64), prevHash: prevHash.repeat(64), time: own.clock.secs, treeSizes }
    }
    await own.store.write(tx => tx.chain.appendHeaders([header(9, 'a', '0'), header(10, 'b', 'a')]))
    const full = { status: 'detected', receivedZat: 100n, dueZat: 0n } as const
    await change({ ...invoice, confirmsAtHeight: 12 }, 'detected', 100n, own)
    const client = subscribe(own.url, invoice.publicId)
    assert.equal(await client.message(0), '{"status":"detected","confirmations":1}')
    // Neither the status nor the amount changes, so there is no event.
    await own.store.write(async tx => {
      await tx.chain.removeHeadersAbove(9)
      await tx.chain.appendHeaders([header(10, 'c', 'a')])
      await tx.invoices.updateStates([{ ...invoice, ...full, confirmsAtHeight: null }])
    })
    assert.equal(await client.message(1), '{"status":"detected","confirmations":0}')
  } finally {
    await own.close()
  }
})

test('no change is missed between connecting and the first message', async () => {
  const invoices = await Promise.all(Array.from({ length: 40 }, newInvoice))
  const followers = invoices.map(invoice => {
    const client = subscribe(api.url, invoice.publicId)
    // Changes happen before, during and after the registration of the socket.
    const turns = invoice.id % 8
    void (async () => {
      for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setTimeout(resolve, turn))
      await change(invoice, 'detected', 100n)
      await change(invoice, 'paid', 100n)
    })()
    return client
  })
  for (const client of followers) {
    assert.equal(await client.closed, 1000)
    assert.equal(client.messages.at(-1), '{"status":"paid"}')
    const order = ['{"status":"pending"}', '{"status":"detected","confirmations":0}', '{"status":"paid"}']
    const seen = client.messages.map(message => order.indexOf(message))
    assert.deepEqual(seen, seen.toSorted(), 'never returns to an older state')
  }
})

test('all of 1,200 subscribers of one invoice are notified', async () => {
  const own = await startTestApi({ settings: { maxWebSockets: 1_200, maxWebSocketsPerClient: 1_200 } })
  try {
    const { apiKey } = await own.merchant()
    const { body } = await call(own, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 100 } })
    const invoice = await own.invoices.read(body.id)
    const followers = Array.from({ length: 1_200 }, () => subscribe(own.url, invoice.publicId))
    for (const client of followers) await client.message(0)
    await change(invoice, 'paid', 100n, own)
    for (const client of followers) assert.equal(await client.closed, 1000)
    assert.ok(followers.every(({ messages }) => messages.at(-1) === '{"status":"paid"}'))
  } finally {
    await own.close()
  }
})

test('client messages are ignored; too many close with 1008, a large frame with 1009', async () => {
  const invoice = await newInvoice()
  const polite = subscribe(api.url, invoice.publicId)
  await polite.message(0)
  for (let i = 0; i < 20; i++) polite.socket.send('{"status":"paid"}')
  const chatty = subscribe(api.url, invoice.publicId)
  await chatty.message(0)
  for (let i = 0; i < 150; i++) chatty.socket.send('hello')
  assert.equal(await chatty.closed, 1008)
  const bulky = subscribe(api.url, invoice.publicId)
  await bulky.message(0)
  bulky.socket.send('x'.repeat(1_025))
  assert.equal(await bulky.closed, 1009)
  await change(invoice, 'paid', 100n)
  assert.equal(await polite.closed, 1000)
  assert.deepEqual(polite.messages, ['{"status":"pending"}', '{"status":"paid"}'])
})

test('the path returns 426 without an upgrade, and upgrades of other paths are plain requests', async () => {
  const { publicId } = await newInvoice()
  const { status, body } = await call(api, `GET /v1/invoices/${publicId}/ws`)
  assert.deepEqual([status, body.code], [426, 'upgrade_required'])
  for (const [path, expected] of [
    [`/v1/invoices/${publicId}`, 200],
    ['/v1/account', 401],
    ['/nowhere', 404],
  ] as const) {
    const socket = new WebSocket(`${api.url.replace('http', 'ws')}${path}`)
    socket.on('error', () => {})
    const [, response] = await once(socket, 'unexpected-response')
    assert.equal(response.statusCode, expected, path)
    socket.terminate()
  }
})

test('the rate limit counts upgrades too', async t => {
  const own = await startTestApi({ settings: { rateLimit: 1 } })
  t.after(() => own.close())
  const first = subscribe(own.url, 'abc')
  assert.equal(await first.closed, 1000)
  const socket = new WebSocket(`${own.url.replace('http', 'ws')}/v1/invoices/abc/ws`)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  assert.equal(response.statusCode, 429)
  socket.terminate()
})

test('a peer that does not respond to pings is disconnected', async t => {
  const invoice = await newInvoice()
  const stream = createInvoiceStream({ ...api, log: silentLog, ...CAPS, heartbeatMs: 30 })
  t.after(() => stream.close())
  const calls: string[] = []
  stream.subscribe(silentSocket(calls), invoice, 'client', 'status')
  await until('the silent peer to be disconnected', () => calls.includes('terminated'))
  assert.deepEqual(calls.slice(-2), ['ping', 'terminated'])
  assert.equal(stream.size, 0)
})

test('closing the server closes WebSockets with 1001', async () => {
  const own = await startTestApi()
  const { apiKey } = await own.merchant()
  const { id } = (await call(own, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 1 } })).body
  const client = subscribe(own.url, id)
  await client.message(0)
  await own.close()
  assert.equal(await client.closed, 1001)
})

test('a client that does not read is disconnected when too much is buffered', async t => {
  const invoice = await newInvoice()
  const stream = createInvoiceStream({ ...api, log: silentLog, ...CAPS })
  t.after(() => stream.close())
  const calls: string[] = []
  const socket = silentSocket(calls)
  stream.subscribe(socket, invoice, 'client', 'status')
  await until('the first message', () => calls.length > 0)
  Object.assign(socket, { bufferedAmount: 64 * 1024 + 1 })
  await change(invoice, 'detected', 100n)
  await until('the client to be disconnected', () => calls.includes('terminated'))
  assert.deepEqual(calls, ['{"status":"pending"}', 'terminated'])
})

test('a temporary database failure delays changes but loses none', async t => {
  const invoice = await newInvoice()
  let failing = true
  const invoiceFeed = {
    changesSince: (query: Parameters<typeof api.invoiceFeed.changesSince>[0]) =>
      failing ? Promise.reject(new Error('database unavailable')) : api.invoiceFeed.changesSince(query),
  }
  const stream = createInvoiceStream({ ...api, invoiceFeed, log: silentLog, ...CAPS, pollMs: 20 })
  t.after(() => stream.close())
  const calls: string[] = []
  stream.subscribe(silentSocket(calls), invoice, 'client', 'status')
  await change(invoice, 'detected', 100n)
  assert.equal(calls.length, 0)
  failing = false
  await until('the change', () => calls.includes('{"status":"detected","confirmations":0}'))
})

/** A fake socket that records calls and never responds. */
function silentSocket(calls: string[]): WebSocket {
  const socket = new EventEmitter()
  const members = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (message: string) => calls.push(message),
    ping: () => calls.push('ping'),
    close: () => socket.emit('close'),
    terminate: () => calls.push('terminated') && socket.emit('close'),
  }
  return Object.assign(socket, members) as unknown as WebSocket
}
