import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork, clientPrefix } from '../../src/http/client-prefix.ts'

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

test('the audit log keeps the /24 of an IPv4 address and the /48 of an IPv6 address', () => {
  const cases = [
    ['203.0.113.5', '203.0.113.0/24'],
    ['::ffff:203.0.113.5', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['unknown', null],
  ] as const
  for (const [address, network] of cases) assert.equal(clientNetwork(address), network)
})
