import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice, InvoiceStatus } from '../../src/domain/sale/invoice.ts'
import { invoicePage } from '../../src/web/pages/sale/invoice.ts'

const USER = { email: 'shop@example.org', sandbox: false, deletionDueAt: null }
const EXPIRES_AT = 1_000
const LATE = 1_500

type View = Parameters<typeof invoicePage>[1]

/** The entries of the timeline of an invoice of 1 zat, with one payment. */
function timelineOf(
  status: InvoiceStatus,
  { seenAt, underpaidAt }: { seenAt: number; underpaidAt: number | null },
): string[] {
  const invoice = {
    publicId: '6f1e5e2c-6c0a-4a2e-9d3c-0f5f3f1d2b4a',
    address: 'u1qqq',
    amountZat: 1n,
    dueZat: 0n,
    receivedZat: 1n,
    overpaidZat: 0n,
    status,
    confirmations: 1,
    createdAt: 500,
    expiresAt: EXPIRES_AT,
    watchUntil: 9_000,
    paidAt: status === 'paid' ? 2_000 : null,
    underpaidAt,
    txid: null,
    needsAttention: false,
    lateAt: null,
    canceledAt: null,
    markedAs: null,
    markedAt: null,
    refundedZat: null,
    metadata: null,
    price: null,
    rate: null,
    openAmount: null,
    minAmountZat: null,
    toleranceBps: null,
    ownConfirmations: null,
    successUrl: null,
    cancelUrl: null,
    locale: null,
  } as Invoice
  const payment = {
    txid: 'ab',
    valueZat: 100_000_000n,
    seenAt,
    location: { at: 'mined', height: 7 },
    confirmed: 1,
    pool: 'orchard',
  }
  const view = {
    invoice,
    because: null,
    payments: [payment],
    attempts: [],
    refunds: [],
    tip: 7,
    watched: true,
    checkoutUrl: '/',
    spacingSecs: 75,
  }
  const page = String(invoicePage(USER, view as unknown as View))
  return [...page.matchAll(/<li class="\w+"><span>([^<]*)<\/span>/g)].map(([, text]) => text as string)
}

test('an invoice that is closed, or was underpaid before it was paid, has expired', () => {
  assert.deepEqual(timelineOf('underpaid', { seenAt: 600, underpaidAt: 1_001 }), [
    'Created',
    '1 ZEC detected',
    'Expired',
    'Late payments count until this time',
  ])
  assert.deepEqual(timelineOf('paid', { seenAt: LATE, underpaidAt: 1_001 }), [
    'Created',
    'Expired',
    '1 ZEC detected after the expiry time',
    'Paid: the full amount is confirmed',
  ])
})

test('a paid invoice of which no closing is stored only tells which payments came after the expiry time', () => {
  const paid = 'Paid: the full amount is confirmed'
  for (const [seenAt, detected] of [
    [EXPIRES_AT, '1 ZEC detected'],
    [LATE, '1 ZEC detected after the expiry time'],
  ] as const)
    assert.deepEqual(timelineOf('paid', { seenAt, underpaidAt: null }), ['Created', detected, paid])
})
