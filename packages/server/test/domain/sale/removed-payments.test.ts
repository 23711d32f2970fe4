import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payment, PaymentLocation } from '../../../src/domain/sale/payment.ts'
import { removedPayments as vanished } from '../../../src/domain/sale/removed-payments.ts'
import { summarize } from '../../harness/payments.ts'

const TERMS = { amountZat: 10n, openAmount: null, toleranceBps: null, confirmations: 3 }
const MEMPOOL = { at: 'mempool' } as const
const DROPPED = { at: 'dropped' } as const

function payment(
  location: PaymentLocation,
  valueZat: bigint,
  expiryHeight: number | null = 140,
  lastSeenHeight = 100,
): Payment {
  const common = { txid: 'a', pool: 'ironwood', outputIndex: 0, seq: 1, inSnapshot: false } as const
  return { ...common, location, valueZat, expiryHeight, lastSeenHeight }
}

function removedPayments(terms: typeof TERMS, payments: readonly Payment[], tip: number) {
  const unmined = payments.filter(({ location }) => location.at !== 'mined')
  return vanished(terms, summarize(payments, terms.confirmations, tip), unmined, tip)
}

test('the vanished amount is what is not mined; with 0 confirmations the mempool counts as well', () => {
  const payments = [payment({ at: 'mined', height: 99 }, 4n), payment(MEMPOOL, 5n), payment(DROPPED, 1n)]
  assert.equal(removedPayments(TERMS, payments, 100).removedZat, 6n)
  assert.equal(removedPayments({ ...TERMS, confirmations: 0 }, payments, 100).removedZat, 1n)
})

test('a payment can be mined up to its expiry height, or at any height without one', () => {
  const until = (payments: readonly Payment[], tip: number) => removedPayments(TERMS, payments, tip).minableUntil
  assert.equal(until([payment(MEMPOOL, 10n)], 139), 140)
  assert.equal(until([payment(MEMPOOL, 10n)], 140), null)
  assert.equal(until([payment(DROPPED, 10n)], 139), 140, 'it may come back')
  assert.equal(until([payment(MEMPOOL, 10n, null)], 100), 220)
  assert.equal(until([payment(MEMPOOL, 10n, 0)], 1_000_000), 'any height')
  assert.equal(until([payment({ at: 'mined', height: 99 }, 4n, 0)], 100), null)
  assert.equal(until([], 100), null)
})
