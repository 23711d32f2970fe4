import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { HttpClientOptions } from '../../../src/adapters/http-client/client.ts'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import type { HttpRequest, HttpResponse } from '../../../src/ports/http-client.ts'
import { HttpClientError } from '../../../src/ports/http-client.ts'
import { makeCertificate } from '../../harness/certificate.ts'

const LOOPBACK = async () => ['127.0.0.1']

async function listen(t: TestContext, server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    if (server instanceof http.Server || server instanceof https.Server) server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a server that handles requests with `respond`. Returns a client for it. */
async function receiver(
  t: TestContext,
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<(request?: Partial<HttpRequest>) => Promise<HttpResponse>> {
  const port = await listen(t, http.createServer(respond))
  return client(t, `http://hooks.example:${port}/in?a=b`)
}

function client(t: TestContext, url: string, options: Partial<HttpClientOptions> = {}) {
  const http = createHttpClient({ allowPrivate: true, resolve: LOOPBACK, ...options })
  t.after(() => http.close())
  return (request: Partial<HttpRequest> = {}) =>
    http.send({ method: 'POST', url, headers: {}, body: '{}', deadlineMs: 5_000, maxBytes: 10_000, ...request })
}

async function failure(sent: Promise<unknown>): Promise<HttpClientError> {
  try {
    await sent
  } catch (error) {
    assert.ok(error instanceof HttpClientError, String(error))
    return error
  }
  return assert.fail('it succeeded')
}

test('sends method, path, query, headers and body, with the name as Host and without compression', async t => {
  const send = await receiver(t, async (request, response) => {
    const { method, url, headers } = request
    response.setHeader('x-two', ['1', '2'])
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }))
  })
  const received = await send({ headers: { 'x-one': '1' }, body: 'é' })
  const { method, url, headers, body } = JSON.parse(Buffer.from(received.body).toString())
  assert.deepEqual([received.status, method, url, body], [200, 'POST', '/in?a=b', 'é'])
  assert.match(headers.host, /^hooks\.example:\d+$/)
  assert.equal(headers['x-one'], '1')
  assert.equal(headers['content-length'], '2')
  assert.equal(headers['accept-encoding'], undefined)
  assert.equal(received.headers['x-two'], '1, 2')
})

test('a redirect is returned as a response and not followed', async t => {
  let requests = 0
  const send = await receiver(t, (_request, response) => {
    requests += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  assert.equal((await send()).status, 302)
  assert.equal(requests, 1)
})

test('a compressed body is returned unchanged', async t => {
  const packed = gzipSync(Buffer.alloc(1_000_000))
  const send = await receiver(t, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
  })
  assert.deepEqual(Buffer.from((await send()).body), packed)
})

test('keeps the first `keepBytes` bytes and discards the rest', async t => {
  const send = await receiver(t, (_request, response) => response.end('abcdef'.repeat(1_000)))
  assert.equal(Buffer.from((await send({ keepBytes: 8 })).body).toString(), 'abcdefab')
})

test('a response above `maxBytes` fails, with or without a content-length header', async t => {
  for (const announced of [true, false]) {
    const send = await receiver(t, (_request, response) => {
      if (announced) response.setHeader('content-length', 10_001)
      response.write('x'.repeat(5_000))
      response.end('x'.repeat(5_001))
    })
    const error = await failure(send({ keepBytes: 4 }))
    assert.equal(error.failure, 'too_large')
    assert.equal(error.partial?.status, 200)
    assert.ok((error.partial?.body.length ?? 0) <= 4)
  }
})

test('an endless body fails at the size limit without being read further', async t => {
  const chunk = Buffer.alloc(64 * 1024)
  let sentBytes = 0
  const send = await receiver(t, (_request, response) => {
    const sendBulk = () => {
      while (sentBytes < 1e9 && response.write(chunk)) sentBytes += chunk.length
    }
    response.on('drain', sendBulk)
    sendBulk()
  })
  const error = await failure(send({ maxBytes: 1_000_000 }))
  assert.equal(error.failure, 'too_large')
  assert.ok(sentBytes < 50_000_000, `${sentBytes} bytes were taken`)
})

test('endless headers fail', async t => {
  const server = net.createServer(socket => {
    socket.on('error', () => {})
    socket.write(`HTTP/1.1 200 OK\r\n${'x-long: yes\r\n'.repeat(5_000)}`)
  })
  const port = await listen(t, server)
  assert.equal((await failure(client(t, `http://hooks.example:${port}/`)())).failure, 'too_large')
})

test('one deadline covers a silent server, slow headers, a slow body and a silent DNS server', async t => {
  const deadlineMs = 250
  const sendSlowly = (write: (text: string) => void) => {
    const timer = setInterval(() => write('x'), 50)
    t.after(() => clearInterval(timer))
  }
  const silent = await receiver(t, () => {})
  const body = await receiver(t, (_request, response) => {
    response.writeHead(200)
    sendSlowly(text => response.write(text))
  })
  const head = net.createServer(socket => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\nx-a: ')
    sendSlowly(text => socket.write(text))
  })
  const slowHead = client(t, `http://hooks.example:${await listen(t, head)}/`)
  const unnamed = client(t, 'http://hooks.example/', { resolve: () => new Promise(() => {}) })

  for (const send of [silent, body, slowHead, unnamed]) {
    const startedAt = performance.now()
    const error = await failure(send({ deadlineMs }))
    assert.equal(error.failure, 'timeout')
    assert.match(error.message, /within 0\.25 s/)
    assert.equal(error.partial?.status, send === body ? 200 : undefined)
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs >= deadlineMs - 5 && tookMs < deadlineMs + 1_500, `${tookMs} ms`)
  }
})

test('a reset, an early close, a refused connection and a response that is not HTTP have distinct failures', async t => {
  const raw = async (act: (socket: Socket) => void) => {
    const server = net.createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => act(socket))
    })
    return failure(client(t, `http://hooks.example:${await listen(t, server)}/`)())
  }
  assert.equal((await raw(socket => socket.resetAndDestroy())).failure, 'reset')
  assert.equal((await raw(socket => socket.end())).failure, 'reset')
  assert.equal((await raw(socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'))).failure, 'reset')
  assert.equal((await raw(socket => socket.end('SSH-2.0-OpenSSH\r\n'))).failure, 'not_http')
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
  assert.equal((await raw(socket => socket.write(upgrade))).failure, 'not_http')

  const gone = net.createServer()
  const port = await listen(t, gone)
  gone.close()
  assert.equal((await failure(client(t, `http://hooks.example:${port}/`)())).failure, 'unreachable')
})

test('TLS verifies the certificate against the name, not the address', async t => {
  const { cert, key } = makeCertificate('hooks.example')
  const names: unknown[] = []
  const server = https.createServer({ cert, key }, (request, response) => {
    names.push((request.socket as { servername?: unknown }).servername, request.headers.host)
    response.end()
  })
  const port = await listen(t, server)
  assert.equal((await client(t, `https://hooks.example:${port}/`, { ca: cert })()).status, 200)
  assert.deepEqual(names, ['hooks.example', `hooks.example:${port}`])
  assert.equal((await failure(client(t, `https://other.example:${port}/`, { ca: cert })())).failure, 'tls')
  assert.equal((await failure(client(t, `https://hooks.example:${port}/`)())).failure, 'tls')
})

test('a connection is reused for the same host without another lookup', async t => {
  const sockets = new Set<Socket>()
  const port = await listen(
    t,
    http.createServer((request, response) => {
      sockets.add(request.socket)
      response.end()
    }),
  )
  let lookups = 0
  const resolve = async () => {
    lookups += 1
    return ['127.0.0.1']
  }
  const send = client(t, `http://hooks.example:${port}/`, { resolve })
  for (let sent = 0; sent < 20; sent++) await send()
  assert.deepEqual([sockets.size, lookups], [1, 1])
})

test('an aborted request ends at once, and `close` ends requests in progress', async t => {
  const port = await listen(t, http.createServer())
  const abort = new AbortController()
  const send = client(t, `http://hooks.example:${port}/`)
  const sent = failure(send({ signal: abort.signal }))
  abort.abort()
  assert.equal((await sent).failure, 'aborted')
  assert.equal((await failure(send({ signal: abort.signal }))).failure, 'aborted')

  const outbound = createHttpClient({ allowPrivate: true, resolve: LOOPBACK })
  const request = { method: 'GET', url: `http://hooks.example:${port}/`, headers: {}, deadlineMs: 5_000 } as const
  const inProgress = failure(outbound.send({ ...request, maxBytes: 1 }))
  outbound.close()
  assert.equal((await inProgress).failure, 'aborted')
})
