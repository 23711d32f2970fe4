import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import { HttpClientError } from '../../../src/ports/http-client.ts'

/** Listens on all local addresses and counts connections. */
const trap = createServer(socket => {
  connections += 1
  socket.destroy()
})
let connections = 0
let port = 0

before(async () => {
  await once(trap.listen(0), 'listening')
  port = (trap.address() as AddressInfo).port
})
after(() => trap.close())

/** Addresses of hostile names. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'a.localhost': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  '6to4.example': ['2002:7f00:1::'],
  'zero.example': ['0.0.0.0'],
  'any6.example': ['::'],
  'private.example': ['10.1.2.3'],
  'docker.example': ['172.17.0.1'],
  'router.example': ['192.168.1.1'],
  'cgnat.example': ['100.100.100.200'],
  'unique-local.example': ['fd00:ec2::254'],
  'link-local.example': ['fe80::1'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mixed6.example': ['2606:4700::1111', '::1'],
  'azure.example': ['168.63.129.16'],
  'broadcast.example': ['255.255.255.255'],
  'multicast.example': ['224.0.0.1'],
  'garbage.example': ['127.1'],
  'xn--nxasmq6b.example': ['127.0.0.1'],
}

const HOSTILE = [
  // Notations that some parser accepts as loopback.
  'https://127.0.0.1:PORT/',
  'https://127.0.0.1.:PORT/',
  'https://127.1:PORT/',
  'https://127.0.1:PORT/',
  'https://2130706433:PORT/',
  'https://0x7f000001:PORT/',
  'https://0x7f.0.0.1:PORT/',
  'https://0177.0.0.1:PORT/',
  'https://017700000001:PORT/',
  'https://0x7f.1:PORT/',
  'https://127.000.000.001:PORT/',
  'https://%31%32%37.0.0.1:PORT/',
  'https://①②⑦.⓪.⓪.①:PORT/',
  'https://127。0。0。1:PORT/',
  'https://0:PORT/',
  'https://0.0.0.0:PORT/',
  'https://[::1]:PORT/',
  'https://[0:0:0:0:0:0:0:1]:PORT/',
  'https://[::]:PORT/',
  'https://[::ffff:127.0.0.1]:PORT/',
  'https://[::ffff:7f00:1]:PORT/',
  'https://[::127.0.0.1]:PORT/',
  'https://[64:ff9b::127.0.0.1]:PORT/',
  'https://[2002:7f00:1::]:PORT/',
  'https://[fe80::1]:PORT/',
  'https://[fe80::1%25lo]:PORT/',
  'https://127.127.127.127:PORT/',
  // Other internal addresses.
  'https://169.254.169.254/latest/meta-data/',
  'https://[fd00:ec2::254]/latest/meta-data/',
  'https://100.100.100.200/latest/meta-data/',
  'https://192.0.0.192/opc/v2/',
  'https://168.63.129.16/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'https://255.255.255.255/',
  // Other schemes and forms.
  'http://127.0.0.1:PORT/',
  'http://shop.example:PORT/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'unix:/run/docker.sock',
  'data:text/plain,x',
  '//127.0.0.1:PORT/',
  'https:',
  '',
  'https://user:secret@127.0.0.1:PORT/',
  'https://shop.example@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT\\@shop.example/',
  'https://user@shop.example:PORT/',
  ...Object.keys(NAMES).map(name => `https://${name}:PORT/`),
]

async function attempt(url: string, resolve: (name: string) => Promise<readonly string[]>): Promise<HttpClientError> {
  const http = createHttpClient({ allowPrivate: false, resolve })
  try {
    await http.send({ method: 'POST', url, headers: {}, body: '{}', deadlineMs: 300, maxBytes: 1_000 })
  } catch (error) {
    assert.ok(error instanceof HttpClientError, String(error))
    return error
  } finally {
    http.close()
  }
  return assert.fail(`${url} was reached`)
}

test(`requests to ${HOSTILE.length} hostile URLs are all refused`, async () => {
  const resolve = async (name: string) => NAMES[name] ?? assert.fail(`unexpected lookup of ${name}`)
  for (const url of HOSTILE) {
    const error = await attempt(url.replace('PORT', String(port)), resolve)
    assert.equal(error.failure, 'refused', `${url}: ${error.message}`)
    assert.doesNotMatch(error.message, /10\.1\.2\.3/)
  }
  assert.equal(connections, 0)
})

test('a name is resolved only once per connection, so DNS rebinding is not possible', async () => {
  let lookups = 0
  // Global unicast, but not allocated: nothing responds there.
  const resolve = async () => [lookups++ === 0 ? '3000::1' : '127.0.0.1']
  const error = await attempt(`https://rebinding.example:${port}/`, resolve)
  assert.ok(['unreachable', 'timeout'].includes(error.failure), error.message)
  assert.equal(lookups, 1)
  assert.equal((await attempt(`https://rebinding.example:${port}/`, resolve)).failure, 'refused')
  assert.equal(connections, 0)
})

test('a name without an address, or whose lookup fails, is reported as unresolved', async () => {
  const failing = async () => Promise.reject(new Error('SERVFAIL'))
  for (const resolve of [async () => [], failing]) {
    assert.equal((await attempt('https://nowhere.example/', resolve)).failure, 'unresolved')
  }
})
