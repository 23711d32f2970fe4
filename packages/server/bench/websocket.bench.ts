import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as breathe } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Invoice } from '../src/ports/repository/invoice.ts'
import { startTestApi, type TestApi } from '../test/support/api.ts'
import { count, report } from './report.ts'
import { watch } from './watchers.ts'

const WATCHERS = 10_000
const LIMIT_MS = 60_000
const FIRST = '{"status":"pending"}'
const CHANGED = '{"status":"detected"}'
const SLICE = 500

/** Ten thousand invoices watched by one WebSocket each, and the payments of all seen at once: until everybody has been told. */
export async function run(): Promise<void> {
  const bareMs = await bareSends()
  const { ms, told, memory } = await watchedInvoices()
  report({
    what: `tell ${count(WATCHERS)} WebSocket watchers, SQLite`,
    perSecond: (told / ms) * 1000,
    unit: 'watchers',
    bound: { name: 'one bare send each', perSecond: (WATCHERS / bareMs) * 1000 },
    goal: 0.5,
    notes: [
      `${count(WATCHERS - told)} missed (goal 0)`,
      `${ms.toFixed(0)} ms`,
      `${memory} KB of heap and buffers a socket`,
    ],
  })
}

/** The time that ws alone needs to send each of as many sockets one message. */
async function bareSends(): Promise<number> {
  const http = createServer()
  const server = new WebSocketServer({ server: http, perMessageDeflate: false })
  const sockets: WebSocket[] = []
  server.on('connection', socket => {
    sockets.push(socket)
    socket.send(FIRST)
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const watchers = watch(url, Array(WATCHERS).fill('/'), FIRST, CHANGED)
  await watchers.ready
  const began = performance.now()
  for (const [number, socket] of sockets.entries()) {
    socket.send(CHANGED)
    if (number % SLICE === 0) await breathe()
  }
  await watchers.told(LIMIT_MS)
  const ms = performance.now() - began
  await watchers.close()
  for (const socket of sockets) socket.terminate()
  http.close()
  return ms
}

async function watchedInvoices() {
  const api = await startTestApi({ settings: { maxWebSockets: WATCHERS } })
  const ids = await makeInvoices(api)
  const before = used()
  const paths = ids.map(id => `/v1/invoices/${id}/ws`)
  const watchers = watch(api.url, paths, FIRST, CHANGED)
  await watchers.ready
  const memory = Math.round((used() - before) / WATCHERS / 1024)
  await detectAll(api, ids)
  const began = performance.now()
  const told = await watchers.told(LIMIT_MS)
  const ms = performance.now() - began
  await watchers.close()
  await api.close()
  return { ms, told, memory }
}

function used(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Straight into the table: their addresses are never paid. */
async function makeInvoices(api: TestApi): Promise<string[]> {
  const { account } = await api.merchant()
  const createdAt = api.clock.secs
  const ids = Array.from({ length: WATCHERS }, () => crypto.randomUUID() as string)
  for (let from = 0; from < WATCHERS; from += SLICE)
    await api.store.write(async rows => {
      for (const [number, publicId] of ids.slice(from, from + SLICE).entries())
        await rows.invoices.insert({
          publicId,
          accountId: account.id,
          viewingKeyId: account.viewingKeyId!,
          diversifierIndex: BigInt(1_000_000 + from + number),
          purpose: 'sale',
          address: 'none',
          amountZat: 1n,
          confirmations: 3,
          createdAt,
          expiresAt: createdAt + 900,
          watchUntil: createdAt + 900,
        })
    })
  return ids
}

/** One transaction: its commit is the moment from which everybody is to be told. */
async function detectAll(api: TestApi, ids: readonly string[]): Promise<void> {
  const invoices: Invoice[] = []
  for (const id of ids) invoices.push(await api.invoices.read(id))
  await api.store.write(async rows => {
    await rows.invoices.record(invoices.map(invoice => ({ ...invoice, status: 'detected', receivedZat: 1n })))
    await rows.events.append(
      invoices.map(({ id, accountId }) => ({
        accountId,
        invoiceId: id,
        type: null,
        body: null,
        createdAt: api.clock.secs,
      })),
    )
    rows.wake('events')
  })
}

if (import.meta.main) await run()
