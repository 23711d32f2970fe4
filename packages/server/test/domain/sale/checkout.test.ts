import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkoutState, needsRecheck } from '../../../src/domain/sale/checkout.ts'
import { dueAmount, type InvoiceMark, type InvoiceStatus } from '../../../src/domain/sale/invoice.ts'

const EXPIRY = 1_000
const WATCH = 2_000
const NO_TIME = null

function state(
  status: InvoiceStatus,
  receivedZat: bigint,
  now: number,
  canceledAt: number | null = null,
  markedAs: InvoiceMark | null = null,
) {
  return checkoutState(
    {
      status,
      receivedZat,
      dueZat: dueAmount({ amountZat: 10n, openAmount: null, toleranceBps: null }, receivedZat),
      expiresAt: EXPIRY,
      watchUntil: WATCH,
      canceledAt,
      markedAs,
    },
    now,
  )
}

const NOTHING = { receivedZat: 0n, dueZat: 10n, expiresAt: EXPIRY, watchUntil: WATCH, canceledAt: null, markedAs: null }

test('money that arrived decides what a buyer can do, before the time does', () => {
  assert.equal(state('pending', 0n, EXPIRY - 1), 'payable')
  assert.equal(state('pending', 4n, EXPIRY - 1), 'payable')
  assert.equal(state('detected', 10n, EXPIRY - 1), 'confirming')
  for (const status of ['pending', 'expired', 'underpaid'] as const) {
    assert.equal(state(status, 0n, EXPIRY), 'late', status)
    assert.equal(state(status, 4n, EXPIRY), 'short', status)
    assert.equal(state(status, 10n, EXPIRY), 'confirming', status)
    assert.equal(state(status, 0n, WATCH), 'late', status)
    assert.equal(state(status, 4n, WATCH + 1), 'over', status)
    assert.equal(state(status, 10n, WATCH + 1), 'confirming', status)
  }
  for (const received of [0n, 4n, 10n, 11n]) assert.equal(state('paid', received, WATCH + 1), 'paid')
})

test('a canceled invoice asks for nothing, until a payment on its way has paid it', () => {
  assert.equal(state('expired', 0n, EXPIRY - 1, 500), 'canceled')
  assert.equal(state('underpaid', 4n, WATCH + 1, 500), 'canceled')
  assert.equal(state('expired', 10n, EXPIRY - 1, 500), 'confirming')
  assert.equal(state('paid', 10n, EXPIRY - 1, 500), 'paid')
})

test('an invoice that the shop marked asks for nothing, until a payment on its way has paid it', () => {
  for (const [mark, shown] of [
    ['settled', 'settled'],
    ['invalid', 'canceled'],
  ] as const) {
    for (const status of ['pending', 'expired', 'underpaid'] as const)
      for (const received of [0n, 4n])
        for (const now of [EXPIRY - 1, EXPIRY, WATCH + 1])
          assert.equal(state(status, received, now, null, mark), shown, `${status} ${received} ${now}`)
    assert.equal(state('detected', 10n, EXPIRY - 1, null, mark), 'confirming')
    assert.equal(state('expired', 10n, WATCH + 1, null, mark), 'confirming')
    assert.equal(state('paid', 10n, WATCH + 1, null, mark), 'paid')
  }
  // It was canceled before.
  assert.equal(state('expired', 0n, EXPIRY - 1, 500, 'settled'), 'settled')
})

test('an open page asks on after its expiry while payments count, and for an hour after it is paid', () => {
  const asks = (status: InvoiceStatus, now: number, paidAt: number | null = NO_TIME) =>
    needsRecheck({ ...NOTHING, status, paidAt }, now)
  // An open invoice has its own reason to be followed.
  assert.deepEqual([asks('pending', EXPIRY), asks('detected', EXPIRY)], [false, false])
  assert.deepEqual([asks('expired', WATCH), asks('underpaid', WATCH)], [true, true])
  assert.deepEqual([asks('expired', WATCH + 1), asks('underpaid', WATCH + 1)], [false, false])
  const full = { ...NOTHING, receivedZat: 10n, dueZat: 0n, paidAt: null }
  assert.ok(needsRecheck({ ...full, status: 'expired' }, WATCH + 1), 'it waits for its confirmations')
  assert.deepEqual([asks('paid', 900 + 3_599, 900), asks('paid', 900 + 3_600, 900)], [true, false])
})
