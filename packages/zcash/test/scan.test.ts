import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { orchardReceiver } from '../src/address.ts'
import { createAction } from '../src/create-action.ts'
import { CompactBlockSchema, CompactTxSchema } from '../src/lightwallet/gen/compact_tx_streamer_pb.ts'
import { decodeMemo, encodeMemo } from '../src/memo.ts'
import { type Action, toCompactAction } from '../src/note.ts'
import {
  type BlockNote,
  countOutputs,
  type TransactionNote,
  tryDecryptCompactBlock,
  tryDecryptTransaction,
} from '../src/scan.ts'
import type { ShieldedPool } from '../src/shielded-pool.ts'
import { deriveFullViewingKey, deriveOrchardSpendingKey } from '../src/spending-key.ts'
import { buildTransaction, parseTransaction, txidToHex } from '../src/transaction.ts'
import {
  externalIncomingViewingKey,
  type IncomingViewingKey,
  internalIncomingViewingKey,
  parseViewingKey,
} from '../src/viewing-key.ts'
import { hex, loadVectorFile, vectorRecords, vectorsMissing } from './vectors.ts'

const FULL_KEYS = [0, 1, 2].map(account =>
  deriveFullViewingKey(deriveOrchardSpendingKey(new Uint8Array(32).fill(7), 1, account)),
)
const [alice, bob, carol] = FULL_KEYS.map(externalIncomingViewingKey) as [
  IncomingViewingKey,
  IncomingViewingKey,
  IncomingViewingKey,
]
const aliceChange = internalIncomingViewingKey(FULL_KEYS[0]!)

/** 32 bytes derived from a label. They are a canonical field element. */
function fixed(label: string): Uint8Array {
  return sha256(utf8ToBytes(label)).with(31, 0)
}

function pay(key: IncomingViewingKey, pool: ShieldedPool, value: bigint, label: string, index = 0n): Action {
  return createAction({
    pool,
    value,
    receiver: orchardReceiver(key, index),
    memo: encodeMemo(label),
    rho: fixed(`rho ${label}`),
    rseed: fixed(`rseed ${label}`),
    cvNet: fixed(`cv ${label}`),
    rk: fixed(`rk ${label}`),
  })
}

function v6(orchard: readonly Action[], ironwood: readonly Action[]): Uint8Array {
  return buildTransaction({ version: 6, branchId: 0x37a5165b, expiryHeight: 0, orchard, ironwood })
}

/** The same transaction with one null input, which makes it a coinbase transaction. */
function asCoinbase(raw: Uint8Array): Uint8Array {
  const input = Buffer.from(`01${'00'.repeat(32)}ffffffff00ffffffff`, 'hex')
  return new Uint8Array(Buffer.concat([raw.subarray(0, 20), input, raw.subarray(21)]))
}

interface Payments {
  readonly orchard?: readonly Action[]
  readonly ironwood?: readonly Action[]
}

function compactTx(index: number, { orchard = [], ironwood = [] }: Payments) {
  return create(CompactTxSchema, {
    index: BigInt(index),
    txid: fixed(`txid ${index}`),
    actions: orchard.map(toCompactAction),
    ironwoodActions: ironwood.map(toCompactAction),
  })
}

function block(...transactions: MessageInitShape<typeof CompactTxSchema>[]) {
  return create(CompactBlockSchema, { height: 1n, vtx: transactions })
}

test('the recorded testnet blocks contain exactly the expected external notes and no change', {
  skip: vectorsMissing,
}, () => {
  const { orchard: key } = parseViewingKey(loadVectorFile('testnet-ironwood/issuer-ufvk.txt').trim())
  const { blocks } = JSON.parse(loadVectorFile('testnet-ironwood/compact-blocks.json')) as {
    blocks: Record<string, string>
  }
  const found = Object.values(blocks).flatMap(base64 => {
    const compactBlock = fromBinary(CompactBlockSchema, Buffer.from(base64, 'base64'))
    return tryDecryptCompactBlock([key!], compactBlock).map(({ txid, pool, actionIndex, note }) => ({
      height: Number(compactBlock.height),
      txid: txidToHex(txid),
      pool,
      action: actionIndex,
      value_zat: Number(note.value),
      diversifier: hex(note.receiver.subarray(0, 11)),
    }))
  })
  const expected = vectorRecords('testnet-ironwood/expected-notes.json')
    .filter(({ scope }) => scope === 'external')
    .map(({ key: _key, file: _file, scope: _scope, cmx_ok: _cmxOk, ...facts }) => facts)
  assert.equal(expected.length, 2)
  assert.deepEqual(found, expected)
})

/** A coinbase that pays Alice, then a transaction that pays Bob in Orchard, and Carol and Alice in Ironwood. */
const BLOCK_FIXTURE = [
  'EMCsgAIaINBLmPSOj4vMFcauWsBQgBzW3P1Cj7X55lxOFueAc0AAIiCE/ZusMzrXkVQ0gpYgT6f4xTepbgiYPl9zs/WsqOjtACiA98TVBjrBARIg',
  'O2l1m1pM6f2WwVFB3V33ddPuTsNEtGs/IEEWZRhfUABKnAEKIL0gschhGJP/x72db7DbqduOH3YrDtXA6zyebWks6qYAEiAQJElrzBEpZ3AC9UEa',
  'cOKimBBGqLl+4HBo8FNzq6txOBogsiyHRFY8TqzvziA/B0USHa2KwRbnK91XkRlFBhUdmhwiNG2TWVfOi/nP7W0DWTa6Dv2G8p1hjiGuzXcHOHPc',
  '1QJ58zcf5cjZrsbGYCYZaWgjLLM41sE6gQQIAhIgDfVB6B2izLUOuZh97cXmaE5s1fIGyKpfWq5/rS/N8gAynAEKIL9um7oaZi4NohN06dwg2qVI',
  'UCVs/PaS0GnCSHyrPbIAEiDUUFEv4lVn0/wJC0cbEGf8dT6Tf6f+KjBQAXfDcp5wHxogFcChkLPNitvxQbi/4PinbUl/1vDMrV+bJT2XYx7iBw4i',
  'NGgC/GZufDgvccl6VZ1bXCoO+t2N4X1wbMjYNy8200kmFNm1tocVgIbzvkdcWAMxkMV3yTZKnAEKIKr+9k0LEfFONWIp3+GyOw7PTaPEAO12Hp8c',
  'Cnr4vtkAEiAAOj3SMu+qYFQsPinI7IfV21DAw6EvkEaQ5FOutWCzFhog0+BP8JsPmGGQ4orboS3A+EDxCZkDBBXKs485e3kP2TkiNAp6nfoQoWiy',
  'dDXPtEwJg9LDZgr0+hxwd7ioF/pIvAQ35O7dv48rqawBsegPdb3eGoqt+F5KnAEKIMe+mEyeI+DGOe2k0DiWt4nMaDpV1nucbF+oHxw6k2sAEiCk',
  'k7TLCA1hEfIfTQlM7qIYLDE+s1AhLquRrAiXf/79AhogoiJ8LQWAay5PZd7qVVdSxnv3ksDr8ie09cUIjUnblIAiNOT3nfPHKAud6nphzbi66d1h',
  'qV4TqzZ68X6mwb9FMIosHcJshrbYBJo7+nmFxX2H/a0aHHhCBggBEAIYAw==',
].join('')

test('the block fixture contains three payments', () => {
  const fixture = fromBinary(CompactBlockSchema, Buffer.from(BLOCK_FIXTURE, 'base64'))
  assert.equal(fixture.height, 4_200_000n)
  assert.equal(fixture.chainMetadata?.ironwoodCommitmentTreeSize, 3)
  assert.deepEqual(countOutputs(fixture), { sapling: 0, orchard: 1, ironwood: 3 })
  const found = tryDecryptCompactBlock([alice, bob], fixture).map(({ keyIndex, txid, pool, actionIndex, note }) => [
    ...[keyIndex, hex(txid), pool, actionIndex, note.value, note.diversifierIndex],
  ])
  assert.deepEqual(found, [
    [1, hex(fixed('txid 2')), 'orchard', 0, 250_000n, 1n],
    [0, hex(fixed('txid 0')), 'ironwood', 0, 1n, 0n],
    [0, hex(fixed('txid 2')), 'ironwood', 1, 123_456_789n, 2n ** 40n],
  ])
})

test('a transaction gives every note that pays a key, in both pools, with its action index and memo', () => {
  const raw = v6(
    [pay(carol, 'orchard', 1n, 'not watched'), pay(bob, 'orchard', 2n, 'to bob', 9n)],
    [pay(alice, 'ironwood', 3n, 'to alice', 2n ** 88n - 1n), pay(aliceChange, 'ironwood', 4n, 'change')],
  )
  const decrypted = tryDecryptTransaction([alice, bob], parseTransaction(raw))
  const payments = decrypted.map(({ keyIndex, pool, actionIndex, note, memo }) => ({
    keyIndex,
    pool,
    action: actionIndex,
    value: note.value,
    index: note.diversifierIndex,
    memo: decodeMemo(memo!),
  }))
  assert.deepEqual(payments, [
    { keyIndex: 1, pool: 'orchard', action: 1, value: 2n, index: 9n, memo: { kind: 'text', text: 'to bob' } },
    {
      keyIndex: 0,
      pool: 'ironwood',
      action: 0,
      value: 3n,
      index: 2n ** 88n - 1n,
      memo: { kind: 'text', text: 'to alice' },
    },
  ])
})

test('a note encrypted for the other pool does not decrypt', () => {
  const raw = v6([pay(alice, 'ironwood', 1n, 'a')], [pay(alice, 'orchard', 2n, 'b')])
  assert.deepEqual(tryDecryptTransaction([alice], parseTransaction(raw)), [])
})

test('a note whose memo does not decrypt is still a payment', () => {
  const action = pay(alice, 'ironwood', 5n, 'memo')
  const broken = { ...action, encCiphertext: action.encCiphertext.with(579, action.encCiphertext[579]! ^ 1) }
  const [payment] = tryDecryptTransaction([alice], parseTransaction(v6([], [broken])))
  assert.equal(payment?.note.value, 5n)
  assert.equal(payment?.memo, undefined)
})

test('a coinbase output is a payment in a transaction and in a compact block', () => {
  const action = pay(alice, 'ironwood', 6n, 'mined')
  const raw = v6([], [action])
  const coinbase = parseTransaction(asCoinbase(raw))
  assert.equal(coinbase.coinbase, true)
  const [mined] = tryDecryptTransaction([alice], coinbase)
  assert.equal(mined?.note.value, 6n)
  assert.deepEqual(tryDecryptTransaction([alice], parseTransaction(raw)), [mined])
  for (const index of [0, 1]) {
    const payments = tryDecryptCompactBlock([alice], block(compactTx(index, { ironwood: [action] })))
    assert.deepEqual(
      payments.map(({ note }) => note),
      [mined?.note],
    )
  }
})

test('a compact block and its transactions give the same notes for any arrangement of keys, pools and actions', () => {
  const keys = [alice, bob]
  const payees = [alice, bob, carol, aliceChange]
  const actionsIn = (pool: ShieldedPool) =>
    payees.flatMap((key, i) => [10n, 11n].map(value => pay(key, pool, value + BigInt(i), `${pool} ${i} ${value}`)))
  const actionsOf = { orchard: actionsIn('orchard'), ironwood: actionsIn('ironwood') }
  const anyActions = (pool: ShieldedPool) => fc.array(fc.constantFrom(...actionsOf[pool]), { maxLength: 2 })
  const transaction = fc.record({ orchard: anyActions('orchard'), ironwood: anyActions('ironwood') })
  const summaries = (notes: readonly (BlockNote | TransactionNote)[]) =>
    notes.map(({ keyIndex, pool, actionIndex, note }) => `${keyIndex} ${pool} ${actionIndex} ${note.value}`)

  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 2 }), transactions => {
      const compact = transactions.map((payments, i) => compactTx(i + 1, payments))
      const fromBlock = tryDecryptCompactBlock(keys, block(...compact))
      for (const [i, { orchard, ironwood }] of transactions.entries()) {
        const ownNotes = fromBlock.filter(({ txid }) => hex(txid) === hex(compact[i]!.txid))
        assert.deepEqual(
          summaries(ownNotes),
          summaries(tryDecryptTransaction(keys, parseTransaction(v6(orchard, ironwood)))),
        )
      }
    }),
    { numRuns: 10 },
  )
})

test('the error for a txid of the wrong length in a block names the field', () => {
  const ironwoodActions = [toCompactAction(pay(alice, 'ironwood', 1n, 'size'))]
  assert.throws(
    () => tryDecryptCompactBlock([alice], block({ index: 1n, txid: new Uint8Array(31), ironwoodActions })),
    {
      name: 'ZcashError',
      code: 'wrong_length',
      message: /txid/,
    },
  )
})

test('countOutputs counts the outputs of a block per pool, including its coinbase', () => {
  const action = toCompactAction(pay(alice, 'ironwood', 1n, 'count'))
  assert.deepEqual(countOutputs(block()), { sapling: 0, orchard: 0, ironwood: 0 })
  assert.deepEqual(
    countOutputs(
      block(
        { index: 0n, ironwoodActions: [action] },
        { index: 1n, outputs: [{}, {}, {}], spends: [{}, {}], actions: [action, action], ironwoodActions: [action] },
      ),
    ),
    { sapling: 3, orchard: 2, ironwood: 2 },
  )
})
