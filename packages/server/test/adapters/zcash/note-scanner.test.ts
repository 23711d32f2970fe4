import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createActions } from '@zatgate/sandbox/chain/actions'
import { demoViewingKey, foreignReceiver } from '@zatgate/sandbox/chain/keys'
import { compactAction, finishTransaction, rawTransaction } from '@zatgate/sandbox/chain/transaction'
import { SeededRandom } from '@zatgate/sandbox/random'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '@zatgate/zcash/spending-key'
import { encodeUnified } from '@zatgate/zcash/unified'
import {
  encodeIncomingViewingKey,
  externalIncomingViewingKey,
  incomingViewingKeyToBytes,
} from '@zatgate/zcash/viewing-key'
import fc from 'fast-check'
import { decodeBlock } from '../../../src/adapters/lightwalletd/decode.ts'
import { packActions, unpackActions } from '../../../src/adapters/zcash/messages.ts'
import { createNoteScanner } from '../../../src/adapters/zcash/note-scanner.ts'
import type { CompactTransaction } from '../../../src/domain/chain/chain.ts'
import type { ShieldedPool } from '../../../src/domain/chain/shielded-pool.ts'
import type { AppError } from '../../../src/domain/error.ts'
import type { DecryptedNote, ScanKey } from '../../../src/ports/note-scanner.ts'
import { silentLog } from '../../harness/log.ts'

const noteScanner = createNoteScanner({ log: silentLog, threads: 2 })
after(() => noteScanner.close())

const SEED = new Uint8Array(32).fill(4)
const TESTNET = join(import.meta.dirname, '../../../../../../shared/vectors/testnet-ironwood')

const keyOf = (account: number) =>
  externalIncomingViewingKey(deriveFullViewingKey(deriveOrchardSpendingKey(SEED, 1, account)))
const watchKey = (id: number): ScanKey => ({ id, incoming: incomingViewingKeyToBytes(keyOf(id)) })

let serial = 0

/** A transaction with notes to the given accounts and indexes, and change to another wallet. */
function paying(
  pool: ShieldedPool,
  to: readonly { account: number; index: bigint; value: bigint }[],
  coinbase = false,
) {
  const random = new SeededRandom(SEED, `note scanner test ${serial++}`)
  const outputs = to.map(({ account, index, value }) => ({ receiver: orchardReceiver(keyOf(account), index), value }))
  const actions = createActions(random, pool, outputs, foreignReceiver(SEED))
  const draft = { pool, branchId: 0, actions, expiryHeight: 77, coinbase, minerOutputZat: 0n }
  const full = finishTransaction(draft)
  const compact: CompactTransaction = {
    txid: full.id,
    orchard: pool === 'orchard' ? actions.map(compactAction) : [],
    ironwood: pool === 'ironwood' ? actions.map(compactAction) : [],
  }
  return { full, compact }
}

const summary = (notes: readonly DecryptedNote[]) =>
  notes
    .map(note => `${note.viewingKeyId} ${note.pool} ${note.diversifierIndex} ${note.valueZat} ${note.txid.slice(0, 8)}`)
    .sort()

test('finds every note of every key in both pools, including coinbase outputs, across several jobs', async () => {
  const keys = Array.from({ length: 30 }, (_, id) => watchKey(id + 1))
  const transactions: CompactTransaction[] = []
  const expected: string[] = []
  for (let account = 1; account <= 30; account += 3) {
    const pool = account % 2 ? 'ironwood' : 'orchard'
    const to = [0, 1].map(i => ({
      account: account + i,
      index: BigInt(account) << 40n,
      value: BigInt(account * 1000 + i),
    }))
    const { compact } = paying(pool, to)
    transactions.push(compact)
    for (const { account: id, index, value } of to) {
      expected.push(`${id} ${pool} ${index} ${value} ${compact.txid.slice(0, 8)}`)
    }
  }
  const minted = [5n, 6n].map(value => ({ account: 1, index: value, value }))
  const { compact: coinbase } = paying('ironwood', minted, true)
  transactions.unshift(coinbase)
  expected.push(...minted.map(({ value }) => `1 ironwood ${value} ${value} ${coinbase.txid.slice(0, 8)}`))
  assert.deepEqual(summary(await noteScanner.scan(keys, transactions)), expected.sort())
  assert.deepEqual(await noteScanner.scan([], transactions), [])
  assert.deepEqual(await noteScanner.scan(keys, []), [])
})

test('the output index is the index of the action among those of its pool', async () => {
  const { compact } = paying('ironwood', [
    { account: 1, index: 1n, value: 1n },
    { account: 1, index: 2n, value: 2n },
    { account: 1, index: 3n, value: 3n },
  ])
  const notes = await noteScanner.scan([watchKey(1)], [compact])
  assert.deepEqual(notes.map(note => note.outputIndex).sort(), [0, 1, 2])
  for (const { outputIndex, diversifierIndex } of notes) {
    const alone = { ...compact, ironwood: [compact.ironwood[outputIndex]!] }
    assert.equal((await noteScanner.scan([watchKey(1)], [alone]))[0]!.diversifierIndex, diversifierIndex)
  }
})

test('a scan that cannot process every action rejects instead of returning fewer notes', async () => {
  const good = paying('ironwood', [{ account: 1, index: 1n, value: 1n }]).compact
  const [action] = good.ironwood
  const bad = { ...good, txid: 'f'.repeat(64), ironwood: [{ ...action!, ciphertext: new Uint8Array(51) }] }
  await assert.rejects(noteScanner.scan([watchKey(1)], [good, bad]))
  await assert.rejects(noteScanner.scan([watchKey(1), { id: 99, incoming: new Uint8Array(63) }], [good]))
  assert.equal((await noteScanner.scan([watchKey(1)], [good])).length, 1)
})

test('an action that was scanned before gives its notes again at its new place, and new keys are tried on it', async t => {
  const scanner = createNoteScanner({ log: silentLog, threads: 1 })
  t.after(() => scanner.close())
  const { compact } = paying(
    'ironwood',
    [1, 3].map(account => ({ account, index: 5n, value: 9n })),
  )
  const ids = (notes: readonly DecryptedNote[]) =>
    notes.map(({ viewingKeyId, txid }) => `${viewingKeyId} ${txid[0]}`).sort()
  const as = (txid: string) => [{ ...compact, txid: txid.repeat(64) }]
  assert.deepEqual(ids(await scanner.scan([watchKey(1)], as('a'))), ['1 a'])
  assert.deepEqual(ids(await scanner.scan([watchKey(1), watchKey(3)], as('b'))), ['1 b', '3 b'])
  assert.deepEqual(ids(await scanner.scan([watchKey(3)], as('c'))), ['3 c'])
  const together = await Promise.all([scanner.scan([watchKey(1)], as('d')), scanner.scan([watchKey(3)], as('e'))])
  assert.deepEqual(together.map(ids), [['1 d'], ['3 e']])
})

test('scans of the same actions at the same time give the same notes, with the keys of each', async t => {
  const scanner = createNoteScanner({ log: silentLog, threads: 2 })
  t.after(() => scanner.close())
  const transactions = [1, 3, 4].map(account => paying('ironwood', [{ account, index: 5n, value: 9n }]).compact)
  const ids = async (accounts: number[]) =>
    (await scanner.scan(accounts.map(watchKey), transactions)).map(note => note.viewingKeyId)
  assert.deepEqual(await Promise.all([ids([1, 3]), ids([3]), ids([1, 3, 4]), ids([4, 1])]), [
    [1, 3],
    [3],
    [1, 3, 4],
    [1, 4],
  ])
})

test('without the kernel the plain path finds the same notes and addresses, and the fault is reported once', async t => {
  let faults = 0
  const errors: unknown[] = []
  const plain = createNoteScanner({
    log: { ...silentLog, error: (_context, message) => errors.push(message) },
    onKernelError: () => faults++,
    threads: 2,
    script: new URL('./worker-without-wasm.ts', import.meta.url),
  })
  t.after(() => plain.close())
  const keys = [watchKey(1), watchKey(3)]
  const transactions = [1, 3].map(account => paying('ironwood', [{ account, index: 5n, value: 9n }]).compact)
  const [notes, addresses] = await Promise.all([
    plain.scan(keys, transactions),
    plain.deriveAddresses(keys[0]!.incoming, 'test', 3n, 4),
  ])
  assert.deepEqual(summary(notes), summary(await noteScanner.scan(keys, transactions)))
  assert.equal(notes.length, 2)
  assert.deepEqual(addresses, await noteScanner.deriveAddresses(keys[0]!.incoming, 'test', 3n, 4))
  await plain.scan(keys, transactions)
  assert.equal(faults, 1)
  assert.match(String(errors), /^the scan kernel is not used from now on/)
})

const FAULTY_KERNEL = new URL('./worker-with-faulty-kernel.ts', import.meta.url)

test('an address that the kernel derives wrongly is noticed and never returned', async t => {
  let faults = 0
  const scanner = createNoteScanner({
    log: silentLog,
    onKernelError: () => faults++,
    threads: 1,
    script: FAULTY_KERNEL,
  })
  t.after(() => scanner.close())
  const { incoming } = watchKey(1)
  const addresses = await scanner.deriveAddresses(incoming, 'test', 3n, 4)
  assert.deepEqual(addresses, await noteScanner.deriveAddresses(incoming, 'test', 3n, 4))
  assert.equal(faults, 1)
})

test('what the kernel has not found before its fault is scanned again', async t => {
  const scanner = createNoteScanner({ log: silentLog, threads: 1, script: FAULTY_KERNEL })
  t.after(() => scanner.close())
  const [first, second] = [1, 3].map(account => paying('ironwood', [{ account, index: 5n, value: 9n }]).compact)
  const keys = [watchKey(1), watchKey(3)]
  assert.equal((await scanner.scan(keys, [first!])).length, 0, 'missed by the faulty kernel')
  assert.equal((await scanner.scan(keys, [second!])).length, 1, 'its fault is noticed')
  assert.equal((await scanner.scan(keys, [first!])).length, 1)
})

test('an abort stops a scan between two jobs', async () => {
  const keys = Array.from({ length: 400 }, (_, id) => ({
    id,
    incoming: new Uint8Array(64).fill(1 + (id % 60)).with(0, id >> 6),
  }))
  const { compact } = paying('ironwood', [{ account: 1, index: 1n, value: 1n }])
  const stopping = new AbortController()
  // Different actions, since equal ones are scanned once.
  const [action] = compact.ironwood
  const different = Array.from({ length: 1_000 }, (_, i) => {
    const nullifier = action!.nullifier.with(0, i & 255).with(1, i >> 8)
    return { ...compact, ironwood: [{ ...action!, nullifier }] }
  })
  const scanning = noteScanner.scan(keys, different, { signal: stopping.signal })
  stopping.abort(new Error('aborted'))
  await assert.rejects(scanning, /aborted/)
})

test('converts raw transactions of both versions to the compact form, and returns null for other bytes', async () => {
  for (const pool of ['orchard', 'ironwood'] as const) {
    const { full, compact } = paying(pool, [{ account: 2, index: 9n, value: 10n }])
    const read = await noteScanner.toCompact(rawTransaction(full))
    assert.equal(read!.expiryHeight, 77)
    assert.deepEqual(read!.transaction, compact)
  }
  for (const invalid of [
    new Uint8Array(0),
    new Uint8Array(100),
    rawTransaction(paying('ironwood', []).full).subarray(0, 900),
  ]) {
    assert.equal(await noteScanner.toCompact(invalid), null)
  }
})

test('derives the same addresses as the zcash package without blocking the main thread', async () => {
  const { incoming } = watchKey(3)
  let ticks = 0
  const ticking = setInterval(() => ticks++, 1)
  const from = 2n ** 63n - 4n
  const addresses = await noteScanner.deriveAddresses(incoming, 'test', from, 200)
  clearInterval(ticking)
  assert.equal(addresses.length, 200)
  assert.ok(ticks > 3, `${ticks} timer ticks`)
  for (const offset of [0, 5, 199]) {
    assert.equal(addresses[offset], encodeAddress('test', orchardReceiver(keyOf(3), from + BigInt(offset))))
  }
  await assert.rejects(noteScanner.deriveAddresses(incoming, 'test', 0n, 1_001), RangeError)
})

test('parses the same incoming viewing key from a UFVK and a UIVK', () => {
  const full = deriveFullViewingKey(deriveOrchardSpendingKey(SEED, 1, 3))
  const incoming = incomingViewingKeyToBytes(keyOf(3))
  for (const network of ['main', 'test', 'regtest'] as const) {
    assert.deepEqual(noteScanner.parseViewingKey(encodeFullViewingKey(full, network)), { network, incoming })
    assert.deepEqual(noteScanner.parseViewingKey(encodeIncomingViewingKey(keyOf(3), network), network), {
      network,
      incoming,
    })
  }
})

test('refuses an invalid key with a readable reason', () => {
  const ufvk = demoViewingKey(SEED)
  const changed = ufvk.slice(0, -1) + (ufvk.endsWith('q') ? 'p' : 'q')
  const sapling = encodeUnified('uivk', 'regtest', [{ typecode: 2, data: new Uint8Array(64).fill(1) }])
  const refusals: [string, RegExp][] = [
    ['', /./],
    ['hello', /./],
    [changed, /checksum/],
    [encodeAddress('regtest', orchardReceiver(keyOf(1), 0n)), /is an address; a viewing key starts with/],
    [sapling, /has no Orchard item/],
    [encodeIncomingViewingKey(keyOf(1), 'main'), /is a key of the main network; this service is on regtest/],
  ]
  for (const [text, reason] of refusals) {
    assert.throws(
      () => noteScanner.parseViewingKey(text, 'regtest'),
      (error: AppError) => {
        assert.deepEqual(
          [error.kind, error.code, error.message],
          ['invalid', 'invalid_viewing_key', 'invalid viewing_key'],
        )
        assert.match(String(error.extra.detail), reason)
        return true
      },
      text,
    )
  }
})

test('parses Revision 2 keys with their expiry, also expired ones', () => {
  const incoming = incomingViewingKeyToBytes(keyOf(3))
  for (const network of ['main', 'test', 'regtest'] as const) {
    const expiries = [
      [{ time: 1_000_000_000n }, { time: 1_000_000_000, height: null }],
      [{ height: 7 }, { time: null, height: 7 }],
      [
        { time: 2n ** 64n - 1n, height: 2 ** 32 - 1 },
        { time: 253_402_300_799, height: 2 ** 32 - 1 },
      ],
    ] as const
    for (const [encoded, expiry] of expiries) {
      const full = deriveFullViewingKey(deriveOrchardSpendingKey(SEED, 1, 3))
      for (const text of [
        encodeFullViewingKey(full, network, encoded),
        encodeIncomingViewingKey(keyOf(3), network, encoded),
      ]) {
        assert.match(text, /^uv[fi]/)
        assert.deepEqual(noteScanner.parseViewingKey(text, network), { network, incoming, expiry })
      }
    }
    assert.deepEqual(noteScanner.parseViewingKey(encodeIncomingViewingKey(keyOf(3), network, {})), {
      network,
      incoming,
    })
  }
  const sapling = encodeUnified('uivk', 'regtest', [{ typecode: 2, data: new Uint8Array(64).fill(1) }], 2)
  for (const [text, reason] of [
    [sapling, /has no Orchard item/],
    [encodeIncomingViewingKey(keyOf(1), 'main', { height: 1 }), /of the main network; this service is on regtest/],
    ['abandon '.repeat(24).trim(), /seed phrase, which .*never paste it anywhere/],
  ] as const) {
    assert.throws(
      () => noteScanner.parseViewingKey(text, 'regtest'),
      (error: AppError) => reason.test(String(error.extra.detail)),
    )
  }
})

test('unpackActions reverses packActions', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  const action = fc.record(
    { nullifier: bytes(32), cmx: bytes(32), ephemeralKey: bytes(32), ciphertext: bytes(52) },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(action, { maxLength: 20 }), actions => {
      assert.deepEqual(unpackActions(packActions(actions)), actions)
    }),
  )
})

test('finds exactly the external notes of real testnet blocks', {
  skip: !existsSync(TESTNET) && 'no test vectors available',
}, async () => {
  const read = (name: string) => readFileSync(join(TESTNET, name), 'utf8')
  const { incoming } = noteScanner.parseViewingKey(read('issuer-ufvk.txt').trim(), 'test')
  const { blocks } = JSON.parse(read('compact-blocks.json')) as { blocks: Record<string, string> }
  const decoded = await Promise.all(Object.values(blocks).map(text => decodeBlock(Buffer.from(text, 'base64'))))
  const notes = await noteScanner.scan(
    [{ id: 1, incoming }],
    decoded.flatMap(block => block.transactions),
  )
  const expected = JSON.parse(read('expected-notes.json')) as Record<string, unknown>[]
  const inBlocks = new Set(decoded.map(block => block.height))
  const line = (...parts: unknown[]) => parts.join(' ')
  assert.deepEqual(
    notes.map(note => line(note.txid, note.pool, note.outputIndex, note.valueZat)).sort(),
    expected
      .filter(note => note.scope === 'external' && inBlocks.has(note.height as number))
      .map(note => line(note.txid, note.pool, note.action, note.value_zat))
      .sort(),
  )
})
