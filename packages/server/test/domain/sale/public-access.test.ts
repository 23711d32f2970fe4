import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { isPublic, isRefundPublic } from '../../../src/domain/sale/public-access.ts'
import { invoiceWith } from '../../harness/invoice.ts'

const KEPT = 1_000
const END = 1_800_086_400
const LONG_AFTER = END + 100 * KEPT

const isPublicAt = (fields: Partial<Invoice>, now: number) => isPublic(invoiceWith(fields), now, KEPT)

test('a closed invoice is public until its late window ended the given time ago, that second included', () => {
  for (const status of ['expired', 'underpaid'] as const) {
    const receivedZat = status === 'underpaid' ? 1n : 0n
    assert.equal(isPublicAt({ status, receivedZat }, END + KEPT), true, status)
    assert.equal(isPublicAt({ status, receivedZat }, END + KEPT + 1), false, status)
  }
})

test('a paid one is public as long after its late window, or after its payment if that is later', () => {
  const paid = { status: 'paid', receivedZat: 5_000n } as const
  const early = { ...paid, paidAt: END - 10 }
  assert.deepEqual([isPublicAt(early, END + KEPT), isPublicAt(early, END + KEPT + 1)], [true, false])
  const late = { ...paid, paidAt: END + 500 }
  assert.deepEqual([isPublicAt(late, END + 500 + KEPT), isPublicAt(late, END + 501 + KEPT)], [true, false])
})

test('an invoice that can still change by its payment is never gone', () => {
  const open: readonly Partial<Invoice>[] = [
    { status: 'pending' },
    { status: 'detected', receivedZat: 5_000n },
    { status: 'expired', receivedZat: 5_000n },
    { status: 'underpaid', receivedZat: 5_000n },
    { status: 'expired', keptOpenBySwap: true },
  ]
  for (const fields of open) assert.equal(isPublicAt(fields, LONG_AFTER), true, JSON.stringify(fields.status))
})

test('the link of a refund works while it is owed, else after its last change and as long as its invoice', () => {
  const gone = invoiceWith({ status: 'paid', receivedZat: 5_000n, paidAt: END })
  const isLinkPublic = (status: 'awaiting_address' | 'ready' | 'sent' | 'canceled', updatedAt: number, now: number) =>
    isRefundPublic({ status, updatedAt }, gone, now, KEPT)
  for (const status of ['awaiting_address', 'ready'] as const)
    assert.equal(isLinkPublic(status, END, LONG_AFTER), true, status)
  for (const status of ['sent', 'canceled'] as const) {
    assert.equal(isLinkPublic(status, END - 50 * KEPT, END + KEPT), true, status)
    assert.equal(isLinkPublic(status, END - 50 * KEPT, END + KEPT + 1), false, status)
    assert.equal(isLinkPublic(status, LONG_AFTER, LONG_AFTER + KEPT), true, status)
    assert.equal(isLinkPublic(status, LONG_AFTER, LONG_AFTER + KEPT + 1), false, status)
  }
})
