import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDeposit } from '../../../src/adapters/oneclick/responses.ts'

const NOTHING = { deposited: null, refunded: null, refundReason: null, txid: null }

test('the report of a deposit is read where it is as documented, and refuses no status', () => {
  const details = { depositedAmount: '10000', refundedAmount: '9990', refundReason: 'PARTIAL_DEPOSIT' }
  assert.deepEqual(parseDeposit(details), {
    deposited: 10_000n,
    refunded: 9_990n,
    refundReason: 'PARTIAL_DEPOSIT',
    txid: null,
  })
  assert.deepEqual(parseDeposit({ refundedAmount: '0' }), { ...NOTHING, refunded: 0n })
  for (const odd of [
    undefined,
    null,
    [],
    'text',
    { depositedAmount: null, refundedAmount: null, refundReason: null },
    { depositedAmount: 5, refundedAmount: '-1', refundReason: '' },
    { depositedAmount: '1e3', refundedAmount: '0x1', refundReason: 'a\u202eb' },
    { depositedAmount: '9'.repeat(41), refundReason: 'x'.repeat(65) },
  ])
    assert.deepEqual(parseDeposit(odd), NOTHING, JSON.stringify(odd))
})

test('of the transactions of a deposit the newest is read', () => {
  const hashes = ['aa', 'bb'].map(hash => ({ hash, explorerUrl: '' }))
  assert.deepEqual(parseDeposit({ originChainTxHashes: hashes }), { ...NOTHING, txid: 'bb' })
  for (const odd of [[], [{}], [{ hash: 'a b' }], ['aa'], 'aa', null])
    assert.deepEqual(parseDeposit({ originChainTxHashes: odd }), NOTHING, JSON.stringify(odd))
})
