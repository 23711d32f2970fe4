import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { blockedReason } from '../../../src/adapters/http-client/blocked-address.ts'

const NOT_PUBLIC = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local and metadata'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', '6to4 relays'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['168.63.129.16/32', 'the platform of Azure'],
  ['::/96', 'unspecified, loopback and IPv4-compatible'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard'],
  ['2001::/32', 'Teredo'],
  ['2001:2::/48', 'benchmarking'],
  ['2001:10::/28', 'ORCHID'],
  ['2001:20::/28', 'ORCHIDv2'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
  ['4000::/3', 'not allocated'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
] as const

/** Generates addresses of a block. */
function within(block: string): fc.Arbitrary<string> {
  const [network, bits] = ipaddr.parseCIDR(block)
  const bytes = network.toByteArray()
  return fc.uint8Array({ minLength: bytes.length, maxLength: bytes.length }).map(random => {
    const mixed = bytes.map((byte, index) => {
      const mask = 0xff >> Math.min(8, Math.max(0, bits - index * 8))
      return byte | ((random[index] as number) & mask)
    })
    return ipaddr.fromByteArray(mixed).toString()
  })
}

for (const [block, what] of NOT_PUBLIC) {
  test(`no address of ${block} (${what}) is public`, () => {
    fc.assert(
      fc.property(within(block), address => blockedReason(address) !== null),
      { numRuns: 50 },
    )
  })
}

test('ordinary addresses are public', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '93.184.215.14', '172.15.255.255', '172.32.0.0', '100.128.0.1']) {
    assert.equal(blockedReason(address), null, address)
  }
  for (const address of ['2606:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888']) {
    assert.equal(blockedReason(address), null, address)
  }
})

test('a string that is not an address is not public', () => {
  for (const text of ['', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.1:80', '[::1]', '::1%']) {
    assert.notEqual(blockedReason(text), null, text)
  }
})
