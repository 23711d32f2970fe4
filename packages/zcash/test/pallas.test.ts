import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import fc from 'fast-check'
import { GENERATORS } from '../src/gen/sinsemilla.ts'
import { decodePoint, encodePoint, Fp, Fq, groupHash, mapToIsoPallas, P, Pallas, Q } from '../src/pallas.ts'
import { concatBits, sinsemillaHashBase, sinsemillaHashToPoint } from '../src/sinsemilla.ts'
import { bytes, hex, vectorRecords, vectorsMissing } from './vectors.ts'

const text = (value: unknown) => Buffer.from(bytes(value)).toString('utf8')
const utf8 = (value: string) => new TextEncoder().encode(value)

test('simplified SWU gives the official points of iso-Pallas', { skip: vectorsMissing }, () => {
  for (const { u, point } of vectorRecords('orchard_map_to_curve.json')) {
    const { x, y } = mapToIsoPallas(bytesToNumberLE(bytes(u)))
    assert.equal(hex(numberToBytesLE(x | ((y & 1n) << 255n), 32)), point)
  }
})

test('GroupHash gives the official points', { skip: vectorsMissing }, () => {
  for (const { domain, msg, point } of vectorRecords('orchard_group_hash.json')) {
    assert.equal(hex(encodePoint(groupHash(text(domain), bytes(msg)))), point)
  }
})

test('the fixed bases of Orchard equal the official ones', { skip: vectorsMissing }, () => {
  const [expected] = vectorRecords('orchard_generators.json')
  const actual = {
    skb: groupHash('z.cash:Orchard', utf8('G')),
    nkb: groupHash('z.cash:Orchard', utf8('K')),
    vcvb: groupHash('z.cash:Orchard-cv', utf8('v')),
    vcrb: groupHash('z.cash:Orchard-cv', utf8('r')),
    cmb: groupHash('z.cash:Orchard-NoteCommit-r', utf8('')),
    cmq: sinsemillaHashBase('z.cash:Orchard-NoteCommit-M'),
    ivkb: groupHash('z.cash:Orchard-CommitIvk-r', utf8('')),
    ivkq: sinsemillaHashBase('z.cash:Orchard-CommitIvk-M'),
    mcq: sinsemillaHashBase('z.cash:Orchard-MerkleCRH'),
  }
  assert.deepEqual(Object.fromEntries(Object.entries(actual).map(([name, p]) => [name, hex(encodePoint(p))])), expected)
})

test('the stored points of Sinsemilla are hashes to the curve', () => {
  const computed = Array.from({ length: 1024 }, (_, index) => {
    const { x, y } = groupHash('z.cash:SinsemillaS', numberToBytesLE(index, 4)).toAffine()
    return [x, y].map(coordinate => coordinate.toString(16).padStart(64, '0')).join('')
  })
  assert.equal(GENERATORS, computed.join(''))
})

test('Sinsemilla hashes official messages to the official points', { skip: vectorsMissing }, () => {
  for (const { domain, msg, point, hash } of vectorRecords('orchard_sinsemilla.json')) {
    const bits = typeof msg === 'string' ? [...bytes(msg)] : (msg as number[])
    const result = sinsemillaHashToPoint(
      sinsemillaHashBase(text(domain)),
      concatBits(...bits.map(bit => [BigInt(bit), 1] as const)),
    )
    assert.equal(hex(encodePoint(result)), point)
    assert.equal(hex(numberToBytesLE(result.toAffine().x, 32)), hash)
  }
})

const scalar = fc.bigInt({ min: 1n, max: Q - 1n })

test('points of either sign survive encoding and decoding', () => {
  fc.assert(
    fc.property(scalar, k => {
      const point = Pallas.BASE.multiplyUnsafe(k)
      assert.ok(decodePoint(encodePoint(point))?.equals(point))
      assert.ok(decodePoint(encodePoint(point.negate()))?.equals(point.negate()))
    }),
    { numRuns: 30 },
  )
})

test('multiplication with the endomorphism equals multiplication without it', () => {
  const edges = [1n, 2n, Q - 1n, Q - 2n, Q >> 1n, 1n << 127n, 1n << 128n, 1n << 253n]
  fc.assert(
    fc.property(scalar, k => {
      const point = Pallas.BASE.multiplyUnsafe(k)
      // `multiply` is constant-time and does not split the scalar.
      assert.ok(Pallas.BASE.multiply(k).equals(point))
      assert.ok(point.multiply(Q - k).equals(point.multiplyUnsafe(Q - k)))
    }),
    { numRuns: 20, examples: edges.map(k => [k]) },
  )
})

test('decodePoint accepts only the canonical encoding of a point other than the identity', () => {
  const withTop = (value: bigint) => numberToBytesLE(value, 32)
  assert.equal(decodePoint(new Uint8Array(32)), undefined, 'identity')
  assert.equal(decodePoint(withTop(1n << 255n)), undefined, 'identity with a sign')
  assert.equal(decodePoint(withTop(P)), undefined, 'x = p')
  assert.equal(decodePoint(new Uint8Array(32).fill(0xff)), undefined, 'x far above p')
  assert.equal(decodePoint(new Uint8Array(31)), undefined, 'too short')
  assert.equal(decodePoint(new Uint8Array(33)), undefined, 'too long')
  const x = Pallas.BASE.toAffine().x
  assert.ok(decodePoint(withTop(x)))
  assert.ok(x + P >= 2n ** 255n || decodePoint(withTop(x + P)) === undefined, 'x + p')
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: P - 1n }), x => {
      const square = Fp.add(Fp.pow(x, 3n), 5n)
      const onCurve = square === 0n || Fp.pow(square, (P - 1n) / 2n) === 1n
      assert.equal(decodePoint(withTop(x)) !== undefined, onCurve)
    }),
    { numRuns: 50 },
  )
})

test('the two fields have the orders of the specification', () => {
  assert.equal(hex(numberToBytesLE(P, 32)), '01000000ed302d991bf94c09fc98462200000000000000000000000000000040')
  assert.equal(hex(numberToBytesLE(Q, 32)), '0100000021eb468cdda89409fc98462200000000000000000000000000000040')
  assert.equal(Fp.ORDER, P)
  assert.equal(Fq.ORDER, Q)
})
