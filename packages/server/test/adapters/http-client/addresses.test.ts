import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'

const GOOD = '127.0.0.1'
/** Nothing listens there. */
const REFUSING = '127.0.0.2'
/** Accepts no connection and refuses none. */
const SILENT = '127.0.0.3'

/** Listens, and then never accepts: the kernel queues two connections and leaves others without an answer. */
const SILENT_LISTENER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage('listening')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

async function listenSilently(t: TestContext, host: string, port: number): Promise<void> {
  const worker = new Worker(SILENT_LISTENER, { eval: true, workerData: { host, port } })
  t.after(() => worker.terminate())
  await once(worker, 'message')
  for (let queued = 0; queued < 2; queued++) {
    const socket = net.connect({ host, port }).on('error', () => {})
    t.after(() => socket.destroy())
    await once(socket, 'connect')
  }
}

/** A receiver at the good address, and a way to send to a name with these addresses. */
async function receiver(t: TestContext) {
  const server = http.createServer((request, response) => response.end(request.socket.localAddress))
  await once(server.listen(0, GOOD), 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  async function send(addresses: readonly string[], deadlineMs = 5_000): Promise<string> {
    const client = createHttpClient({ allowPrivate: true, resolve: async () => [...addresses] })
    t.after(() => client.close())
    const url = `http://hooks.example:${port}/`
    const { body } = await client.send({ method: 'POST', url, headers: {}, body: '{}', deadlineMs, maxBytes: 1_000 })
    return Buffer.from(body).toString()
  }
  return { port, send }
}

const options = { skip: process.platform !== 'linux' && 'needs several loopback addresses, as Linux has them' }

test('a name with dead addresses is reached by the one that works, wherever it is among them', options, async t => {
  const { send } = await receiver(t)
  for (const addresses of [
    [GOOD, REFUSING],
    [REFUSING, GOOD],
    [REFUSING, '127.0.0.4', '127.0.0.5', GOOD],
    ['::1', GOOD],
    [REFUSING, '::1', GOOD, '127.0.0.4'],
  ])
    assert.equal(await send(addresses), GOOD, addresses.join())
})

test('an address that does not respond is given up for the next one after a second', options, async t => {
  const { port, send } = await receiver(t)
  await listenSilently(t, SILENT, port)
  for (const addresses of [
    [SILENT, GOOD],
    [SILENT, REFUSING, GOOD],
    ['::1', SILENT, GOOD],
  ])
    assert.equal(await send(addresses), GOOD, addresses.join())
})

test('a name with dead addresses alone fails within the deadline, and says how', options, async t => {
  const { port, send } = await receiver(t)
  await listenSilently(t, SILENT, port)
  const failure = async (addresses: readonly string[], deadlineMs: number) =>
    send(addresses, deadlineMs).then(assert.fail, error => error.failure)
  assert.equal(await failure([REFUSING, '::1', '127.0.0.4'], 5_000), 'unreachable')
  assert.equal(await failure([SILENT], 500), 'timeout')
  assert.equal(await failure([SILENT, REFUSING], 3_000), 'unreachable')
})
