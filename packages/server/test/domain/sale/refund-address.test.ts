import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sha256 } from '@noble/hashes/sha2.js'
import { base58xrp, bech32, bech32m, createBase58check } from '@scure/base'
import fc from 'fast-check'
import { addressBegins, refundAddressFault } from '../../../src/domain/sale/refund-address.ts'

/** From the standards and from explorers. */
const VALID: Readonly<Record<string, readonly string[]>> = {
  btc: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ],
  eth: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ],
  sol: ['11111111111111111111111111111111', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  tron: ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  xrp: ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'X7gJ5YK8abHf2eTPWPFHAAot8Knck11QGqmQ7a6a3Z8PJvk'],
  near: ['alice.near', 'a'.repeat(64)],
  ton: [
    'EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2',
    '0:ed1691307050047117b998b561d8de82d31fbf84910ced6eb5fc92e7485ef8a7',
  ],
  stellar: [
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
  ],
  sui: [`0x${'0a'.repeat(32)}`],
}

describe('a refund address', () => {
  for (const [chain, addresses] of Object.entries(VALID))
    test(`of ${chain} is taken on its own chain, and refused on others`, () => {
      for (const address of addresses) {
        assert.equal(refundAddressFault(chain, address), null, address)
        for (const other of Object.keys(VALID))
          if (
            !VALID[other]?.includes(address) &&
            other !== chain &&
            !(other === 'near' && /^[a-z0-9]{2,64}$/.test(address))
          )
            assert.notEqual(refundAddressFault(other, address), null, `${address} on ${other}`)
      }
    })

  test('with a typing error has another fault than one of another form', () => {
    const broken: [chain: string, address: string][] = [
      ['btc', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
      ['btc', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
      ['eth', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'],
      ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
      ['xrp', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj'],
      ['ton', 'EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q3'],
      ['stellar', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGA'],
    ]
    for (const [chain, address] of broken) assert.equal(refundAddressFault(chain, address), 'checksum', address)
    // Version 1 with the checksum of version 0 (BIP 350), a mixed case, and an address of a test network.
    for (const address of [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
      'bc1qw508D6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      '',
    ])
      assert.equal(refundAddressFault('btc', address), 'form', address)
  })

  test('of any hash is taken, and no other by one changed letter', () => {
    const check = createBase58check(sha256)
    const kinds: Readonly<Record<string, (hash: Uint8Array) => string>> = {
      btc: hash => bech32.encode('bc', [0, ...bech32.toWords(hash)]),
      ltc: hash => bech32m.encode('ltc', [1, ...bech32m.toWords(hash)]),
      doge: hash => check.encode(Uint8Array.of(0x1e, ...hash)),
      tron: hash => check.encode(Uint8Array.of(0x41, ...hash)),
      xrp: hash => {
        const bytes = Uint8Array.of(0, ...hash)
        return base58xrp.encode(Uint8Array.of(...bytes, ...sha256(sha256(bytes)).subarray(0, 4)))
      },
    }
    const hash = fc.uint8Array({ minLength: 20, maxLength: 20 })
    for (const [chain, encode] of Object.entries(kinds))
      fc.assert(
        fc.property(hash, fc.nat(), (bytes, at) => {
          const address = encode(bytes)
          assert.equal(refundAddressFault(chain, address), null, address)
          const place = 4 + (at % (address.length - 4))
          const letter = address[place] === 'q' ? 'p' : 'q'
          const changed = address.slice(0, place) + letter + address.slice(place + 1)
          assert.notEqual(refundAddressFault(chain, changed), null, changed)
        }),
      )
  })

  test('of any text is judged without an exception, and on an unknown chain not at all', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), address => {
        for (const chain of Object.keys(VALID)) refundAddressFault(chain, address)
        assert.equal(refundAddressFault('constructor', address), null)
      }),
    )
    assert.deepEqual(addressBegins('btc'), ['bc1', '1', '3'])
    assert.deepEqual(addressBegins('__proto__'), [])
  })
})
