import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { startTestApi } from '../../harness/api.ts'
import { call } from '../../harness/http-call.ts'
import { until } from '../../harness/until.ts'
import { subscribe } from '../../harness/websocket-client.ts'

const api = await startTestApi({ settings: { maxWebSockets: 5, maxWebSocketsPerClient: 2, trustProxy: 1 } })
const merchant = await api.merchant()
const id = (await call(api, 'POST /v1/invoices', { token: merchant.apiKey, json: { amount_zat: 100 } })).body.id
after(() => api.close())

const UNKNOWN = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

/** Opens a WebSocket as a client. @returns it, or the status of the refusal */
async function open(client: string, invoiceId = id): Promise<WebSocket | number> {
  const url = `${api.url.replace('http', 'ws')}/v1/invoices/${invoiceId}/ws`
  const socket = new WebSocket(url, { headers: { 'x-forwarded-for': client } })
  socket.on('error', () => {})
  const refused = once(socket, 'unexpected-response').then(([, response]) => {
    socket.terminate()
    assert.equal(response.headers['retry-after'], '5')
    return response.statusCode as number
  })
  return Promise.race([refused, once(socket, 'open').then(() => socket)])
}

async function openSockets(): Promise<number> {
  const text = await api.infrastructure.registry.metrics()
  return Number(/^zatgate_websockets (\d+)$/m.exec(text)?.[1])
}

test('a client has its own maximum and gets 429 beyond it, an IPv6 /64 is one client, and the total still counts', async () => {
  const opened = [
    await open('192.0.2.1'),
    await open('192.0.2.1'),
    await open('2001:db8:0:1::1'),
    await open('2001:db8:0:1::2'),
    await open('192.0.2.3'),
  ]
  assert.ok(opened.every(socket => socket instanceof WebSocket))
  assert.equal(await open('192.0.2.4'), 503)
  ;(opened[4] as WebSocket).terminate()
  await until('a free slot', async () => (await openSockets()) === 4)
  assert.deepEqual([await open('192.0.2.1'), await open('2001:db8:0:1::3')], [429, 429])
  for (const socket of opened) (socket as WebSocket).close()
  await until('all to be closed', async () => (await openSockets()) === 0)
  const again = await open('192.0.2.1')
  assert.ok(again instanceof WebSocket)
  again.close()
})

test('an unknown id is answered although no further WebSocket is accepted, and takes no place', async t => {
  const full = await startTestApi({ settings: { maxWebSockets: 0 } })
  t.after(() => full.close())
  const clients = Array.from({ length: 20 }, () => subscribe(full.url, UNKNOWN))
  for (const client of clients) {
    assert.equal(await client.closed, 1000)
    assert.deepEqual(client.messages, ['{"status":"not_found"}'])
  }
})

/** A client that never closes its side of the connection and answers no frame. */
async function openHalf(path: string): Promise<Socket> {
  const { hostname, port } = new URL(api.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}

test('after an unknown id and after a refusal the server closes the connection, whatever the client does', async () => {
  for (const path of [`/v1/invoices/${UNKNOWN}/ws`, '/nowhere']) {
    const socket = await openHalf(path)
    await once(socket, 'end')
    // A half-open connection would take any number of writes; one to a closed connection fails.
    await until('the connection to be gone', () => socket.destroyed || void socket.write('x'))
  }
})
