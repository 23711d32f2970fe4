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

/** undefined where refused as it should be; any other error fails the test. */
function parseOrRefuse(bytes: Uint8Array): Transaction | undefined {
  try {
    return parseTransaction(bytes)
  } catch (error) {
    assert.ok(error instanceof ZcashError, `a ${(error as Error).name} escaped: ${(error as Error).message}`)
    return undefined
  }
}

test('every transaction cut short anywhere is refused', () => {
  for (const sample of SAMPLES) {
    for (let length = 0; length < sample.length; length++) {
      assert.equal(parseOrRefuse(sample.subarray(0, length)), undefined, `cut at ${length} of ${sample.length}`)
    }
  }
})

test('a transaction with anything after its end is refused', () => {
  fc.assert(
    fc.property(sampleArbitrary, fc.uint8Array({ minLength: 1, maxLength: 100 }), (sample, tail) => {
      assert.equal(parseOrRefuse(Buffer.concat([sample, tail])), undefined)
    }),
  )
})

test('one flipped bit in any byte parses or is refused, and the txid of a v4 transaction never survives it', () => {
  for (const sample of SAMPLES) {
    const { version, txid } = parseTransaction(sample)
    for (let at = 0; at < sample.length; at++) {
      const parsed = parseOrRefuse(sample.with(at, sample[at]! ^ (1 << (at % 8))))
      if (parsed && version === 4) assert.notDeepEqual(parsed.txid, txid)
    }
  }
})

test('random bytes behind each header parse or are refused', () => {
  fc.assert(
    fc.property(sampleArbitrary, fc.uint8Array({ maxLength: 4000 }), fc.nat(60), (sample, noise, kept) => {
      parseOrRefuse(Buffer.concat([sample.subarray(0, kept), noise]))
    }),
    { numRuns: 2000 },
  )
})

test('random splices of the samples parse or are refused', () => {
  fc.assert(
    fc.property(sampleArbitrary, sampleArbitrary, fc.nat(5000), fc.nat(5000), (head, tail, end, start) => {
      parseOrRefuse(Buffer.concat([head.subarray(0, end), tail.subarray(start)]))
    }),
    { numRuns: 1000 },
  )
})

test('a count of more than the bytes can hold is refused at once, whichever part it is of', () => {
  const headers = SAMPLES.map(sample => sample.subarray(0, sample[0] === 4 ? 8 : 20))
  const promises = ['fdffff', 'feffffff00', 'fe00000002', 'ff0000000001000000', 'ffffffffffffffffff'].map(hex =>
    Buffer.from(hex, 'hex'),
  )
  for (const header of headers) {
    for (const promise of promises) {
      for (let zeros = 0; zeros <= 5; zeros++) {
        const bytes = Buffer.concat([header, Buffer.alloc(zeros), promise, Buffer.alloc(2000)])
        assert.equal(parseOrRefuse(bytes), undefined)
      }
    }
  }
})

test('a count not in its shortest form is refused', () => {
  const sample = sampleTransaction({ version: 5 })
  for (const long of ['fd0000', 'fdfc00', 'fe00000000', 'feffff0000', 'ff0000000000000000', 'ffffffffff00000000']) {
    const bytes = Buffer.concat([sample.subarray(0, 20), Buffer.from(long, 'hex'), sample.subarray(21)])
    assert.throws(() => parseTransaction(bytes), { code: 'invalid_transaction', message: /shortest form/ })
  }
})

test('a transaction larger than a block is refused, whatever it says', () => {
  const bytes = new Uint8Array(MAX_TRANSACTION_LENGTH + 1)
  bytes.set(SAMPLES[3]!)
  assert.throws(() => parseTransaction(bytes), { code: 'invalid_transaction', message: /2000000 bytes/ })
})

test('the slowest thing a peer can send, a block full of the smallest outputs, is read within a second', () => {
  const outputs = Math.floor((MAX_TRANSACTION_LENGTH - 29) / 9)
  const count = Buffer.alloc(5, 0xfe)
  count.writeUInt32LE(outputs, 1)
  const header = sampleTransaction({ version: 5 })
  const bytes = Buffer.concat([header.subarray(0, 21), count, Buffer.alloc(9 * outputs), Buffer.alloc(3)])
  const start = performance.now()
  assert.equal(parseTransaction(bytes).transparentOutputs, outputs)
  assert.ok(performance.now() - start < 1000)
})
