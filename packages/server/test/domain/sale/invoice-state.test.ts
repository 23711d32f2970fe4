import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  dueAmount,
  INVOICE_STATUSES,
  type InvoiceStatus,
  type InvoiceTerms,
  isClosed,
  isFinal,
  requiredZat,
} from '../../../src/domain/sale/invoice.ts'
import { invoiceEventsOf } from '../../../src/domain/sale/invoice-event.ts'
import {
  type EvaluationContext,
  evaluateInvoice as evaluate,
  type InvoiceReason,
  type InvoiceState,
  keptAmount,
  storedReason,
} from '../../../src/domain/sale/invoice-state.ts'
import { countConfirmations, type Payment, type PaymentLocation } from '../../../src/domain/sale/payment.ts'
import { summarize } from '../../harness/payments.ts'

const PLAIN = { openAmount: null, toleranceBps: null, canceledAt: null } as const
const TERMS: InvoiceTerms = { ...PLAIN, amountZat: 100n, expiresAt: 1_000, watchUntil: 9_000, confirmations: 3 }
const VIEW: EvaluationContext = { tip: 50, syncedThrough: 900, mempoolIsKnown: true, keptOpenBySwap: false }
const EXPIRED: EvaluationContext = { ...VIEW, syncedThrough: 1_000 }

const MEMPOOL: PaymentLocation = { at: 'mempool' }
const DROPPED: PaymentLocation = { at: 'dropped' }
/** Mined, with this number of confirmations at the tip of VIEW. */
const confirmed = (confirmations: number): PaymentLocation => ({ at: 'mined', height: VIEW.tip - confirmations + 1 })

function pay(valueZat: bigint, location: PaymentLocation, seq = 1): Payment {
  // The transaction has expired, so that it does not keep the invoice open.
  const unmined = { inSnapshot: true, expiryHeight: 1, lastSeenHeight: 1 }
  return { txid: `${seq}`.padStart(64, '0'), pool: 'ironwood', outputIndex: 0, valueZat, location, seq, ...unmined }
}

function evaluateInvoice(
  terms: InvoiceTerms,
  before: InvoiceStatus,
  payments: readonly Payment[],
  view: EvaluationContext,
): InvoiceState {
  return evaluate(terms, before, summarize(payments, terms.confirmations, view.tip), view)
}

function status(payments: Payment[], view = VIEW, before: InvoiceStatus = 'pending', terms = TERMS): InvoiceStatus {
  return evaluateInvoice(terms, before, payments, view).status
}

test('an open invoice is pending below its amount, detected from it on, and paid once it is confirmed', () => {
  assert.equal(status([]), 'pending')
  assert.equal(status([pay(99n, confirmed(10))]), 'pending')
  assert.equal(status([pay(100n, MEMPOOL)]), 'detected')
  assert.equal(status([pay(100n, confirmed(2))]), 'detected')
  assert.equal(status([pay(100n, confirmed(3))]), 'paid')
  assert.equal(status([pay(60n, confirmed(3), 1), pay(40n, confirmed(2), 2)]), 'detected')
  assert.equal(status([pay(60n, confirmed(3), 1), pay(40n, confirmed(3), 2)]), 'paid')
  assert.equal(
    status([pay(100n, confirmed(3), 1), pay(1n, MEMPOOL, 2)]),
    'paid',
    'a further unconfirmed payment has no effect',
  )
})

test('the terms set the number of confirmations: 0 accepts the mempool, 1 one block, 100 a hundred blocks', () => {
  const at = (confirmations: number, place: PaymentLocation) =>
    status([pay(100n, place)], { ...VIEW, tip: 200 }, 'pending', { ...TERMS, confirmations })
  const mined = (confirmations: number): PaymentLocation => ({ at: 'mined', height: 200 - confirmations + 1 })
  assert.equal(at(0, MEMPOOL), 'paid')
  assert.equal(at(1, MEMPOOL), 'detected')
  assert.equal(at(1, mined(1)), 'paid')
  assert.equal(at(100, mined(99)), 'detected')
  assert.equal(at(100, mined(100)), 'paid')
  assert.equal(countConfirmations({ at: 'mined', height: 201 }, 200), 0, 'a block above the tip confirms nothing')
})

test('an invoice expires when the chain is known through its expiry, unless a swap or a full payment keeps it open', () => {
  assert.equal(status([], { ...VIEW, syncedThrough: 999 }), 'pending')
  assert.equal(status([], EXPIRED), 'expired')
  assert.equal(status([pay(99n, MEMPOOL)], EXPIRED), 'underpaid')
  assert.equal(status([pay(99n, DROPPED)], EXPIRED), 'expired')
  assert.equal(status([pay(100n, MEMPOOL)], EXPIRED), 'detected')
  assert.equal(status([pay(99n, MEMPOOL)], { ...EXPIRED, keptOpenBySwap: true }), 'pending')
  assert.equal(status([], { ...EXPIRED, keptOpenBySwap: true }), 'pending')
})

test('a late part payment makes an expired invoice underpaid; a late full payment makes it paid once confirmed', () => {
  for (const before of ['expired', 'underpaid'] as const) {
    assert.equal(status([], EXPIRED, before), 'expired')
    assert.equal(status([pay(99n, MEMPOOL)], EXPIRED, before), 'underpaid')
    assert.equal(status([pay(100n, MEMPOOL)], EXPIRED, before), before)
    assert.equal(status([pay(100n, confirmed(2))], EXPIRED, before), before)
    assert.equal(status([pay(100n, confirmed(3))], EXPIRED, before), 'paid')
    assert.equal(status([], { ...EXPIRED, keptOpenBySwap: true }, before), 'expired', 'a swap does not open it again')
  }
})

test('a paid invoice needs attention while less than its amount is on the chain', () => {
  const attention = (places: PaymentLocation[], confirmations = 3) =>
    evaluateInvoice(
      { ...TERMS, confirmations },
      'paid',
      places.map((place, order) => pay(50n, place, order)),
      VIEW,
    ).needsAttention
  assert.equal(attention([confirmed(3), confirmed(3)]), false)
  assert.equal(attention([confirmed(3), confirmed(1)]), false, 'fewer confirmations are enough once it is paid')
  assert.equal(attention([confirmed(3), MEMPOOL]), true)
  assert.equal(attention([confirmed(3), DROPPED]), true)
  assert.equal(attention([confirmed(3), confirmed(2), DROPPED]), false, 'enough is left')
  assert.equal(attention([MEMPOOL, MEMPOOL], 0), false)
  assert.equal(attention([MEMPOOL, DROPPED], 0), true)
  assert.equal(evaluateInvoice(TERMS, 'pending', [], EXPIRED).needsAttention, false)
})

test('the txid is that of the last recorded payment that counts', () => {
  const txid = (payments: Payment[]) => evaluateInvoice(TERMS, 'pending', payments, VIEW).txid
  assert.equal(txid([]), null)
  assert.equal(txid([pay(1n, MEMPOOL, 7), pay(2n, confirmed(9), 3)]), pay(1n, MEMPOOL, 7).txid)
  assert.equal(txid([pay(1n, DROPPED, 7), pay(2n, confirmed(9), 3)]), pay(2n, MEMPOOL, 3).txid)
})

const SWAP: EvaluationContext = { ...EXPIRED, keptOpenBySwap: true }
/** Left the mempool, and can be mined up to the block after the tip of VIEW. */
const minable = (valueZat: bigint): Payment => ({ ...pay(valueZat, DROPPED, 9), expiryHeight: VIEW.tip + 1 })

type Example = readonly [
  of: string,
  before: InvoiceStatus,
  payments: Payment[],
  view: EvaluationContext,
  after: InvoiceStatus,
  terms?: Partial<InvoiceTerms>,
]

const CANCELED = { canceledAt: 500 }
/** One percent may be missing. */
const TOLERANT = { toleranceBps: 100 }
/** Anything from 100 zat on. */
const OPEN = { openAmount: true }

const EXAMPLES: Readonly<Record<InvoiceReason, readonly Example[]>> = {
  before_expiry: [
    ['nothing received', 'pending', [], VIEW, 'pending'],
    ['a part received', 'pending', [pay(99n, confirmed(3))], VIEW, 'pending'],
    ['a full payment vanished', 'detected', [minable(100n)], VIEW, 'pending'],
    ['a swap that is not needed yet', 'pending', [], { ...VIEW, keptOpenBySwap: true }, 'pending'],
  ],
  swap_keeps_open: [
    ['nothing received', 'pending', [], SWAP, 'pending'],
    ['a part received', 'pending', [pay(99n, confirmed(3))], SWAP, 'pending'],
    ['a payment that can be mined too', 'pending', [minable(100n)], SWAP, 'pending'],
  ],
  dropped_payment_keeps_open: [
    ['nothing else received', 'detected', [minable(100n)], EXPIRED, 'pending'],
    ['a part received', 'pending', [pay(99n, confirmed(3)), minable(1n)], EXPIRED, 'pending'],
  ],
  unconfirmed: [
    ['in the mempool', 'pending', [pay(100n, MEMPOOL)], VIEW, 'detected'],
    ['a part confirmed', 'detected', [pay(99n, confirmed(3), 1), pay(1n, confirmed(2), 2)], VIEW, 'detected'],
    ['past the expiry', 'detected', [pay(100n, confirmed(2))], EXPIRED, 'detected'],
    ['a swap keeps it open too', 'detected', [pay(100n, MEMPOOL)], SWAP, 'detected'],
    ['within the tolerance', 'pending', [pay(99n, MEMPOOL)], VIEW, 'detected', TOLERANT],
  ],
  late_unconfirmed: [
    ['in the mempool', 'expired', [pay(100n, MEMPOOL)], EXPIRED, 'expired'],
    ['a part before', 'underpaid', [pay(60n, confirmed(3), 1), pay(40n, confirmed(2), 2)], EXPIRED, 'underpaid'],
  ],
  expired: [
    ['nothing received', 'pending', [], EXPIRED, 'expired'],
    ['a part received', 'pending', [pay(99n, confirmed(3))], EXPIRED, 'underpaid'],
    ['a full payment vanished for good', 'detected', [pay(100n, DROPPED)], EXPIRED, 'expired'],
    ['closed before the swap', 'expired', [], SWAP, 'expired'],
    ['closed, and known up to an earlier time again', 'underpaid', [pay(99n, MEMPOOL)], VIEW, 'underpaid'],
    ['less than the tolerance allows', 'pending', [pay(98n, confirmed(3))], EXPIRED, 'underpaid', TOLERANT],
    ['less than the minimum of an open amount', 'pending', [pay(99n, confirmed(3))], EXPIRED, 'underpaid', OPEN],
  ],
  canceled: [
    ['before the expiry', 'pending', [], VIEW, 'expired', CANCELED],
    ['a payment that left the mempool', 'pending', [minable(100n)], VIEW, 'expired', CANCELED],
    ['a part came late', 'expired', [pay(99n, MEMPOOL)], VIEW, 'underpaid', CANCELED],
  ],
  confirmed: [
    ['in time', 'pending', [pay(100n, confirmed(3))], VIEW, 'paid'],
    ['late', 'expired', [pay(100n, confirmed(3))], EXPIRED, 'paid'],
    ['mined again with fewer confirmations', 'paid', [pay(100n, confirmed(1))], VIEW, 'paid'],
    ['after it was canceled', 'expired', [pay(100n, confirmed(3))], VIEW, 'paid', CANCELED],
    ['all of the amount, some of which might be missing', 'pending', [pay(100n, confirmed(3))], VIEW, 'paid', TOLERANT],
    ['the minimum of an open amount', 'pending', [pay(100n, confirmed(3))], VIEW, 'paid', OPEN],
    ['more than an amount that is open', 'pending', [pay(900n, confirmed(3))], VIEW, 'paid', OPEN],
  ],
  within_tolerance: [
    ['one percent is missing', 'pending', [pay(99n, confirmed(3))], VIEW, 'paid', TOLERANT],
    ['late', 'underpaid', [pay(99n, confirmed(3))], EXPIRED, 'paid', TOLERANT],
    ['all may be missing', 'pending', [pay(1n, confirmed(3))], VIEW, 'paid', { toleranceBps: 10_000 }],
  ],
  payments_removed: [
    ['back in the mempool', 'paid', [pay(100n, MEMPOOL)], VIEW, 'paid'],
    ['a part left, past the expiry', 'paid', [pay(99n, confirmed(3)), minable(1n)], EXPIRED, 'paid'],
    ['less than the tolerance allows', 'paid', [pay(98n, confirmed(3)), minable(2n)], VIEW, 'paid', TOLERANT],
  ],
}

for (const [reason, examples] of Object.entries(EXAMPLES)) {
  test(`the reason ${reason}`, () => {
    for (const [of, before, payments, view, after, terms] of examples) {
      const { status: result, because } = evaluateInvoice({ ...TERMS, ...terms }, before, payments, view)
      assert.deepEqual([result, because], [after, reason], of)
    }
  })
}

test('a stored pending invoice has no reason when the chain is not read, or nothing keeps it open any more', () => {
  const stored = { ...TERMS, ...evaluateInvoice(TERMS, 'pending', [minable(100n)], EXPIRED), keptOpenBySwap: false }
  const { tip, watchUntil } = { ...VIEW, ...TERMS }
  assert.equal(storedReason(stored, EXPIRED), 'dropped_payment_keeps_open')
  assert.equal(storedReason(stored, null), null)
  assert.equal(storedReason(stored, { ...EXPIRED, tip: tip + 1 }), null, 'the transaction has expired')
  assert.equal(storedReason(stored, { ...EXPIRED, syncedThrough: watchUntil }), null, 'the late window has ended')
  assert.equal(storedReason(stored, { tip: tip + 1, syncedThrough: 0 }), 'before_expiry', 'a wrong clock was set')
  const full = { ...stored, receivedZat: 100n, dueZat: 0n }
  assert.equal(storedReason({ ...full, status: 'expired' }, null), 'late_unconfirmed')
  assert.equal(storedReason({ ...full, status: 'detected' }, null), 'unconfirmed')
})

test('a payment that left the mempool keeps the invoice open while its transaction can still be mined', () => {
  const gone = (terms: Partial<Payment>) => [{ ...pay(100n, DROPPED), ...terms }]
  const after = (terms: Partial<Payment>, view = EXPIRED) => evaluateInvoice(TERMS, 'pending', gone(terms), view)
  assert.deepEqual([after({ expiryHeight: 51 }).status, after({ expiryHeight: 51 }).openUntilHeight], ['pending', 51])
  assert.deepEqual([after({ expiryHeight: 50 }).status, after({ expiryHeight: 50 }).openUntilHeight], ['expired', null])
  assert.equal(after({ expiryHeight: 0 }).status, 'pending', 'it never expires')
  assert.equal(after({ expiryHeight: 0 }, { ...VIEW, syncedThrough: 9_000 }).status, 'expired', 'but the window ends')
  assert.equal(
    after({ expiryHeight: null, lastSeenHeight: 50 }).status,
    'pending',
    'unknown: the default of 120 blocks',
  )
  assert.equal(after({ expiryHeight: null, lastSeenHeight: 50 }, { ...EXPIRED, tip: 170 }).status, 'expired')
  assert.equal(
    evaluateInvoice(TERMS, 'expired', gone({ expiryHeight: 51 }), EXPIRED).status,
    'expired',
    'a closed invoice never opens again',
  )
})

test('with 0 confirmations, an unmined payment counts as confirmed only while the newest mempool snapshot contains it', () => {
  const terms = { ...TERMS, confirmations: 0 }
  const unseen = { ...pay(60n, MEMPOOL, 1), inSnapshot: false }
  assert.equal(status([unseen, pay(40n, MEMPOOL, 2)], VIEW, 'pending', terms), 'detected')
  const seen = [{ ...unseen, inSnapshot: true }, pay(40n, MEMPOOL, 2)]
  assert.equal(status(seen, VIEW, 'pending', terms), 'paid')
  assert.equal(status(seen, { ...VIEW, mempoolIsKnown: false }, 'pending', terms), 'detected')
  assert.equal(status([{ ...unseen, location: confirmed(1) }, pay(40n, MEMPOOL, 2)], VIEW, 'pending', terms), 'paid')
})

test('paid, underpaid and expired are final; underpaid and expired are closed', () => {
  assert.deepEqual(INVOICE_STATUSES.filter(isFinal), ['paid', 'underpaid', 'expired'])
  assert.deepEqual(INVOICE_STATUSES.filter(isClosed), ['underpaid', 'expired'])
})

const place: fc.Arbitrary<PaymentLocation> = fc.oneof(
  fc.constant(MEMPOOL),
  fc.constant(DROPPED),
  fc.integer({ min: 1, max: 100 }).map((height): PaymentLocation => ({ at: 'mined', height })),
)
const payments = fc
  .array(fc.record({ valueZat: fc.bigInt({ min: 1n, max: 200n }), place }), { maxLength: 8 })
  .map(items => items.map(({ valueZat, place: at }, order) => pay(valueZat, at, order)))
const terms = fc.record({
  amountZat: fc.bigInt({ min: 1n, max: 300n }),
  openAmount: fc.constantFrom(null, null, true),
  toleranceBps: fc.constantFrom(null, null, 100, 3_333, 10_000),
  canceledAt: fc.constantFrom(null, null, null, 900),
  expiresAt: fc.constant(1_000),
  watchUntil: fc.constant(9_000),
  confirmations: fc.integer({ min: 0, max: 10 }),
})
const view = fc.record({
  tip: fc.integer({ min: 0, max: 120 }),
  syncedThrough: fc.integer({ min: 998, max: 1_002 }),
  mempoolIsKnown: fc.boolean(),
  keptOpenBySwap: fc.boolean(),
})
const before = fc.constantFrom(...INVOICE_STATUSES)

test('the order of payments does not change the result, and a second evaluation changes nothing', () => {
  fc.assert(
    fc.property(
      terms,
      before,
      payments,
      view,
      fc.infiniteStream(fc.nat()),
      (given, previous, items, chainView, keys) => {
        const once = evaluateInvoice(given, previous, items, chainView)
        const shuffled = items.map(payment => ({ payment, key: keys.next().value as number }))
        shuffled.sort((a, b) => a.key - b.key)
        const again = evaluateInvoice(
          given,
          previous,
          shuffled.map(({ payment }) => payment),
          chainView,
        )
        assert.deepEqual(again, once)
        assert.equal(evaluateInvoice(given, once.status, items, chainView).status, once.status)
      },
    ),
  )
})

test('a stored invoice has the reason of its last evaluation, and its events have one reason each', () => {
  fc.assert(
    fc.property(terms, before, payments, view, (given, previous, items, chainView) => {
      const state = evaluateInvoice(given, previous, items, chainView)
      const stored = { ...given, ...state, keptOpenBySwap: chainView.keptOpenBySwap }
      assert.equal(storedReason(stored, chainView), state.because)
      const unchanged = { underpaidAt: null, receivedZat: 0n, dueZat: 0n, overpaidZat: 0n }
      const [earlier, later] = [previous, state.status].map(status => ({ ...unchanged, status, needsAttention: false }))
      const types = invoiceEventsOf(earlier!, later!, state.because)
      const kept = keptAmount(given, summarize(items, given.confirmations, chainView.tip))
      const isCanceled = given.canceledAt !== null
      const closes = isClosed(state.status) && !isClosed(previous)
      const expected = {
        'invoice.canceled': closes && isCanceled,
        'invoice.expired': state.status === 'expired' && previous !== 'expired' && !isCanceled,
        'invoice.reorged': state.status === 'paid' && dueAmount(given, kept) > 0n,
        'invoice.paid': state.status === 'paid' && previous !== 'paid',
        'invoice.underpaid': state.status === 'underpaid' && previous !== 'underpaid',
      }
      for (const [type, isRaised] of Object.entries(expected))
        assert.equal(types.includes(type as never), isRaised, type)
    }),
  )
})

test('received is the exact sum of payments that are not dropped, overpaid the excess over the amount', () => {
  fc.assert(
    fc.property(terms, before, payments, view, (given, previous, items, chainView) => {
      const { receivedZat, overpaidZat } = evaluateInvoice(given, previous, items, chainView)
      let sum = 0n
      for (const { valueZat, location: at } of items) if (at.at !== 'dropped') sum += valueZat
      assert.equal(receivedZat, sum)
      assert.equal(overpaidZat, sum > given.amountZat && !given.openAmount ? sum - given.amountZat : 0n)
    }),
  )
})

test('paid is final, a closed invoice never opens again, and only confirmed payments pay', () => {
  fc.assert(
    fc.property(terms, before, payments, view, (given, previous, items, chainView) => {
      const { status: result }: InvoiceState = evaluateInvoice(given, previous, items, chainView)
      if (previous === 'paid') assert.equal(result, 'paid')
      if (isClosed(previous)) assert.ok(isFinal(result))
      if (result === 'paid' && previous !== 'paid') {
        const counted = items.filter(
          ({ location: at }) => at.at !== 'dropped' && countConfirmations(at, chainView.tip) >= given.confirmations,
        )
        assert.ok(counted.reduce((sum, { valueZat }) => sum + valueZat, 0n) >= requiredZat(given))
      }
    }),
  )
})

test('removing a payment and adding it back restores an open or paid invoice', () => {
  fc.assert(
    fc.property(terms, payments, view, fc.nat(), (given, items, chainView, pick) => {
      fc.pre(items.length > 0 && chainView.syncedThrough < given.expiresAt && given.canceledAt === null)
      const index = pick % items.length
      const first = evaluateInvoice(given, 'pending', items, chainView)
      const without = items.map((payment, i) => (i === index ? { ...payment, location: DROPPED } : payment))
      const between = evaluateInvoice(given, first.status, without, chainView)
      assert.deepEqual(evaluateInvoice(given, between.status, items, chainView), first)
    }),
  )
})
