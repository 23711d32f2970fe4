import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { rawServer } from './raw-server.ts'

const CHUNKS = '2;a=b\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n'

/** Responses as servers really send them: the name, the head, and what follows it. */
const RESPONSES: readonly (readonly [string, string, string])[] = [
  ['204 with a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n', 'ok'],
  ['204 in chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', CHUNKS],
  ['204 in no chunk', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', '0\r\n\r\n'],
  ['204 with a page', 'HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\n\r\n', '<html></html>'],
  ['205 with a body', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\n', 'ok'],
  ['more than the length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', 'ok, more'],
  ['more than the length, closing', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', 'ok\n'],
  ['two responses', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n'],
  ['a length beside chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n', CHUNKS],
  ['padded chunk sizes', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '2  \r\nok\r\n0\r\n\r\n'],
  ['line feeds alone', 'HTTP/1.1 200 OK\nContent-Length: 2\n\n', 'ok'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 2\r\n\r\n', 'ok'],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n', 'ok'],
  ['a reason in another language', 'HTTP/1.1 200 Ça va\r\nContent-Length: 2\r\n\r\n', 'ok'],
  [
    'an offer of HTTP/2',
    'HTTP/1.1 200 OK\r\nUpgrade: h2,h2c\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n',
    'ok',
  ],
  ['early hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', ''],
  ['an empty line before', '\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', 'ok'],
  ['another success', 'HTTP/1.1 299 Fine\r\nKeep-Alive: timeout=0\r\nContent-Length: 2\r\n\r\n', 'ok'],
]

/** Until the connection has closed. */
const CLOSED_BY_END: readonly (readonly [string, string])[] = [
  ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\nok'],
  ['HTTP/1.1 without a length', 'HTTP/1.1 200 OK\r\n\r\nok'],
]

function write(socket: Socket, parts: readonly string[], isLast: boolean): void {
  const [part, ...rest] = parts
  if (part === undefined) {
    if (isLast) socket.end()
  } else socket.write(part, () => setImmediate(write, socket, rest, isLast))
}

for (const [name, head, body] of RESPONSES) {
  test(`${name}: the status counts, whether the bytes come at once or apart, and the next request succeeds`, async t => {
    for (const parts of [[head + body], [head, body], [head, ...body]]) {
      for (const isLast of [true, false]) {
        const server = await rawServer(t, socket => write(socket, parts, isLast))
        for (const attempt of [1, 2]) {
          const { status } = await server.send()
          assert.ok(status >= 200 && status < 300, `attempt ${attempt}: ${status}`)
        }
      }
    }
  })
}

test('a response ends with its connection when nothing else ends it', async t => {
  for (const [name, response] of CLOSED_BY_END) {
    const server = await rawServer(t, socket => write(socket, [response], true))
    assert.equal(Buffer.from((await server.send()).body).toString(), 'ok', name)
  }
})

test('late bytes after a response close the idle connection: they are no part of the next response', async t => {
  let late: Socket | undefined
  const server = await rawServer(t, (socket, index) => {
    socket.write(index === 0 ? 'HTTP/1.1 204 No Content\r\n\r\n' : 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    if (index === 0) late = socket
  })
  await server.send()
  assert.ok(late)
  late.write('HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n')
  await once(late, 'close')
  assert.equal((await server.send()).status, 200)
  assert.equal(server.connections(), 2)
})
