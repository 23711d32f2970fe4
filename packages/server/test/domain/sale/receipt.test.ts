import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasReceipt, MAX_RECEIPT_TRANSACTIONS, receiptPayments } from '../../../src/domain/sale/receipt.ts'

test('a paid invoice has a receipt, unless its payments have been removed from the chain', () => {
  assert.equal(hasReceipt({ status: 'paid', needsAttention: false }), true)
  assert.equal(hasReceipt({ status: 'paid', needsAttention: true }), false)
  for (const status of ['pending', 'detected', 'underpaid', 'expired'] as const)
    assert.equal(hasReceipt({ status, needsAttention: false }), false)
})

test('a receipt lists each transaction that is not dropped once, and at most ten', () => {
  const mined = (txid: string) => ({ txid, location: { at: 'mined', height: 7 } }) as const
  const dropped = { txid: 'c', location: { at: 'dropped' } } as const
  assert.deepEqual(receiptPayments([mined('b'), mined('a'), mined('b'), dropped]), {
    txids: ['b', 'a'],
    hasMore: false,
  })
  const many = Array.from({ length: MAX_RECEIPT_TRANSACTIONS + 1 }, (_, i) => mined(`${i}`))
  const { txids, hasMore } = receiptPayments(many)
  assert.deepEqual([txids.length, hasMore], [MAX_RECEIPT_TRANSACTIONS, true])
})
