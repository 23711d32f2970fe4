import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientPrefix } from '../../src/http/client-prefix.ts'

test('an IPv6 client is identified by its /64, an IPv4 client by its address, in either notation', () => {
  const cases = [
    ['203.0.113.5', '203.0.113.5'],
    ['::ffff:203.0.113.5', '203.0.113.5'],
    ['::ffff:cb00:7105', '203.0.113.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2/64'],
    ['2001:db8::1', '2001:db8:0:0/64'],
    ['::1', '0:0:0:0/64'],
    ['fe80::1%eth0', 'fe80:0:0:0/64'],
  ] as const
  for (const [address, client] of cases) assert.equal(clientPrefix(address), client)
})
