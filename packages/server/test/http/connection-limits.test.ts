import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connectionLimits } from '../../src/http/connection-limits.ts'
import { startTestApi } from '../harness/api.ts'

test('connections leave open files free, and WebSockets leave connections free', () => {
  assert.deepEqual(connectionLimits(1_024, 20_000), { connections: 768, webSockets: 576 })
  assert.deepEqual(connectionLimits(20_000, 20_000), { connections: 19_000, webSockets: 18_000 })
  assert.deepEqual(connectionLimits(1_048_576, 20_000), { connections: 1_047_576, webSockets: 20_000 })
  assert.deepEqual(connectionLimits(1_024, 100), { connections: 768, webSockets: 100 })
})

test('with an unknown limit only the setting counts', () => {
  assert.deepEqual(connectionLimits(null, 20_000), { connections: Number.POSITIVE_INFINITY, webSockets: 20_000 })
})

test('a connection beyond the limit is closed, and those before it are served', async t => {
  const api = await startTestApi({ maxOpenFiles: 4 })
  t.after(() => api.close())
  const { hostname, port } = new URL(api.url)
  const open = async (): Promise<Socket> => {
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const first = [await open(), await open(), await open()]
  await once(await open(), 'close')
  for (const socket of first) {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [data] = (await once(socket, 'data')) as [Buffer]
    assert.match(String(data), /^HTTP\/1\.1 200 /)
    socket.destroy()
  }
})
