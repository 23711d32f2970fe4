import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInBlocks, parseAddressBlock } from '../../../src/domain/account/address-block.ts'

test('an address or a CIDR block has one canonical form', () => {
  for (const [text, canonical] of [
    ['192.0.2.77', '192.0.2.77/32'],
    ['192.0.2.77/24', '192.0.2.0/24'],
    ['192.0.2.77/0', '0.0.0.0/0'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1/128'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['::', '::/128'],
    ['::1/0', '::/0'],
    ['1:2:3:4:5:6:7:8/127', '1:2:3:4:5:6:7:8/127'],
    ['::ffff:192.0.2.77', '192.0.2.77/32'],
    ['::FFFF:c000:24d/120', '192.0.2.0/24'],
    ['::ffff:192.0.2.77/96', '0.0.0.0/0'],
    ['::ffff:192.0.2.77/64', '::/64'],
  ] as const) {
    assert.equal(parseAddressBlock(text), canonical, text)
    assert.equal(parseAddressBlock(canonical), canonical)
  }
})

test('anything else is no block', () => {
  for (const text of [
    '',
    '/24',
    '192.0.2',
    '192.0.2.256',
    '192.0.02.1',
    '0xc0.0.2.1',
    '192.0.2.1/33',
    '192.0.2.1/',
    '192.0.2.1/024',
    '192.0.2.1/-1',
    '192.0.2.1/24/24',
    ' 192.0.2.1',
    '2001:db8::/129',
    '2001:db8::1::2',
    'fe80::1%eth0',
    '[::1]',
    'shop.example',
  ])
    assert.equal(parseAddressBlock(text), null, text)
})

test('an address is in a block with the same first bits, also where it is IPv4 inside IPv6', () => {
  const blocks = ['192.0.2.0/25', '203.0.113.7/32', '2001:db8:8000::/33']
  for (const address of ['192.0.2.0', '192.0.2.127', '::ffff:192.0.2.1', '203.0.113.7', '2001:db8:ffff::1'])
    assert.ok(isInBlocks(address, blocks), address)
  for (const address of ['192.0.2.128', '203.0.113.6', '2001:db8:7fff::1', '::1', 'unknown', '', 'fe80::1%eth0'])
    assert.ok(!isInBlocks(address, blocks), address)
})

test('a block of one version has no address of the other one', () => {
  assert.deepEqual([isInBlocks('192.0.2.1', ['::/0']), isInBlocks('::1', ['::/0'])], [false, true])
  assert.deepEqual([isInBlocks('192.0.2.1', ['0.0.0.0/0']), isInBlocks('::1', ['0.0.0.0/0'])], [true, false])
})
