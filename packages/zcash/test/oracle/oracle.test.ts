import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { diversifierIndex, orchardReceiver } from '../../src/address.ts'
import { createKernel } from '../../src/kernel/kernel.ts'
import { type DecryptedAction, tryDecryptCompactActions } from '../../src/note.ts'
import {
  externalIncomingViewingKey,
  fullViewingKeyFromBytes,
  incomingViewingKeyFromBytes,
  incomingViewingKeyToBytes,
} from '../../src/viewing-key.ts'
import { WASM } from '../kernel/harness.ts'
import { bytes, hex } from '../vectors.ts'
import { expectAgreement } from './agreement.ts'
import { buildOracle, type OracleCases } from './oracle.ts'

const SEED = process.env.ZATGATE_TEST_SEED ?? randomBytes(8).toString('hex')
const KEYS = 100
const ACTIONS = 160
const KINDS = 22
/** Keys and actions of further cases for the kernel, which multiplies otherwise for each of these numbers of keys. */
const KERNEL_CASES = [
  [1, 400],
  [5, 400],
  [1_000, 60],
] as const

const { oracle, missing } = buildOracle()

describe('the official orchard crate', { skip: missing }, () => {
  let cases: OracleCases
  before(() => {
    cases = oracle!.cases(SEED, KEYS, ACTIONS)
  })

  test('derives the same external incoming viewing key from a full viewing key', t => {
    t.diagnostic(`ZATGATE_TEST_SEED=${SEED}`)
    for (const { fvk, incoming } of cases.keys) {
      const key = externalIncomingViewingKey(fullViewingKeyFromBytes(bytes(fvk)))
      assert.equal(hex(incomingViewingKeyToBytes(key)), incoming)
    }
  })

  test('derives the same addresses, and finds the same index of an address', t => {
    t.diagnostic(`ZATGATE_TEST_SEED=${SEED}`)
    for (const { incoming, addresses } of cases.keys) {
      const key = incomingViewingKeyFromBytes(bytes(incoming))
      assert.ok(addresses.length > 0)
      for (const { index, receiver } of addresses) {
        assert.equal(hex(orchardReceiver(key, BigInt(index))), receiver)
        assert.equal(diversifierIndex(key, bytes(receiver).subarray(0, 11)), BigInt(index))
      }
    }
  })

  test('decrypts exactly the notes that are paid to a listed key', t => {
    t.diagnostic(`ZATGATE_TEST_SEED=${SEED}`)
    const paid = [...cases.actions.keys()].filter(index => cases.actions[index]!.kind === 'paid')
    assert.deepEqual([...new Set(cases.matches.map(match => match.actionIndex))], paid)
    assert.ok(cases.matches.length > paid.length, 'a key that is listed twice decrypts twice')
    assert.equal(new Set(cases.actions.map(action => action.kind)).size, KINDS)
  })

  test('finds the same notes among valid, foreign and damaged actions', t => {
    t.diagnostic(`ZATGATE_TEST_SEED=${SEED}`)
    expectAgreement(tryDecryptCompactActions, cases)
  })

  test('the kernel finds the same notes among valid, foreign and damaged actions, with few and many keys', t => {
    t.diagnostic(`ZATGATE_TEST_SEED=${SEED}`)
    const kernel = createKernel(WASM)
    expectAgreement(kernel.tryDecryptCompactActions, cases)
    for (const [keys, actions] of KERNEL_CASES) {
      expectAgreement(kernel.tryDecryptCompactActions, oracle!.cases(SEED, keys, actions))
    }
  })

  test('the kernel derives the same addresses', t => {
    t.diagnostic(`ZATGATE_TEST_SEED=${SEED}`)
    const kernel = createKernel(WASM)
    for (const { incoming, addresses } of cases.keys) {
      const key = incomingViewingKeyFromBytes(bytes(incoming))
      for (const { index, receiver } of addresses) {
        assert.equal(hex(kernel.orchardReceivers(key, BigInt(index), 1)[0]!), receiver)
      }
    }
  })

  test('gives rates of its decryption and address derivation', () => {
    const { backend, ...rates } = oracle!.time(2, 2, 0.05)
    assert.match(backend, /^(portable|x86-64|aarch64)$/)
    assert.deepEqual(Object.keys(rates).sort(), [
      'addressesPerSecond',
      'batchPairsPerSecond',
      'fullAddressesPerSecond',
      'singlePairsPerSecond',
    ])
    for (const rate of Object.values(rates)) assert.ok(rate > 0)
  })

  test('rejects invalid arguments with an error that names them', () => {
    assert.throws(() => oracle!.cases('x', 1, 1), /--seed must be an integer/)
    assert.throws(() => oracle!.cases('1', 0, 1), /--keys must be an integer from 1/)
    assert.throws(() => oracle!.cases('1', 1, 0.5), /--actions must be an integer from 1/)
    assert.throws(() => oracle!.time(1, 1, 0), /--seconds must be a number/)
  })
})

describe('expectAgreement', { skip: missing }, () => {
  let cases: OracleCases
  before(() => {
    cases = oracle!.cases('1', 4, 8)
  })

  /** Plain decryption with a change to its result. */
  const changed =
    (change: (found: DecryptedAction[]) => DecryptedAction[]): typeof tryDecryptCompactActions =>
    (...args) =>
      change(tryDecryptCompactActions(...args))

  test('accepts what the crate finds', () => {
    assert.ok(cases.matches.length > 0)
    expectAgreement(tryDecryptCompactActions, cases)
  })

  test('reports a missing, changed, repeated or unsorted note with the command that repeats the cases', () => {
    const replay = /repeat with zatgate-oracle cases --seed 0x1 --keys 4 --actions 8/
    const withNote = (change: object) =>
      changed(found => found.map(item => ({ ...item, note: { ...item.note, ...change } })))
    const wrong = [
      changed(found => found.slice(1)),
      changed(found => found.map(item => ({ ...item, keyIndex: (item.keyIndex + 1) % 4 }))),
      changed(found => [...found, ...found.slice(-1)]),
      changed(found => found.toReversed()),
      withNote({ value: 7n }),
      withNote({ diversifierIndex: 7n }),
      withNote({ receiver: new Uint8Array(43) }),
      withNote({ rseed: new Uint8Array(32) }),
      withNote({ rho: new Uint8Array(32) }),
      withNote({ pool: 'sapling' }),
      () => {
        throw new Error('a defect')
      },
    ]
    for (const open of wrong) assert.throws(() => expectAgreement(open, cases), { message: replay })
  })
})
