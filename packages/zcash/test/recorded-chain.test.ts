import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { fromBinary } from '@bufbuild/protobuf'
import { encodeAddress, orchardReceiver, parseAddress } from '../src/address.ts'
import { type BlockTransaction, parseBlock } from '../src/block.ts'
import { type CompactBlock, CompactBlockSchema } from '../src/lightwallet/gen/compact_tx_streamer_pb.ts'
import { decodeMemo } from '../src/memo.ts'
import { type Note, toCompactAction } from '../src/note.ts'
import { countOutputs, tryDecryptCompactBlock, tryDecryptTransaction } from '../src/scan.ts'
import { parseTransaction, txidFromHex, txidToHex } from '../src/transaction.ts'
import { type IncomingViewingKey, parseViewingKey } from '../src/viewing-key.ts'
import {
  loadRecording,
  type RecordedBlock,
  type RecordedPayment,
  type Recording,
  recordingMissing,
} from './recording.ts'
import { bytes, hex } from './vectors.ts'

/** A payment as listed by a wallet. `memo` is present if full transactions were decrypted. */
interface ListedPayment {
  readonly txid: string
  readonly height: number | null
  readonly pool: string
  readonly diversifierIndex: string
  readonly address: string
  readonly valueZat: number
  readonly memo?: string | null
}

interface BranchBlock extends RecordedBlock {
  readonly transactions: readonly BlockTransaction[]
}

describe('the recorded chain', { skip: recordingMissing }, () => {
  let recording: Recording
  let key: IncomingViewingKey
  let main: BranchBlock[]
  let branchA: BranchBlock[]
  let compactBlocks: CompactBlock[]

  before(() => {
    recording = loadRecording()
    const parsed = parseViewingKey(recording.merchant_ufvk)
    assert.equal(parsed.network, 'regtest')
    key = parsed.orchard!
    const withTransactions = (block: RecordedBlock) => ({
      ...block,
      transactions: parseBlock(bytes(block.raw)).transactions,
    })
    main = recording.blocks.map(withTransactions)
    branchA = recording.branch_a.map(withTransactions)
    compactBlocks = Object.values(recording.compact).map(encoded =>
      fromBinary(CompactBlockSchema, Buffer.from(encoded, 'base64')),
    )
  })

  const toListedPayment = (
    { txid, height, memo }: Pick<ListedPayment, 'txid' | 'height' | 'memo'>,
    note: Note,
  ): ListedPayment => ({
    ...{ txid, height, pool: note.pool, diversifierIndex: String(note.diversifierIndex) },
    ...{ address: encodeAddress('regtest', note.receiver), valueZat: Number(note.value) },
    ...(memo === undefined ? {} : { memo }),
  })

  /** The payments that the wallet lists. It lists no memo for coinbase outputs. */
  const expectedPayments = (payments: readonly RecordedPayment[], withMemo: boolean) =>
    sortPayments(
      payments.map(({ txid, height, pool, diversifier_index, address, value_zat, coinbase, memo }) => ({
        ...{ txid, height, pool, diversifierIndex: diversifier_index, address, valueZat: value_zat },
        ...(withMemo && !coinbase ? { memo: memo ?? null } : {}),
      })),
    )

  const paymentsIn = (raw: Uint8Array, height: number | null): ListedPayment[] => {
    const transaction = parseTransaction(raw)
    const txid = txidToHex(transaction.txid)
    return tryDecryptTransaction([key], transaction).map(({ note, memo }) =>
      toListedPayment(transaction.coinbase ? { txid, height } : { txid, height, memo: memoText(memo) }, note),
    )
  }
  const paymentsOf = (blocks: readonly BranchBlock[]) =>
    blocks.flatMap(({ height, transactions }) =>
      transactions.flatMap(({ raw, parsed }) => (parsed ? paymentsIn(raw, height) : [])),
    )
  const confirmed = () => recording.payments.filter(({ height }) => height !== null)

  test('every raw block of both branches has its recorded hash, parent, time and txids', () => {
    assert.deepEqual(
      main.map(({ height }) => height),
      Array.from({ length: 48 }, (_, height) => height),
    )
    assert.deepEqual(
      branchA.map(({ height }) => height),
      [33, 34],
    )
    const versions = new Set<number>()
    for (const branch of [main, [...main.slice(0, 33), ...branchA]]) {
      for (const [height, recorded] of branch.entries()) {
        const block = parseBlock(bytes(recorded.raw))
        assert.equal(txidToHex(block.hash), recorded.hash, `hash at ${height}`)
        assert.equal(txidToHex(block.prevHash), branch[height - 1]?.hash ?? '0'.repeat(64), `parent at ${height}`)
        assert.equal(block.time, recorded.time, `time at ${height}`)
        assert.deepEqual(
          block.transactions.map(({ txid }) => txidToHex(txid)),
          recorded.txids,
          `txids at ${height}`,
        )
        for (const [index, { parsed }] of block.transactions.entries()) {
          versions.add(parsed?.version ?? 1)
          assert.equal(parsed?.coinbase ?? true, index === 0, `coinbase at ${height}`)
        }
      }
    }
    assert.deepEqual([...versions].sort(), [1, 5, 6])
  })

  test('the raw blocks of the best chain contain exactly the payments that the wallet lists', () => {
    assert.deepEqual(sortPayments(paymentsOf(main)), expectedPayments(confirmed(), true))
    assert.equal(recording.payments.filter(({ coinbase }) => coinbase).length, 2)
  })

  test('the raw blocks of the replaced branch contain the payment that is mined again later', () => {
    const [reorganised] = recording.transactions.filter(({ reorganised_at }) => reorganised_at !== undefined)
    const payments = recording.payments.filter(({ txid }) => txid === reorganised!.txid)
    assert.deepEqual(
      paymentsOf(branchA),
      expectedPayments(payments, true).map(payment => ({ ...payment, height: reorganised!.reorganised_at })),
    )
  })

  test('the mempool transactions contain exactly the payments that the wallet lists', () => {
    const found = recording.transactions.flatMap(({ txid, raw }) => {
      assert.equal(txidToHex(parseTransaction(bytes(raw)).txid), txid)
      return paymentsIn(bytes(raw), null)
    })
    const paid = recording.payments.filter(({ coinbase }) => !coinbase)
    const unmined = paid.map(payment => ({ ...payment, height: null }))
    assert.deepEqual(sortPayments(found), expectedPayments(unmined, true))
    assert.equal(paid.filter(({ height }) => height === null).length, 1)
  })

  test('the compact blocks contain exactly the payments that the wallet lists', () => {
    const found = compactBlocks.flatMap(block =>
      tryDecryptCompactBlock([key], block).map(({ txid, note }) =>
        toListedPayment({ txid: txidToHex(txid), height: Number(block.height) }, note),
      ),
    )
    assert.deepEqual(sortPayments(found), expectedPayments(confirmed(), false))
  })

  test('every compact block matches its raw block', () => {
    assert.equal(compactBlocks.length, 47)
    for (const compact of compactBlocks) {
      const recorded = main[Number(compact.height)]!
      assert.equal(hex(compact.hash), hex(txidFromHex(recorded.hash)))
      assert.equal(hex(compact.prevHash), hex(txidFromHex(main[recorded.height - 1]!.hash)))
      assert.equal(compact.time, recorded.time)
      // Servers omit transactions without shielded parts.
      const shielded = recorded.transactions
        .map((transaction, index) => ({ ...compactForm(transaction), index }))
        .filter(({ orchard, ironwood, sapling }) => orchard.length + ironwood.length + sapling.spends + sapling.outputs)
      assert.deepEqual(
        compact.vtx.map(transaction => ({
          txid: hex(transaction.txid),
          orchard: transaction.actions.map(hexFields),
          ironwood: transaction.ironwoodActions.map(hexFields),
          sapling: { spends: transaction.spends.length, outputs: transaction.outputs.length },
          index: Number(transaction.index),
        })),
        shielded,
        `compact block ${recorded.height}`,
      )
    }
  })

  test('the note commitment trees grow by the outputs counted in each compact block', () => {
    const sizes = { sapling: 0, orchard: 0, ironwood: 0 }
    for (const compact of compactBlocks) {
      const counts = countOutputs(compact)
      for (const pool of ['sapling', 'orchard', 'ironwood'] as const) {
        sizes[pool] += counts[pool]
        const treeSize = compact.chainMetadata?.[`${pool}CommitmentTreeSize`]
        assert.equal(treeSize, sizes[pool], `${pool} tree at ${compact.height}`)
        assert.equal(main[Number(compact.height)]!.trees[pool]?.size ?? 0, sizes[pool])
      }
    }
    assert.deepEqual(sizes, { sapling: 3, orchard: 30, ironwood: 39 })
  })

  test('the address at each recorded diversifier index equals the recorded address', () => {
    const indexes = new Set(recording.payments.map(payment => payment.diversifier_index))
    const low = Array.from({ length: 13 }, (_, i) => String(i + 1))
    assert.deepEqual([...indexes].sort(), [...low, String(2n ** 64n - 1n)].sort())
    for (const { diversifier_index, address } of recording.payments) {
      const receiver = orchardReceiver(key, BigInt(diversifier_index))
      assert.equal(encodeAddress('regtest', receiver), address)
      assert.deepEqual(parseAddress(address), { network: 'regtest', typecodes: [3], orchard: receiver })
    }
  })
})

function compactForm({ txid, parsed }: BlockTransaction) {
  return {
    txid: hex(txid),
    orchard: (parsed?.orchard ?? []).map(action => hexFields(toCompactAction(action))),
    ironwood: (parsed?.ironwood ?? []).map(action => hexFields(toCompactAction(action))),
    sapling: { spends: parsed?.saplingSpends ?? 0, outputs: parsed?.saplingOutputs ?? 0 },
  }
}

function hexFields({ nullifier, cmx, ephemeralKey, ciphertext }: ReturnType<typeof toCompactAction>) {
  return [nullifier, cmx, ephemeralKey, ciphertext].map(hex)
}

/** The text of a memo; null for the "no memo" encoding. */
function memoText(memo: Uint8Array | undefined): string | null {
  assert.ok(memo, 'every recorded memo decrypts')
  const decoded = decodeMemo(memo)
  assert.notEqual(decoded.kind, 'bytes')
  return decoded.kind === 'text' ? decoded.text : null
}

function sortPayments(payments: readonly ListedPayment[]): ListedPayment[] {
  const sortKey = (payment: ListedPayment) => JSON.stringify(Object.entries(payment).sort())
  return payments.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}
