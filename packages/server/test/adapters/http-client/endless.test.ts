import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import net from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import { HttpClientError, type HttpResponse } from '../../../src/ports/http-client.ts'

const OK = 'HTTP/1.1 200 OK\r\n'
const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const MAX_BYTES = 1_048_576

/** Sends one request to a server that answers with `respond`. The deadline is longer than the test may take. */
async function send(t: TestContext, respond: (socket: Socket) => void) {
  const closed = Promise.withResolvers<void>()
  let sentBytes = 0
  const server = net.createServer(socket => {
    socket.on('error', () => {})
    socket.on('close', () => {
      sentBytes = socket.bytesWritten
      closed.resolve()
    })
    socket.once('data', () => respond(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const http = createHttpClient({ allowPrivate: true })
  t.after(() => {
    http.close()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const request = { method: 'POST', url, headers: {}, body: '{}', deadlineMs: 60_000, maxBytes: MAX_BYTES } as const
  const result: HttpResponse | HttpClientError = await http.send(request).catch(error => error)
  if (result instanceof HttpClientError) await closed.promise
  return { result, sentBytes: () => sentBytes }
}

/** Writes the same bytes as long as the client reads them. */
function endlessly(socket: Socket, text: string): void {
  const bytes = Buffer.from(text)
  const write = () => {
    while (!socket.destroyed && socket.bytesWritten < 1e9 && socket.write(bytes));
  }
  socket.on('drain', write)
  write()
}

const ENDLESS: readonly [string, (socket: Socket) => void, RegExp][] = [
  ['interim responses', socket => endlessly(socket, INTERIM.repeat(1_000)), /more than 8 interim responses/],
  [
    'interim responses with headers',
    socket => endlessly(socket, `HTTP/1.1 103 E\r\n${'a:b\r\n'.repeat(1_900)}\r\n`),
    /more than 8 interim responses|larger than/,
  ],
  [
    'chunks of one byte',
    socket => {
      socket.write(CHUNKED)
      endlessly(socket, '1\r\nx\r\n'.repeat(1_000))
    },
    /too many small chunks/,
  ],
  [
    'chunk extensions',
    socket => {
      socket.write(CHUNKED)
      endlessly(socket, `1;${'e'.repeat(900)}\r\nx\r\n`.repeat(10))
    },
    /./,
  ],
]

for (const [what, respond, message] of ENDLESS) {
  test(`a receiver of endless ${what} fails, and its connection is closed`, async t => {
    const { result, sentBytes } = await send(t, respond)
    assert.ok(result instanceof HttpClientError)
    assert.match(result.message, message)
    assert.ok(['too_large', 'not_http'].includes(result.failure), result.failure)
    assert.ok(sentBytes() < 20_000_000, `${sentBytes()} bytes were taken`)
  })
}

test('a receiver of endless small packets fails', async t => {
  const { result } = await send(t, socket => {
    socket.setNoDelay(true)
    socket.write(`${OK}x-a: `)
    // Each packet is sent in a separate turn of the event loop.
    const next = () => {
      if (!socket.destroyed) socket.write('x', () => setImmediate(next))
    }
    next()
  })
  assert.ok(result instanceof HttpClientError)
  assert.match(result.message, /too many small packets|headers are too large/)
})

test('interim responses, small chunks and a large page are accepted within the limits', async t => {
  const page = Array.from({ length: 1_500 }, (_, i) => `200\r\n${String(i).padEnd(512, '.')}\r\n`).join('')
  const { result } = await send(t, socket => socket.end(`${INTERIM.repeat(8)}${CHUNKED}${page}0\r\n\r\n`))
  assert.ok(!(result instanceof HttpClientError), String(result))
  assert.deepEqual([result.status, result.body.length], [200, 1_500 * 512])
})

test('a chunk after the limit is not parsed: the parser gets what it reads in slices', async t => {
  const { result } = await send(t, socket => socket.end(`${CHUNKED}${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`))
  assert.ok(result instanceof HttpClientError)
  // The part that was received before the limit is the one that is kept.
  assert.ok((result.partial?.body.length ?? 0) <= 1_000, `${result.partial?.body.length} bytes`)
})
