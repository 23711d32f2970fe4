import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeUnified, TYPECODES } from '@zatgate/zcash/unified'
import { checkShieldedAddress } from '../../../src/adapters/zcash/shielded-address.ts'

const item = (typecode: number, bytes: number) => ({ typecode, data: new Uint8Array(bytes) })
/** Zero bytes are no point of Jubjub, which only a wallet has to check. */
const SAPLING = item(TYPECODES.sapling, 43)
const TRANSPARENT = item(TYPECODES.p2pkh, 20)

test('a unified address with a shielded receiver of the network is accepted', () => {
  for (const network of ['main', 'test', 'regtest'] as const) {
    const address = encodeUnified('address', network, [TRANSPARENT, SAPLING])
    assert.equal(checkShieldedAddress(address, network), null)
    assert.equal(checkShieldedAddress(address.toUpperCase(), network), null, 'QR codes are in upper case')
  }
})

test('the address of another network and other text are named', () => {
  const address = encodeUnified('address', 'test', [SAPLING])
  assert.match(checkShieldedAddress(address, 'main') ?? '', /test network/)
  for (const text of [
    '',
    'u1',
    'hello',
    `${address}x`,
    address.slice(0, -1),
    address.replace(/.$/, c => (c === 'q' ? 'p' : 'q')),
  ])
    assert.match(checkShieldedAddress(text, 'test') ?? '', /typing error/, text)
})
