import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { after, test } from 'node:test'
import type { WebSocket } from 'ws'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { createChainNotice } from '../../../src/http/websocket/chain-notice.ts'
import { Connection } from '../../../src/http/websocket/connection.ts'
import { createInvoiceStream } from '../../../src/http/websocket/stream.ts'
import { startTestApi } from '../../harness/api.ts'
import { call } from '../../harness/http-call.ts'
import { silentLog } from '../../harness/log.ts'
import { testOutbox } from '../../harness/outbox.ts'
import { until } from '../../harness/until.ts'
import { subscribe } from '../../harness/websocket-client.ts'

const HINT = '{"changed":true}'
const HOUR = 3_600

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

async function newInvoice(): Promise<Invoice> {
  const { body } = await call(api, 'POST /v1/invoices', { token: merchant.apiKey, json: { amount_zat: 100 } })
  return api.invoices.read(body.id)
}

async function change({ publicId }: Invoice, changes: Partial<Invoice>): Promise<void> {
  const invoice = await api.invoices.read(publicId)
  await api.store.write(async tx => {
    await tx.invoices.updateStates([{ ...invoice, ...changes }])
    await testOutbox.invoicesChanged(tx, [invoice.id], api.clock.secs)
  })
}

test('a page gets hints without content, also of money after a final status, which ends the WebSocket of the API', async () => {
  const invoice = await newInvoice()
  const page = subscribe(api.url, invoice.publicId, 'page')
  const client = subscribe(api.url, invoice.publicId)
  await Promise.all([page.message(0), client.message(0)])
  await change(invoice, { status: 'underpaid', receivedZat: 40n })
  await page.message(1)
  assert.equal(await client.closed, 1000)
  await change(invoice, { receivedZat: 100n })
  await page.message(2)
  await change(invoice, { status: 'paid', paidAt: api.clock.secs })
  await page.message(3)
  await change(invoice, { receivedZat: 130n, overpaidZat: 30n })
  await page.message(4)
  assert.deepEqual(page.messages, Array(5).fill(HINT))
  page.socket.close()
})

test('a page gets a hint of a change that is not in the invoice, such as the deposit of a swap', async () => {
  const invoice = await newInvoice()
  const page = subscribe(api.url, invoice.publicId, 'page')
  await page.message(0)
  await change(invoice, {})
  await page.message(1)
  page.socket.close()
})

test('a page that no longer changes gets a last hint, and 1000', async () => {
  const [paid, late] = [await newInvoice(), await newInvoice()]
  await change(paid, { status: 'paid', receivedZat: 100n, paidAt: api.clock.secs })
  await change(late, { status: 'expired' })
  const pages = [paid, late].map(({ publicId }) => subscribe(api.url, publicId, 'page'))
  await Promise.all(pages.map(page => page.message(0)))
  api.clock.advance(HOUR)
  assert.equal(await pages[0]!.closed, 1000, 'an hour after it is paid')
  assert.equal(pages[1]!.messages.length, 1)
  api.clock.advance(late.watchUntil + 1 - api.clock.secs)
  assert.equal(await pages[1]!.closed, 1000, 'after the time in which late payments count')
  for (const page of pages) assert.deepEqual(page.messages, [HINT, HINT])
  const again = subscribe(api.url, late.publicId, 'page')
  assert.equal(await again.closed, 1000, 'one that is opened then ends at once')
  assert.deepEqual(again.messages, [HINT])
})

test('a page of an unknown invoice is closed with 1000', async () => {
  assert.equal(await subscribe(api.url, '3fa85f64-5717-4562-b3fc-2c963f66afa6', 'page').closed, 1000)
})

test('a page hears with each ping that it is still connected, and a client of the API does not', async t => {
  const invoice = await newInvoice()
  const stream = createInvoiceStream({
    ...api,
    log: silentLog,
    maxWebSockets: 9,
    maxWebSocketsPerClient: 9,
    heartbeatMs: 30,
  })
  t.after(() => stream.close())
  const [ofPage, ofClient]: string[][] = [[], []]
  stream.subscribe(respondingSocket(ofPage!), invoice, 'client', 'page')
  stream.subscribe(respondingSocket(ofClient!), invoice, 'client', 'status')
  await until('two heartbeats', () => [ofPage, ofClient].every(calls => calls!.filter(it => it === 'ping').length > 1))
  assert.deepEqual(ofPage!.filter(it => it !== 'ping').slice(0, 3), [HINT, '', ''])
  assert.deepEqual(
    ofClient!.filter(it => it !== 'ping'),
    ['{"status":"pending"}'],
  )
})

test('all pages get a hint when the chain is not seen, and when it is again, at most 100 at once', async () => {
  let isSeen = true
  const notice = createChainNotice({ isChainSeen: async () => isSeen })
  const messages: string[] = []
  const sockets = Array.from({ length: 150 }, () => respondingSocket(messages))
  for (const socket of sockets) notice.add(new Connection(socket, 'page'))
  const poll = async (times: number) => {
    for (let time = 0; time < times; time++) {
      notice.poll()
      await Promise.resolve().then(() => undefined)
    }
  }
  await poll(5)
  assert.equal(messages.length, 0, 'the pages have shown the present state')
  isSeen = false
  await poll(1)
  sockets[0]!.emit('close')
  notice.poll()
  assert.equal(messages.length, 99, 'one of the first hundred has closed')
  notice.poll()
  assert.deepEqual(messages, Array(149).fill(HINT))
  isSeen = true
  await poll(10)
  assert.equal(messages.length, 2 * 149)
})

/** A fake socket that records calls and answers pings. */
function respondingSocket(calls: string[]): WebSocket {
  const socket = new EventEmitter()
  const members = {
    bufferedAmount: 0,
    send: (message: string) => calls.push(message),
    ping: () => calls.push('ping') && socket.emit('pong'),
    close: () => socket.emit('close'),
    terminate: () => socket.emit('close'),
  }
  return Object.assign(socket, members) as unknown as WebSocket
}
