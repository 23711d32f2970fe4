import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Invoice } from '../src/domain/sale/invoice.ts'
import { startTestApi, type TestApi } from '../test/harness/api.ts'
import { count, report } from './report.ts'
import { watch } from './watchers.ts'

const WATCHERS = 10_000
const LIMIT_MS = 60_000
const FIRST = '{"status":"pending"}'
const CHANGED = '{"status":"detected"}'
const SLICE = 500

/** Ten thousand invoices with one WebSocket each, all detected in one commit: the time until every client has its message. */
async function run(): Promise<void> {
  const plainMs = await plainSends()
  const { ms, received, memory } = await watchedInvoices()
  report({
    what: `notify ${count(WATCHERS)} WebSocket clients, SQLite`,
    perSecond: (received / ms) * 1000,
    unit: 'clients',
    bound: { name: 'one plain send each', perSecond: (WATCHERS / plainMs) * 1000 },
    goal: 0.5,
    notes: [
      `${count(WATCHERS - received)} missed (goal 0)`,
      `${ms.toFixed(0)} ms`,
      `${memory} KB of heap and buffers per socket`,
    ],
  })
}

/** The time that ws alone needs to send one message to each of as many sockets. */
async function plainSends(): Promise<number> {
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
  const startedAt = performance.now()
  for (const [index, socket] of sockets.entries()) {
    socket.send(CHANGED)
    if (index % SLICE === 0) await nextTurn()
  }
  await watchers.received(LIMIT_MS)
  const ms = performance.now() - startedAt
  await watchers.close()
  for (const socket of sockets) socket.terminate()
  http.close()
  return ms
}

async function watchedInvoices() {
  const api = await startTestApi({ settings: { maxWebSockets: WATCHERS, maxWebSocketsPerClient: WATCHERS } })
  const ids = await makeInvoices(api)
  const before = used()
  const paths = ids.map(id => `/v1/invoices/${id}/ws`)
  const watchers = watch(api.url, paths, FIRST, CHANGED)
  await watchers.ready
  const memory = Math.round((used() - before) / WATCHERS / 1024)
  await detectAll(api, ids)
  const startedAt = performance.now()
  const received = await watchers.received(LIMIT_MS)
  const ms = performance.now() - startedAt
  await watchers.close()
  await api.close()
  return { ms, received, memory }
}

function used(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Inserts the invoices directly, since their addresses are never paid. */
async function makeInvoices(api: TestApi): Promise<string[]> {
  const { account } = await api.merchant()
  const createdAt = api.clock.secs
  const ids = Array.from({ length: WATCHERS }, () => crypto.randomUUID() as string)
  for (let from = 0; from < WATCHERS; from += SLICE)
    await api.store.write(async tx => {
      for (const [index, publicId] of ids.slice(from, from + SLICE).entries())
        await tx.invoices.insert({
          publicId,
          accountId: account.id,
          viewingKeyId: account.viewingKeyId!,
          diversifierIndex: BigInt(1_000_000 + from + index),
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

/** Changes all invoices in one transaction. The measurement starts at its commit. */
async function detectAll(api: TestApi, ids: readonly string[]): Promise<void> {
  const invoices: Invoice[] = []
  for (const id of ids) invoices.push(await api.invoices.read(id))
  await api.store.write(async tx => {
    await tx.invoices.updateStates(invoices.map(invoice => ({ ...invoice, status: 'detected', receivedZat: 1n })))
    const changed = invoices.map(({ id }) => id)
    await api.outbox.invoicesChanged(tx, changed, api.clock.secs)
  })
}

await run()
