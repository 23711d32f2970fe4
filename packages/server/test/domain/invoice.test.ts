import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Assessment,
  assess,
  confirmationsOf,
  eventsOf,
  INVOICE_STATUSES,
  type InvoiceStatus,
  isClosed,
  isFinal,
  type Payment,
  type Place,
  type Terms,
  type View,
} from '../../src/domain/invoice.ts'

const TERMS: Terms = { amountZat: 100n, expiresAt: 1_000, watchUntil: 9_000, confirmations: 3 }
const VIEW: View = { tip: 50, seenThrough: 900, swapUnderWay: false }
const EXPIRED: View = { ...VIEW, seenThrough: 1_000 }

const MEMPOOL: Place = { at: 'mempool' }
const DROPPED: Place = { at: 'dropped' }
/** Mined with so many confirmations at the view's tip. */
const confirmed = (confirmations: number): Place => ({ at: 'mined', height: VIEW.tip - confirmations + 1 })

function pay(valueZat: bigint, place: Place, order = 1): Payment {
  // Its transaction is dead, so that it keeps no invoice open.
  const unmined = { inSnapshot: true, expiryHeight: 1, lastSeenHeight: 1 }
  return { txid: `${order}`.padStart(64, '0'), pool: 'ironwood', outputIndex: 0, valueZat, place, order, ...unmined }
}

function status(payments: Payment[], view = VIEW, before: InvoiceStatus = 'pending', terms = TERMS): InvoiceStatus {
  return assess(terms, before, payments, view).status
}

test('open: pending below the amount, detected from it on, paid from its confirmation on', () => {
  assert.equal(status([]), 'pending')
  assert.equal(status([pay(99n, confirmed(10))]), 'pending')
  assert.equal(status([pay(100n, MEMPOOL)]), 'detected')
  assert.equal(status([pay(100n, confirmed(2))]), 'detected')
  assert.equal(status([pay(100n, confirmed(3))]), 'paid')
  assert.equal(status([pay(60n, confirmed(3), 1), pay(40n, confirmed(2), 2)]), 'detected')
  assert.equal(status([pay(60n, confirmed(3), 1), pay(40n, confirmed(3), 2)]), 'paid')
  assert.equal(status([pay(100n, confirmed(3), 1), pay(1n, MEMPOOL, 2)]), 'paid', 'more on the way delays nothing')
})

test('the number of confirmations is the terms’ own: 0 takes the mempool, 1 the first block, 100 a hundred', () => {
  const at = (confirmations: number, place: Place) =>
    status([pay(100n, place)], { ...VIEW, tip: 200 }, 'pending', { ...TERMS, confirmations })
  const mined = (confirmations: number): Place => ({ at: 'mined', height: 200 - confirmations + 1 })
  assert.equal(at(0, MEMPOOL), 'paid')
  assert.equal(at(1, MEMPOOL), 'detected')
  assert.equal(at(1, mined(1)), 'paid')
  assert.equal(at(100, mined(99)), 'detected')
  assert.equal(at(100, mined(100)), 'paid')
  assert.equal(confirmationsOf({ at: 'mined', height: 201 }, 200), 0, 'a block above the tip confirms nothing')
})

test('expiry: at the very second through which all is seen, never by a swap’s or a full payment’s side', () => {
  assert.equal(status([], { ...VIEW, seenThrough: 999 }), 'pending')
  assert.equal(status([], EXPIRED), 'expired')
  assert.equal(status([pay(99n, MEMPOOL)], EXPIRED), 'underpaid')
  assert.equal(status([pay(99n, DROPPED)], EXPIRED), 'expired')
  assert.equal(status([pay(100n, MEMPOOL)], EXPIRED), 'detected')
  assert.equal(status([pay(99n, MEMPOOL)], { ...EXPIRED, swapUnderWay: true }), 'pending')
  assert.equal(status([], { ...EXPIRED, swapUnderWay: true }), 'pending')
})

test('late money: a part makes expired underpaid, the full amount pays once confirmed and changes nothing before', () => {
  for (const before of ['expired', 'underpaid'] as const) {
    assert.equal(status([], EXPIRED, before), 'expired')
    assert.equal(status([pay(99n, MEMPOOL)], EXPIRED, before), 'underpaid')
    assert.equal(status([pay(100n, MEMPOOL)], EXPIRED, before), before)
    assert.equal(status([pay(100n, confirmed(2))], EXPIRED, before), before)
    assert.equal(status([pay(100n, confirmed(3))], EXPIRED, before), 'paid')
    assert.equal(status([], { ...EXPIRED, swapUnderWay: true }, before), 'expired', 'no swap opens it again')
  }
})

test('a paid invoice needs attention while less than its amount lies in the chain', () => {
  const attention = (places: Place[], confirmations = 3) =>
    assess(
      { ...TERMS, confirmations },
      'paid',
      places.map((place, order) => pay(50n, place, order)),
      VIEW,
    ).needsAttention
  assert.equal(attention([confirmed(3), confirmed(3)]), false)
  assert.equal(attention([confirmed(3), confirmed(1)]), false, 'fewer confirmations are not taken back')
  assert.equal(attention([confirmed(3), MEMPOOL]), true)
  assert.equal(attention([confirmed(3), DROPPED]), true)
  assert.equal(attention([confirmed(3), confirmed(2), DROPPED]), false, 'enough is left')
  assert.equal(attention([MEMPOOL, MEMPOOL], 0), false)
  assert.equal(attention([MEMPOOL, DROPPED], 0), true)
  assert.equal(assess(TERMS, 'pending', [], EXPIRED).needsAttention, false)
})

test('the txid is that of the payment recorded last among those that count', () => {
  const txid = (payments: Payment[]) => assess(TERMS, 'pending', payments, VIEW).txid
  assert.equal(txid([]), null)
  assert.equal(txid([pay(1n, MEMPOOL, 7), pay(2n, confirmed(9), 3)]), pay(1n, MEMPOOL, 7).txid)
  assert.equal(txid([pay(1n, DROPPED, 7), pay(2n, confirmed(9), 3)]), pay(2n, MEMPOOL, 3).txid)
})

test('events: one when it becomes paid, one when it becomes underpaid, none else', () => {
  for (const before of INVOICE_STATUSES) {
    for (const after of INVOICE_STATUSES) {
      const expected =
        before === after ? [] : after === 'paid' ? ['invoice.paid'] : after === 'underpaid' ? ['invoice.underpaid'] : []
      assert.deepEqual(eventsOf({ status: before, underpaidAt: null }, { status: after, underpaidAt: 5 }), expected)
    }
  }
})

test('invoice.underpaid is raised once, however often money goes and comes', () => {
  const told = 900
  assert.deepEqual(eventsOf({ status: 'expired', underpaidAt: told }, { status: 'underpaid', underpaidAt: told }), [])
  assert.deepEqual(eventsOf({ status: 'underpaid', underpaidAt: told }, { status: 'paid', underpaidAt: told }), [
    'invoice.paid',
  ])
})

test('a payment that left the mempool keeps the invoice open while its transaction can still be mined', () => {
  const gone = (terms: Partial<Payment>) => [{ ...pay(100n, DROPPED), ...terms }]
  const after = (terms: Partial<Payment>, view = EXPIRED) => assess(TERMS, 'pending', gone(terms), view)
  assert.deepEqual([after({ expiryHeight: 51 }).status, after({ expiryHeight: 51 }).openUntilHeight], ['pending', 51])
  assert.deepEqual([after({ expiryHeight: 50 }).status, after({ expiryHeight: 50 }).openUntilHeight], ['expired', null])
  assert.equal(after({ expiryHeight: 0 }).status, 'pending', 'it never expires')
  assert.equal(after({ expiryHeight: 0 }, { ...VIEW, seenThrough: 9_000 }).status, 'expired', 'but the window does')
  assert.equal(after({ expiryHeight: null, lastSeenHeight: 50 }).status, 'pending', 'not known: the usual 120 blocks')
  assert.equal(after({ expiryHeight: null, lastSeenHeight: 50 }, { ...EXPIRED, tip: 170 }).status, 'expired')
  assert.equal(assess(TERMS, 'expired', gone({ expiryHeight: 51 }), EXPIRED).status, 'expired', 'never open again')
})

test('without confirmations, only what the newest complete reading of the mempool holds pays', () => {
  const terms = { ...TERMS, confirmations: 0 }
  const unseen = { ...pay(60n, MEMPOOL, 1), inSnapshot: false }
  assert.equal(status([unseen, pay(40n, MEMPOOL, 2)], VIEW, 'pending', terms), 'detected')
  assert.equal(status([{ ...unseen, inSnapshot: true }, pay(40n, MEMPOOL, 2)], VIEW, 'pending', terms), 'paid')
  assert.equal(status([{ ...unseen, place: confirmed(1) }, pay(40n, MEMPOOL, 2)], VIEW, 'pending', terms), 'paid')
})

test('final are paid, underpaid and expired; closed are the last two', () => {
  assert.deepEqual(INVOICE_STATUSES.filter(isFinal), ['paid', 'underpaid', 'expired'])
  assert.deepEqual(INVOICE_STATUSES.filter(isClosed), ['underpaid', 'expired'])
})

const place: fc.Arbitrary<Place> = fc.oneof(
  fc.constant(MEMPOOL),
  fc.constant(DROPPED),
  fc.integer({ min: 1, max: 100 }).map((height): Place => ({ at: 'mined', height })),
)
const payments = fc
  .array(fc.record({ valueZat: fc.bigInt({ min: 1n, max: 200n }), place }), { maxLength: 8 })
  .map(some => some.map(({ valueZat, place: at }, order) => pay(valueZat, at, order)))
const terms = fc.record({
  amountZat: fc.bigInt({ min: 1n, max: 300n }),
  expiresAt: fc.constant(1_000),
  watchUntil: fc.constant(9_000),
  confirmations: fc.integer({ min: 0, max: 10 }),
})
const view = fc.record({
  tip: fc.integer({ min: 0, max: 120 }),
  seenThrough: fc.integer({ min: 998, max: 1_002 }),
  swapUnderWay: fc.boolean(),
})
const before = fc.constantFrom(...INVOICE_STATUSES)

test('any order of the same payments gives the same assessment, and judging twice changes nothing', () => {
  fc.assert(
    fc.property(terms, before, payments, view, fc.infiniteStream(fc.nat()), (asked, was, some, seen, keys) => {
      const once = assess(asked, was, some, seen)
      const shuffled = some.map(payment => ({ payment, key: keys.next().value as number }))
      shuffled.sort((a, b) => a.key - b.key)
      const again = assess(
        asked,
        was,
        shuffled.map(({ payment }) => payment),
        seen,
      )
      assert.deepEqual(again, once)
      assert.equal(assess(asked, once.status, some, seen).status, once.status)
    }),
  )
})

test('sums are exact: received is all that lives, overpaid what exceeds the amount', () => {
  fc.assert(
    fc.property(terms, before, payments, view, (asked, was, some, seen) => {
      const { receivedZat, overpaidZat } = assess(asked, was, some, seen)
      let sum = 0n
      for (const { valueZat, place: at } of some) if (at.at !== 'dropped') sum += valueZat
      assert.equal(receivedZat, sum)
      assert.equal(overpaidZat, sum > asked.amountZat ? sum - asked.amountZat : 0n)
    }),
  )
})

test('paid is final, closed never opens again, and only confirmed money pays', () => {
  fc.assert(
    fc.property(terms, before, payments, view, (asked, was, some, seen) => {
      const { status: is }: Assessment = assess(asked, was, some, seen)
      if (was === 'paid') assert.equal(is, 'paid')
      if (isClosed(was)) assert.ok(isFinal(is))
      if (is === 'paid' && was !== 'paid') {
        const sure = some.filter(
          ({ place: at }) => at.at !== 'dropped' && confirmationsOf(at, seen.tip) >= asked.confirmations,
        )
        assert.ok(sure.reduce((sum, { valueZat }) => sum + valueZat, 0n) >= asked.amountZat)
      }
    }),
  )
})

test('a payment taken off and put back leaves an open or paid invoice as it was', () => {
  fc.assert(
    fc.property(terms, payments, view, fc.nat(), (asked, some, seen, pick) => {
      fc.pre(some.length > 0 && seen.seenThrough < asked.expiresAt)
      const index = pick % some.length
      const first = assess(asked, 'pending', some, seen)
      const without = some.map((payment, i) => (i === index ? { ...payment, place: DROPPED } : payment))
      const between = assess(asked, first.status, without, seen)
      assert.deepEqual(assess(asked, between.status, some, seen), first)
    }),
  )
})
