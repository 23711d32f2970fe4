import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createApp } from '../../src/http/create-app.ts'
import { MAX_PIPELINED } from '../../src/http/pipelining.ts'
import { startTestApi } from '../harness/api.ts'
import { recordingLog } from '../harness/log.ts'
import { until } from '../harness/until.ts'

const log = recordingLog()

const api = await startTestApi({ log })
const merchant = await api.merchant()
after(() => api.close())

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Reads until the server closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', data => {
    text += data
  })
  await once(socket, 'close')
  return text
}

const request = (path: string, ...headers: string[]) =>
  `GET ${path} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n`

const statuses = (responses: string) => [...responses.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

test('a client may send as many requests as the limit without waiting, and gets every response in order', async () => {
  const socket = await open(api.url)
  const paths = Array.from({ length: MAX_PIPELINED - 1 }, (_, index) => (index % 2 ? '/healthz' : '/nowhere'))
  socket.write(paths.map(path => request(path)).join('') + request('/healthz', 'Connection: close'))
  const expected = [...paths, '/healthz'].map(path => (path === '/healthz' ? 200 : 404))
  assert.deepEqual(statuses(await readAll(socket)), expected)
})

test('the limit counts waiting responses only: a connection may be used for any number of requests', async () => {
  const socket = await open(api.url)
  for (let i = 0; i < 3 * MAX_PIPELINED; i++) {
    socket.write(request('/healthz'))
    assert.deepEqual(statuses((await once(socket, 'data'))[0]), [200])
  }
  socket.destroy()
})

test('beyond the limit the next response is 429, no further request is handled, and the connection is closed', async () => {
  const { stackTraceLimit } = Error
  const socket = await open(api.url)
  socket.write(request('/healthz').repeat(600))
  const responses = await readAll(socket)
  await until('errors to have stack traces again', () => Error.stackTraceLimit === stackTraceLimit)
  assert.deepEqual(statuses(responses), [...Array(MAX_PIPELINED).fill(200), 429])
  assert.match(responses, /"code":"too_many_pipelined_requests"/)
})

test('a connection on which a response makes no progress is closed', async t => {
  const app = createApp(false, { stalledMs: 50 })
  t.after(() => app.close())
  app.get('/large', () => Buffer.alloc(64 * 1024 * 1024))
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const client = await open(await app.listen({ host: '127.0.0.1', port: 0 }))
  const [socket] = await accepted
  client.pause()
  client.write(request('/large'))
  await once(socket, 'close')
})

test('an upload that the client aborts is neither logged as an internal error nor counted as one', async () => {
  const socket = await open(api.url)
  socket.write(
    `POST /v1/invoices HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${merchant.apiKey}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
  )
  await once(socket, 'data')
  socket.write('{"amount_zat":')
  socket.resetAndDestroy()
  const line = await until('the aborted upload to be logged', () =>
    log.lines.find(({ message, details }) => details.method === 'POST' && /error|aborted/.test(message)),
  )
  const { requestId, ...details } = line.details
  assert.equal(typeof requestId, 'string')
  assert.deepEqual(
    { ...line, details },
    { level: 'debug', message: 'request aborted by the client', details: { method: 'POST', route: '/v1/invoices' } },
  )
  assert.doesNotMatch(await api.infrastructure.registry.metrics(), /status="5/)
  assert.ok(log.lines.every(({ level }) => level !== 'error' && level !== 'warn'))
})
