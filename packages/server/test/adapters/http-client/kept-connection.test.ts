import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { HttpClientError } from '../../../src/ports/http-client.ts'
import { makeCertificate } from '../../harness/certificate.ts'
import { type RawServer, rawServer } from './raw-server.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** How a server ends a kept connection while the next request is on its way. */
const CLOSES: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['a cut', socket => void socket.destroy()],
  ['a close', socket => void socket.end()],
  ['408, as proxies send it', socket => void socket.end('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n')],
  ['bytes that are no response', socket => void socket.end('\0\0')],
]

test('a request on a kept connection that the server closes is sent again at once, on a new one', async t => {
  const certificate = makeCertificate('hooks.example')
  for (const secured of [undefined, certificate]) {
    for (const [name, close] of CLOSES) {
      const server = await rawServer(t, (socket, index) => (index === 1 ? close(socket) : socket.write(OK)), secured)
      await server.send()
      assert.equal((await server.send()).status, 200, name)
      assert.deepEqual([server.requests(), server.connections()], [3, 2], name)
    }
  }
})

test('it is sent again once: the failure of the second connection counts', async t => {
  const server = await rawServer(t, (socket, index) => (index > 0 ? socket.resetAndDestroy() : socket.write(OK)))
  await server.send()
  await assert.rejects(server.send(), (error: unknown) => error instanceof HttpClientError && error.failure === 'reset')
  assert.deepEqual([server.requests(), server.connections()], [3, 2])
})

/** Starts of a response, or none. The server has read the request, so it may have acted on it. */
const BEGINNINGS: readonly string[] = [
  'HT',
  '\r\nHTTP/1.1 200 OK\r\nContent-Le',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nin valid\x01: x\r\n\r\nok',
  `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
]

test('a request is not sent again after any byte of a response', async t => {
  for (const beginning of BEGINNINGS) {
    const server = await rawServer(t, (socket, index) => void (index === 1 ? socket.end(beginning) : socket.write(OK)))
    await server.send()
    await assert.rejects(server.send(), HttpClientError, beginning)
    await server.send()
    assert.deepEqual([server.requests(), server.connections()], [3, 2], beginning)
  }
})

test('a request that was given up is not sent again, and its connection is closed', async t => {
  const abort = new AbortController()
  for (const [failure, options, giveUp] of [
    ['timeout', { deadlineMs: 100 }, () => {}],
    ['aborted', { signal: abort.signal }, () => abort.abort()],
    ['aborted', {}, (server: RawServer) => server.close()],
  ] as const) {
    const closed = Promise.withResolvers<void>()
    const server = await rawServer(t, (socket, index) => {
      if (index !== 1) return void socket.write(OK)
      socket.on('close', () => closed.resolve())
      giveUp(server)
    })
    await server.send()
    await assert.rejects(server.send(options), { failure })
    await closed.promise
    // The server would accept one that was sent again before this one.
    await server.sendByAnother()
    assert.deepEqual([server.requests(), server.connections()], [3, 2], failure)
  }
})

test('a request is not sent again after a part of a response, on a new connection, or after 408 on one', async t => {
  const partial = await rawServer(t, (socket, index) => (index === 1 ? socket.end(OK.slice(0, -1)) : socket.write(OK)))
  await partial.send()
  await assert.rejects(partial.send(), { failure: 'reset' })
  const interim = await rawServer(t, (socket, index) =>
    index === 1 ? socket.end('HTTP/1.1 102 Processing\r\n\r\n') : socket.write(OK),
  )
  await interim.send()
  await assert.rejects(interim.send(), { failure: 'reset' })
  assert.deepEqual([partial.requests(), interim.requests()], [2, 2])

  const closing = await rawServer(t, socket => void socket.resetAndDestroy())
  await assert.rejects(closing.send(), { failure: 'reset' })
  const slow = await rawServer(t, socket => void socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n'))
  assert.equal((await slow.send()).status, 408)
  assert.deepEqual([closing.requests(), slow.requests()], [1, 1])
})
