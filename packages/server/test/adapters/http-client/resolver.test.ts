import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { dnsResolver } from '../../../src/adapters/http-client/resolver.ts'

const A = 1
const AAAA = 28
const NO_ERROR = 0
const SERVFAIL = 2
const V4 = [93, 184, 215, 14]
const V6 = [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 1]

type Answer = { readonly code: number; readonly address?: readonly number[] } | 'silence'

/** A DNS server that answers each family of addresses as given. @returns its address with its port */
async function dnsServer(t: TestContext, v4: Answer, v6: Answer): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(end - 4)
    const answer = type === A ? v4 : v6
    if (answer === 'silence') return
    const data = answer.address ?? []
    const head = Buffer.from(query.subarray(0, end))
    head.writeUInt16BE(0x8180 | answer.code, 2)
    head.writeUInt16BE(data.length > 0 ? 1 : 0, 6)
    head.writeUInt16BE(0, 10)
    const record = [0xc0, 12, 0, type === A ? A : AAAA, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]
    socket.send(data.length > 0 ? Buffer.concat([head, Buffer.from(record)]) : head, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

const found4 = { code: NO_ERROR, address: V4 }
const found6 = { code: NO_ERROR, address: V6 }

test('one family of addresses is enough, whatever becomes of the other one', async t => {
  for (const [v4, v6, addresses] of [
    [found4, found6, ['93.184.215.14', '2606:4700::1']],
    [found4, { code: NO_ERROR }, ['93.184.215.14']],
    [found4, { code: SERVFAIL }, ['93.184.215.14']],
    [found4, 'silence', ['93.184.215.14']],
    ['silence', found6, ['2606:4700::1']],
    [{ code: SERVFAIL }, found6, ['2606:4700::1']],
  ] as const) {
    const server = await dnsServer(t, v4, v6)
    const startedAt = performance.now()
    assert.deepEqual(await dnsResolver(() => [server])('shop.example'), addresses)
    // The first query of the silent family is repeated after 1,500 ms only.
    assert.ok(performance.now() - startedAt < 1_400, JSON.stringify([v4, v6]))
  }
})

test('a name without an address is an error', async t => {
  const server = await dnsServer(t, { code: NO_ERROR }, { code: NO_ERROR })
  await assert.rejects(dnsResolver(() => [server])('shop.example'), { code: 'ENODATA' })
})

test('each name is asked at the servers of that moment', async t => {
  const servers = [await dnsServer(t, { code: SERVFAIL }, { code: SERVFAIL }), await dnsServer(t, found4, found6)]
  const resolve = dnsResolver(() => servers.splice(0, 1))
  await assert.rejects(resolve('shop.example'))
  assert.equal((await resolve('shop.example')).length, 2)
})
