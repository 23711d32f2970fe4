import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ZcashError } from '../src/errors.ts'
import { parseTransaction, type Transaction } from '../src/transaction.ts'
import { MAX_TRANSACTION_LENGTH } from '../src/transaction-parse.ts'
import { sampleTransaction } from './sample-transaction.ts'

const SAMPLES = [
  sampleTransaction({ version: 4, inputs: 2, outputs: 1, saplingSpends: 1, saplingOutputs: 1, joinSplits: 1 }),
  sampleTransaction({ version: 5, inputs: 1, outputs: 2, saplingSpends: 1, saplingOutputs: 1, orchard: 2 }),
  sampleTransaction({ version: 6, inputs: 1, outputs: 1, saplingOutputs: 1, orchard: 1, ironwood: 2 }),
  sampleTransaction({ version: 6, ironwood: 1 }),
]
const sampleArbitrary = fc.constantFrom(...SAMPLES)

/** Undefined if the transaction is rejected with a ZcashError; any other error fails the test. */
function parseOrReject(bytes: Uint8Array): Transaction | undefined {
  try {
    return parseTransaction(bytes)
  } catch (error) {
    assert.ok(error instanceof ZcashError, `unexpected ${(error as Error).name}: ${(error as Error).message}`)
    return undefined
  }
}

test('a transaction truncated at any offset is rejected', () => {
  for (const sample of SAMPLES) {
    for (let length = 0; length < sample.length; length++) {
      assert.equal(parseOrReject(sample.subarray(0, length)), undefined, `truncated at ${length} of ${sample.length}`)
    }
  }
})

test('a transaction with extra bytes at its end is rejected', () => {
  fc.assert(
    fc.property(sampleArbitrary, fc.uint8Array({ minLength: 1, maxLength: 100 }), (sample, tail) => {
      assert.equal(parseOrReject(Buffer.concat([sample, tail])), undefined)
    }),
  )
})

test('a transaction with one flipped bit parses or is rejected, and the txid of a v4 transaction always changes', () => {
  for (const sample of SAMPLES) {
    const { version, txid } = parseTransaction(sample)
    for (let offset = 0; offset < sample.length; offset++) {
      const parsed = parseOrReject(sample.with(offset, sample[offset]! ^ (1 << (offset % 8))))
      if (parsed && version === 4) assert.notDeepEqual(parsed.txid, txid)
    }
  }
})

test('random bytes after each header parse or are rejected', () => {
  fc.assert(
    fc.property(sampleArbitrary, fc.uint8Array({ maxLength: 4000 }), fc.nat(60), (sample, noise, kept) => {
      parseOrReject(Buffer.concat([sample.subarray(0, kept), noise]))
    }),
    { numRuns: 2000 },
  )
})

test('random splices of the samples parse or are rejected', () => {
  fc.assert(
    fc.property(sampleArbitrary, sampleArbitrary, fc.nat(5000), fc.nat(5000), (head, tail, end, start) => {
      parseOrReject(Buffer.concat([head.subarray(0, end), tail.subarray(start)]))
    }),
    { numRuns: 1000 },
  )
})

test('a count above the available bytes is rejected in every part of a transaction', () => {
  const headers = SAMPLES.map(sample => sample.subarray(0, sample[0] === 4 ? 8 : 20))
  const counts = ['fdffff', 'feffffff00', 'fe00000002', 'ff0000000001000000', 'ffffffffffffffffff'].map(hex =>
    Buffer.from(hex, 'hex'),
  )
  for (const header of headers) {
    for (const count of counts) {
      for (let zeros = 0; zeros <= 5; zeros++) {
        const bytes = Buffer.concat([header, Buffer.alloc(zeros), count, Buffer.alloc(2000)])
        assert.equal(parseOrReject(bytes), undefined)
      }
    }
  }
})

test('a count that is not in its shortest form is rejected', () => {
  const sample = sampleTransaction({ version: 5 })
  for (const long of ['fd0000', 'fdfc00', 'fe00000000', 'feffff0000', 'ff0000000000000000', 'ffffffffff00000000']) {
    const bytes = Buffer.concat([sample.subarray(0, 20), Buffer.from(long, 'hex'), sample.subarray(21)])
    assert.throws(() => parseTransaction(bytes), { code: 'invalid_transaction', message: /shortest form/ })
  }
})

test('a transaction larger than a block is rejected', () => {
  const bytes = new Uint8Array(MAX_TRANSACTION_LENGTH + 1)
  bytes.set(SAMPLES[3]!)
  assert.throws(() => parseTransaction(bytes), { code: 'invalid_transaction', message: /2000000 bytes/ })
})

test('the slowest possible input, a transaction of block size full of the smallest outputs, parses within a second', () => {
  const outputs = Math.floor((MAX_TRANSACTION_LENGTH - 29) / 9)
  const count = Buffer.alloc(5, 0xfe)
  count.writeUInt32LE(outputs, 1)
  const header = sampleTransaction({ version: 5 })
  const bytes = Buffer.concat([header.subarray(0, 21), count, Buffer.alloc(9 * outputs), Buffer.alloc(3)])
  const start = performance.now()
  assert.equal(parseTransaction(bytes).transparentOutputs, outputs)
  assert.ok(performance.now() - start < 1000)
})
