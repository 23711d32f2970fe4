import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Action } from '../src/note.ts'
import { buildTransaction, parseTransaction, txidFromHex, txidToHex } from '../src/transaction.ts'
import { type SampleShape, sampleTransaction } from './sample-transaction.ts'
import { zcashErrorWith } from './zcash-error.ts'

const NU6_3 = 0x37a5165b
const NU7 = 0x77190ad9

/** Expected txids, computed from the ZIPs by an independent implementation in another language. */
const TXID_FIXTURES: readonly (readonly [SampleShape, string])[] = [
  [
    {
      version: 4,
      lockTime: 11,
      expiryHeight: 22,
      inputs: 2,
      outputs: 1,
      saplingSpends: 1,
      saplingOutputs: 2,
      joinSplits: 1,
    },
    '29fa86be1cbc0c65f45387ab98c0dcaa2b0877b18de147ad70dc2361aa7b2a9f',
  ],
  [
    { version: 4, expiryHeight: 4_000_000, inputs: 1, outputs: 2 },
    '356b00be8b6430abff06302b03c22eb76b125494e9866ec7e02dcebb968debd4',
  ],
  [
    { version: 5, branchId: 0xc2d6d0b4, expiryHeight: 3_500_000, orchard: 2 },
    '30924abed8ff54d38561dbb08a301c94166f47eef6a527e9e598c0c4952b7b65',
  ],
  [
    {
      version: 5,
      branchId: 0x5437f330,
      lockTime: 7,
      expiryHeight: 3_500_001,
      inputs: 2,
      outputs: 1,
      saplingSpends: 1,
      saplingOutputs: 2,
      orchard: 2,
    },
    '7aabe25411c091701fc95295ab463d537f117c7558f3a29b6a80c724bf1e81c0',
  ],
  [
    { version: 5, branchId: 0xc2d6d0b4, inputs: 1, saplingOutputs: 1 },
    '191894174c957150de7a21f05f6593c9f0fe5f06147732a9ad9aa151c4ee7e0b',
  ],
  [
    { version: 6, branchId: NU6_3, expiryHeight: 3_500_002, ironwood: 2 },
    '648467712d78d181f0716675e9c436b95e85bac64de90a842d467bf48ce7ef8b',
  ],
  [
    {
      version: 6,
      branchId: NU7,
      lockTime: 9,
      expiryHeight: 3_600_000,
      inputs: 1,
      outputs: 2,
      saplingSpends: 2,
      saplingOutputs: 1,
      orchard: 1,
      ironwood: 3,
    },
    '62eba31c57e2e9542e90f1a63595c0a272720b2af2a5bffa0f3cec4cdb192e8a',
  ],
  [{ version: 6, branchId: NU6_3 }, '07920cf6e0b4e8fac9d15d33c2352a321172a9fa0293907d006b82d5d1d9c000'],
]

test('every part of a v4, v5 or v6 transaction is counted, and the txid equals the fixture', () => {
  for (const [shape, txid] of TXID_FIXTURES) {
    const parsed = parseTransaction(sampleTransaction(shape))
    const { orchard, ironwood, ...rest } = parsed
    assert.deepEqual(
      { ...rest, txid: txidToHex(rest.txid), orchard: orchard.length, ironwood: ironwood.length },
      {
        version: shape.version,
        txid,
        coinbase: false,
        branchId: shape.branchId,
        lockTime: shape.lockTime ?? 0,
        expiryHeight: shape.expiryHeight ?? 0,
        transparentInputs: shape.inputs ?? 0,
        transparentOutputs: shape.outputs ?? 0,
        saplingSpends: shape.saplingSpends ?? 0,
        saplingOutputs: shape.saplingOutputs ?? 0,
        orchard: shape.orchard ?? 0,
        ironwood: shape.ironwood ?? 0,
      },
    )
  }
})

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const uint32 = fc.integer({ min: 0, max: 0xffffffff })

const actionArbitrary: fc.Arbitrary<Action> = fc.record(
  {
    cvNet: bytes(32),
    nullifier: bytes(32),
    rk: bytes(32),
    cmx: bytes(32),
    ephemeralKey: bytes(32),
    encCiphertext: bytes(580),
    outCiphertext: bytes(80),
  },
  { noNullPrototype: true },
)

const planArbitrary = fc
  .record({
    version: fc.constantFrom(5 as const, 6 as const),
    branchId: uint32,
    expiryHeight: uint32,
    orchard: fc.array(actionArbitrary, { maxLength: 3 }),
    ironwood: fc.array(actionArbitrary, { maxLength: 3 }),
  })
  .map(plan => (plan.version === 5 ? { ...plan, ironwood: [] } : plan))

test('a built transaction parses to the same version, branch, expiry and actions', () => {
  fc.assert(
    fc.property(planArbitrary, plan => {
      const parsed = parseTransaction(buildTransaction(plan))
      assert.equal(parsed.version, plan.version)
      assert.equal(parsed.branchId, plan.branchId)
      assert.equal(parsed.expiryHeight, plan.expiryHeight)
      assert.equal(parsed.coinbase, false)
      assert.deepEqual(parsed.orchard, plan.orchard)
      assert.deepEqual(parsed.ironwood, plan.ironwood)
    }),
    { numRuns: 50 },
  )
})

test('a bundle of more than 252 actions, whose count takes three bytes, parses to the same actions', () => {
  const action = fc.sample(actionArbitrary, { numRuns: 1, seed: 1 })[0]!
  const plan = { version: 6, branchId: NU7, expiryHeight: 0, orchard: [], ironwood: Array(330).fill(action) } as const
  const parsed = parseTransaction(buildTransaction(plan))
  assert.equal(parsed.ironwood.length, 330)
  assert.deepEqual(parsed.ironwood.at(-1), action)
})

test('the placeholder proof has the length that consensus requires', () => {
  const [action] = fc.sample(actionArbitrary, { numRuns: 1, seed: 1 })
  const one = buildTransaction({ version: 5, branchId: NU6_3, expiryHeight: 0, orchard: [action!], ironwood: [] })
  assert.equal(one.length, 20 + 4 + 1 + 820 + 1 + 8 + 32 + 3 + (2720 + 2272) + 64 + 64)
})

test('buildTransaction rejects invalid input with an error that names the field', () => {
  const [action] = fc.sample(actionArbitrary, { numRuns: 1, seed: 1 })
  const plan = { version: 6, branchId: NU6_3, expiryHeight: 0, orchard: [], ironwood: [] } as const
  assert.throws(
    () => buildTransaction({ ...plan, version: 5, ironwood: [action!] }),
    zcashErrorWith('unsupported_version', /version 6/),
  )
  for (const expiryHeight of [-1, 0.5, 2 ** 32, Number.NaN]) {
    assert.throws(() => buildTransaction({ ...plan, expiryHeight }), zcashErrorWith('out_of_range', /expiryHeight/))
  }
  for (const field of Object.keys(action!)) {
    const broken = { ...action!, [field]: new Uint8Array(31) }
    assert.throws(
      () => buildTransaction({ ...plan, ironwood: [broken] }),
      zcashErrorWith('wrong_length', new RegExp(field)),
    )
  }
})

test('a transaction is a coinbase if and only if its only input has a null outpoint', () => {
  const sample = sampleTransaction({ version: 5, branchId: NU6_3, expiryHeight: 5, inputs: 1, outputs: 1 })
  const withOutpoint = (outpoint: Uint8Array) => {
    const edited = sample.slice()
    edited.set(outpoint, 21)
    return parseTransaction(edited).coinbase
  }
  const nullOutpoint = new Uint8Array(36).fill(0xff, 32)
  assert.equal(withOutpoint(nullOutpoint), true)
  for (let i = 0; i < 36; i++) {
    assert.equal(withOutpoint(nullOutpoint.with(i, 1)), false, `byte ${i}`)
  }
  const two = sampleTransaction({ version: 5, inputs: 2 })
  two.set(nullOutpoint, 21)
  assert.equal(parseTransaction(two).coinbase, false)
})

test('an unknown version group is rejected for each version', () => {
  for (const version of [4, 5, 6] as const) {
    const edited = sampleTransaction({ version })
    edited[4] = edited[4]! ^ 1
    assert.throws(() => parseTransaction(edited), { name: 'ZcashError', code: 'unsupported_version' })
  }
})

test('other versions are rejected as unsupported', () => {
  for (const header of [1, 2, 0x80000003, 0x80000007, 5, 0xffffffff]) {
    const edited = Buffer.from(sampleTransaction({ version: 5 }))
    edited.writeUInt32LE(header)
    assert.throws(() => parseTransaction(edited), { name: 'ZcashError', code: 'unsupported_version' })
  }
})

test('the txid covers v5 anchors but not v6 anchors', () => {
  for (const [version, same] of [
    [5, false],
    [6, true],
  ] as const) {
    const shape = { version, branchId: NU6_3, orchard: 1 } as const
    const sample = sampleTransaction(shape)
    const anchor = 20 + 4 + 1 + 820 + 1 + 8
    const edited = sample.slice()
    edited[anchor] = edited[anchor]! ^ 1
    assert.equal(txidToHex(parseTransaction(edited).txid) === txidToHex(parseTransaction(sample).txid), same)
  }
})

test('txids are displayed in reversed byte order', () => {
  const hex = '00112233445566778899aabbccddeeff0102030405060708090a0b0c0d0e0f10'
  assert.equal(txidFromHex(hex)[0], 0x10)
  assert.equal(txidToHex(txidFromHex(hex.toUpperCase())), hex)
  for (const text of ['', '0', hex.slice(2), `${hex}00`, `${hex.slice(1)}g`, `${hex}\n`]) {
    assert.throws(() => txidFromHex(text), { name: 'ZcashError', code: 'invalid_txid' })
  }
  assert.throws(() => txidToHex(new Uint8Array(31)), { name: 'ZcashError', code: 'wrong_length' })
})
