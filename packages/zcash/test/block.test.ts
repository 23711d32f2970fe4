import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { type Block, MAX_BLOCK_LENGTH, parseBlock } from '../src/block.ts'
import { ZcashError } from '../src/errors.ts'
import { parseTransaction, txidToHex } from '../src/transaction.ts'
import { MAX_TRANSACTION_LENGTH, transactionExtent } from '../src/transaction-parse.ts'
import { compactSize, uint32 } from './encodings.ts'
import { sampleTransaction } from './sample-transaction.ts'

/**
 * The regtest genesis block from the sources of zcashd and Zebra, which also give its hash and the txid of its only
 * transaction (version 1).
 */
const REGTEST_GENESIS = Buffer.from(
  [
    `04000000${'00'.repeat(32)}`,
    'db4d7a85b768123f1dff1d4c4cece70083b2d27e117b4ac2e31d087988a5eac4',
    '00'.repeat(32),
    'dae5494d',
    '0f0f0f20',
    `0900${'00'.repeat(30)}`,
    '24',
    '01936b7db1eb4ac39f151b8704642d0a8bda13ec547d54cd5e43ba142fc6d8877cab07b3',
    '01',
    '0100000001',
    `${'00'.repeat(32)}ffffffff`,
    '4d04ffff071f0104455a',
    '6361736830623963346565663862376363343137656535303031653335303039383462366665613335363833613763616331343161303433633432303634383335643334',
    'ffffffff010000000000000000434104',
    '678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f',
    'ac00000000',
  ].join(''),
  'hex',
)

/** Version 1, 2 or 3 (protocol specification §7.1): one input, one output, with JoinSplits if the version supports them. */
function oldTransaction(version: 1 | 2 | 3, joinSplits = 0): Buffer {
  const input = Buffer.concat([Buffer.alloc(36, 7), Buffer.from([2, 0x51, 0x52]), uint32(9)])
  const output = Buffer.concat([Buffer.alloc(8, 1), Buffer.from([1, 0x53])])
  return Buffer.concat([
    version === 3 ? Buffer.concat([uint32(0x80000003), uint32(0x03c48270)]) : uint32(version),
    Buffer.concat([Buffer.from([1]), input, Buffer.from([1]), output]),
    uint32(77),
    version === 3 ? uint32(88) : Buffer.alloc(0),
    version > 1 ? Buffer.concat([Buffer.from([joinSplits]), Buffer.alloc(1802 * joinSplits, 5)]) : Buffer.alloc(0),
    joinSplits > 0 ? Buffer.alloc(96, 6) : Buffer.alloc(0),
  ])
}

const HEADER = Buffer.concat([
  uint32(4),
  Buffer.alloc(32, 1),
  Buffer.alloc(32, 2),
  Buffer.alloc(32, 3),
  uint32(1_700_000_000),
  Buffer.alloc(36, 4),
])

function blockOf(
  transactions: readonly Uint8Array[],
  { solution = 1344, count = transactions.length } = {},
): Uint8Array {
  const parts = [HEADER, compactSize(solution), Buffer.alloc(solution, 8), compactSize(count), ...transactions]
  return Uint8Array.from(Buffer.concat(parts))
}

const EVERY_VERSION = [
  oldTransaction(1),
  oldTransaction(2),
  oldTransaction(2, 2),
  oldTransaction(3, 1),
  sampleTransaction({ version: 4, inputs: 2, outputs: 1, saplingSpends: 1, saplingOutputs: 1, joinSplits: 1 }),
  sampleTransaction({ version: 5, inputs: 1, outputs: 2, saplingSpends: 1, saplingOutputs: 1, orchard: 2 }),
  sampleTransaction({ version: 6, inputs: 1, outputs: 1, saplingOutputs: 1, orchard: 1, ironwood: 2 }),
]

test('the regtest genesis block has its known hash, txid and Merkle root', () => {
  const genesis = parseBlock(REGTEST_GENESIS)
  const txid = 'c4eaa58879081de3c24a7b117ed2b28300e7ec4c4c1dff1d3f1268b7857a4ddb'
  assert.equal(txidToHex(genesis.hash), '029f11d80ef9765602235e1bc9727e3eb6ba20839319f761fee920d63401e327')
  assert.ok(genesis.prevHash.every(byte => byte === 0))
  assert.equal(genesis.time, 1_296_688_602)
  assert.deepEqual(
    genesis.transactions.map(({ txid, raw, parsed }) => [txidToHex(txid), raw.length, parsed]),
    [[txid, REGTEST_GENESIS.length - 178, undefined]],
  )
  // The Merkle root over one transaction is its txid.
  assert.equal(txidToHex(genesis.merkleRoot), txid)
})

test('a block is split into its transactions of every version, with their txids', () => {
  for (const solution of [1344, 36]) {
    const raw = blockOf(EVERY_VERSION, { solution })
    const { hash, prevHash, merkleRoot, time, transactions } = parseBlock(raw)
    const header = raw.subarray(0, 140 + (solution === 36 ? 1 : 3) + solution)
    assert.deepEqual(hash, sha256(sha256(header)))
    assert.deepEqual([prevHash[0], merkleRoot[0], time], [1, 2, 1_700_000_000])
    assert.deepEqual(
      transactions.map(transaction => Buffer.from(transaction.raw).toString('hex')),
      EVERY_VERSION.map(bytes => Buffer.from(bytes).toString('hex')),
    )
    for (const [i, bytes] of EVERY_VERSION.entries()) {
      const { txid, parsed } = transactions[i]!
      if (i < 4) assert.deepEqual([parsed, txid], [undefined, sha256(sha256(bytes))])
      else assert.deepEqual([parsed, txid], [parseTransaction(bytes), parseTransaction(bytes).txid])
    }
  }
})

test('the extent of a transaction ignores the bytes after it', () => {
  for (const [i, bytes] of EVERY_VERSION.entries()) {
    const version = [1, 2, 2, 3, 4, 5, 6][i]
    assert.deepEqual(transactionExtent(Buffer.concat([bytes, Buffer.alloc(500)])), { version, length: bytes.length })
    assert.deepEqual(transactionExtent(bytes), { version, length: bytes.length })
  }
  for (const header of [0, 3, 4, 7, 0x80000000, 0x80000001, 0x80000002, 0x80000007, 0xffffffff]) {
    const bytes = Buffer.concat([uint32(header), Buffer.alloc(100)])
    assert.throws(
      () => transactionExtent(bytes),
      { code: 'unsupported_version', message: /version 1 to 6/ },
      `${header}`,
    )
  }
  const long = Buffer.concat([oldTransaction(1).subarray(0, 41), Buffer.from([0xfe, 0x80, 0x84, 0x1e, 0])])
  assert.throws(() => transactionExtent(Buffer.concat([long, Buffer.alloc(MAX_TRANSACTION_LENGTH + 100)])), {
    code: 'invalid_transaction',
    message: /longer than 2000000 bytes/,
  })
})

test('a malformed block is rejected with the reason', () => {
  const [first] = EVERY_VERSION
  const good = blockOf([first!])
  const unknownVersion = blockOf([first!, Buffer.concat([uint32(0x80000009), Buffer.alloc(60)])])
  const foreignGroup = blockOf([sampleTransaction({ version: 5, inputs: 1 }).with(4, 0)])
  const cases: readonly (readonly [Uint8Array, string, RegExp])[] = [
    [new Uint8Array(), 'invalid_block', /^Not a valid block: it ends inside version$/],
    [HEADER.subarray(0, 99), 'invalid_block', /ends inside block commitments/],
    [blockOf([first!], { solution: 100 }), 'invalid_block', /100 bytes .*1344 or 36/],
    [blockOf([]), 'invalid_block', /no coinbase/],
    [blockOf([first!], { count: 200 }), 'invalid_block', /claims more items than the block can hold/],
    [blockOf([first!], { count: 2 }), 'invalid_transaction', /^Transaction 1 /],
    [Buffer.concat([good, Buffer.alloc(3)]), 'invalid_block', /3 extra bytes at its end/],
    [Buffer.concat([good, Buffer.alloc(MAX_BLOCK_LENGTH)]), 'invalid_block', /longer than/],
    [unknownVersion, 'unsupported_version', /^Transaction 1 of the block: Only transactions of version 1 to 6/],
    [foreignGroup, 'unsupported_version', /^Transaction 0 of the block: .*version group/],
  ]
  for (const [bytes, code, message] of cases) {
    assert.throws(() => parseBlock(bytes), { name: 'ZcashError', code, message }, String(message))
  }
})

/** Undefined if the block is rejected with a ZcashError; any other error fails the test. */
function parseOrReject(bytes: Uint8Array): Block | undefined {
  try {
    return parseBlock(bytes)
  } catch (error) {
    assert.ok(error instanceof ZcashError, `unexpected ${(error as Error).name}: ${(error as Error).message}`)
    return undefined
  }
}

test('a block truncated at any offset is rejected', () => {
  const raw = blockOf(EVERY_VERSION, { solution: 36 })
  // Every offset in the header and the first transactions, then every 31st offset to save time.
  for (let length = 0; length < raw.length; length += length < 500 ? 1 : 31) {
    assert.equal(parseOrReject(raw.subarray(0, length)), undefined, `truncated at ${length} of ${raw.length}`)
  }
})

test('a block with flipped bits or random bytes parses or is rejected', () => {
  const raw = blockOf(EVERY_VERSION, { solution: 36 })
  const index = fc.nat(raw.length - 1)
  fc.assert(
    fc.property(index, fc.nat(7), fc.uint8Array({ maxLength: 300 }), (offset, bit, noise) => {
      parseOrReject(raw.with(offset, raw[offset]! ^ (1 << bit)))
      parseOrReject(Buffer.concat([raw.subarray(0, offset), noise]))
    }),
    { numRuns: 500 },
  )
})
