import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutPort } from '../../src/http/forwarded-port.ts'
import { startTestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'

test('the port of an address is removed; other texts stay as they are', () => {
  const cases = [
    ['192.0.2.1:80', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:1', '::ffff:192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:db8::1:80', '2001:db8::1:80'],
    ['unknown', 'unknown'],
    ['', ''],
  ] as const
  for (const [address, expected] of cases) assert.equal(withoutPort(address), expected)
})

for (const trustProxy of [1, ['127.0.0.1']] as const)
  test(`a client behind a proxy that adds ports is one client (TRUST_PROXY=${trustProxy})`, async t => {
    const api = await startTestApi({ settings: { rateLimit: 1, trustProxy } })
    t.after(() => api.close())
    const statusFor = async (address: string) =>
      (await call(api, 'GET /nowhere', { headers: { 'x-forwarded-for': address } })).status
    for (const [first, second] of [
      ['192.0.2.1:1000', '192.0.2.1:1001'],
      ['[2001:db8:1::1]:1000', '[2001:db8:1::1]:1001'],
      ['192.0.2.2', '192.0.2.2:1001'],
    ] as const)
      assert.deepEqual([await statusFor(first), await statusFor(second)], [404, 429], second)
  })

test('proxies with ports in the header are recognised as trusted', async t => {
  const api = await startTestApi({ settings: { rateLimit: 1, trustProxy: ['127.0.0.1', '10.0.0.0/8'] } })
  t.after(() => api.close())
  const statusFor = async (forwarded: string) =>
    (await call(api, 'GET /nowhere', { headers: { 'x-forwarded-for': forwarded } })).status
  assert.deepEqual([await statusFor('192.0.2.1:1, 10.0.0.1:2'), await statusFor('192.0.2.3:1, 10.0.0.1:3')], [404, 404])
  assert.equal(await statusFor('192.0.2.1:4, 10.0.0.1:5'), 429)
})
