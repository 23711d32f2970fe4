import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INVOICE_STATUSES } from '../../../src/domain/sale/invoice.ts'
import { invoiceEventsOf } from '../../../src/domain/sale/invoice-event.ts'
import type { InvoiceReason } from '../../../src/domain/sale/invoice-state.ts'

type EventState = Parameters<typeof invoiceEventsOf>[0]
const UNTOUCHED: EventState = {
  status: 'pending',
  underpaidAt: null,
  needsAttention: false,
  receivedZat: 0n,
  dueZat: 1_000n,
  overpaidZat: 0n,
}
const raised = (before: Partial<EventState>, after: Partial<EventState>, because: InvoiceReason = 'expired') =>
  invoiceEventsOf({ ...UNTOUCHED, ...before }, { ...UNTOUCHED, ...before, ...after }, because)

test('an invoice raises one event when its status becomes another one than pending', () => {
  for (const before of INVOICE_STATUSES) {
    for (const after of INVOICE_STATUSES) {
      const expected = before === after || after === 'pending' ? [] : [`invoice.${after}`]
      assert.deepEqual(raised({ status: before }, { status: after, underpaidAt: 5 }), expected)
    }
  }
})

test('invoice.underpaid is raised at most once', () => {
  assert.deepEqual(raised({ status: 'expired', underpaidAt: 900 }, { status: 'underpaid' }), [])
  assert.deepEqual(raised({ status: 'underpaid', underpaidAt: 900 }, { status: 'paid' }), ['invoice.paid'])
})

test('a payment has its own event, before the events of the invoice that follow from it', () => {
  const more = 'invoice.payment_received'
  assert.deepEqual(raised({}, { receivedZat: 400n, dueZat: 600n }), [more, 'invoice.part_paid'])
  assert.deepEqual(raised({ receivedZat: 400n, dueZat: 600n }, { receivedZat: 300n, dueZat: 700n }), [])
  const full = { receivedZat: 1_000n, dueZat: 0n }
  assert.deepEqual(raised({}, { status: 'detected', ...full }), [more, 'invoice.detected'])
  const over = { receivedZat: 1_500n, dueZat: 0n, overpaidZat: 500n }
  assert.deepEqual(raised({}, { status: 'detected', ...over }), [more, 'invoice.overpaid', 'invoice.detected'])
  assert.deepEqual(raised({ status: 'paid', ...full }, over), [more, 'invoice.overpaid'])
  assert.deepEqual(raised({ status: 'paid', ...over }, full), [])
  const part = { receivedZat: 400n, dueZat: 600n }
  const late = [more, 'invoice.late_payment', 'invoice.part_paid', 'invoice.underpaid']
  assert.deepEqual(raised({ status: 'expired' }, { status: 'underpaid', ...part }), late)
  assert.deepEqual(raised({ status: 'expired' }, full), [more, 'invoice.late_payment'])
  assert.deepEqual(raised({ status: 'expired', ...full }, { status: 'paid' }), ['invoice.paid'])
})

test('a canceled invoice raises invoice.canceled and not invoice.expired', () => {
  assert.deepEqual(raised({}, { status: 'expired' }, 'canceled'), ['invoice.canceled'])
  const late = { status: 'underpaid', receivedZat: 1n, dueZat: 999n } as const
  const arrived = ['invoice.payment_received', 'invoice.late_payment', 'invoice.part_paid', 'invoice.underpaid']
  assert.deepEqual(raised({ status: 'expired' }, late, 'canceled'), arrived)
})

test('each removal of the payments of a paid invoice raises invoice.reorged', () => {
  const paid = { status: 'paid' } as const
  assert.deepEqual(raised(paid, {}, 'payments_removed'), ['invoice.reorged'])
  assert.deepEqual(raised({ ...paid, needsAttention: true }, {}, 'payments_removed'), [])
  assert.deepEqual(raised({ ...paid, needsAttention: true }, {}, 'confirmed'), [])
})
