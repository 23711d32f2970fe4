import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatUnits } from '../../../src/domain/money.ts'
import type { SwapState, SwapStatus } from '../../../src/domain/sale/swap.ts'
import {
  depositDeadline,
  hasDeposit,
  isFinalSwapStatus,
  isStuck,
  keepsInvoiceOpen,
  mayHoldDeposit,
  nextPollMs,
  PROVIDER_GRACE_SECS,
  polledUntil,
  SWAP_STATUSES,
  swapEventTypeOf,
} from '../../../src/domain/sale/swap.ts'
import { applyProviderReport, isFarAhead, lastIsFarAhead } from '../../../src/domain/sale/swap-report.ts'

const DAY = 86_400

const newSwap: SwapState = {
  status: 'PENDING_DEPOSIT',
  updatedAtMs: 0,
  lastReportAt: null,
  depositSeenAt: null,
  successAt: null,
  quoteDeadline: 3 * DAY,
  invoiceExpiresAt: 3_000,
  createdAt: 0,
  deadline: 1_800,
}

const statuses = fc.constantFrom<SwapStatus>(...SWAP_STATUSES)

function afterReport(swap: SwapState, status: string, now: number): SwapState {
  return applyProviderReport(swap, { status, updatedAtMs: now * 1000 }, at(now))
}

/** The bounds of a known time. */
function at(now: number) {
  return { earliest: now, latest: now }
}

test('a swap without a deposit keeps its invoice open until the provider has reported after the expiry, or a time limit', () => {
  assert.equal(keepsInvoiceOpen(newSwap, 2_999), true)
  assert.equal(keepsInvoiceOpen(afterReport(newSwap, 'PENDING_DEPOSIT', 2_999), 3_000), true)
  assert.equal(keepsInvoiceOpen(afterReport(newSwap, 'PENDING_DEPOSIT', 3_000), 3_000), false)
  assert.equal(keepsInvoiceOpen(newSwap, 3_000 + PROVIDER_GRACE_SECS - 1), true)
  assert.equal(keepsInvoiceOpen(newSwap, 3_000 + PROVIDER_GRACE_SECS), false)
})

test('a deposit keeps the invoice open until the swap is refunded, fails, or an hour after SUCCESS', () => {
  for (const status of ['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING'] as const) {
    assert.equal(keepsInvoiceOpen(afterReport(newSwap, status, 100), 3 * DAY), true, status)
  }
  for (const status of ['REFUNDED', 'FAILED'] as const) {
    assert.equal(
      keepsInvoiceOpen(afterReport(afterReport(newSwap, 'PROCESSING', 100), status, 200), 200),
      false,
      status,
    )
  }
  const done = afterReport(newSwap, 'SUCCESS', 100)
  assert.equal(keepsInvoiceOpen(done, 100 + 3_599), true)
  assert.equal(keepsInvoiceOpen(done, 100 + 3_600), false)
})

test('a swap that is no longer polled does not keep its invoice open', () => {
  const processing = afterReport(newSwap, 'PROCESSING', 100)
  assert.equal(keepsInvoiceOpen(processing, polledUntil(processing)), true)
  assert.equal(keepsInvoiceOpen(processing, polledUntil(processing) + 1), false)
})

test('a swap with a deadline in the far future is polled for two weeks', () => {
  assert.equal(polledUntil({ ...newSwap, quoteDeadline: 10 ** 10 }), 14 * DAY)
  assert.equal(polledUntil(newSwap), 4 * DAY)
})

test('a deposit that falls back to PENDING_DEPOSIT no longer blocks another swap', () => {
  const back = afterReport(afterReport(newSwap, 'KNOWN_DEPOSIT_TX', 10), 'PENDING_DEPOSIT', 20)
  assert.equal(hasDeposit(back.status), false)
  assert.equal(keepsInvoiceOpen(afterReport(back, 'PENDING_DEPOSIT', 3_000), 3_000), false)
})

test('PROCESSING and SUCCESS without coins are stuck after an hour, unless the coins have arrived', () => {
  for (const status of ['PROCESSING', 'SUCCESS'] as const) {
    const swap = afterReport(newSwap, status, 100)
    assert.equal(isStuck(swap, false, 3_699), false, status)
    assert.equal(isStuck(swap, false, 3_700), true, status)
    assert.equal(isStuck(swap, true, 3_700), false, status)
  }
  for (const status of ['PENDING_DEPOSIT', 'REFUNDED', 'FAILED'] as const) {
    assert.equal(isStuck(afterReport(newSwap, status, 100), false, 10 ** 6), false, status)
  }
})

test('a deposit that confirms slowly, or is topped up late, is not a stuck swap: the hour begins with PROCESSING', () => {
  for (const status of ['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT'] as const) {
    const swap = afterReport(afterReport(newSwap, status, 100), 'PROCESSING', 7_300)
    assert.equal(isStuck(swap, false, 7_300 + 3_599), false, status)
    assert.equal(isStuck(swap, false, 7_300 + 3_600), true, status)
  }
})

test('unknown statuses, older reports, and reports after a final status change nothing', () => {
  const processing = afterReport(newSwap, 'PROCESSING', 100)
  assert.equal(afterReport(processing, 'DEPOSIT_ADMIRED', 200), processing)
  assert.equal(applyProviderReport(processing, { status: 'PENDING_DEPOSIT', updatedAtMs: 99_999 }, at(200)), processing)
  for (const final of ['SUCCESS', 'REFUNDED', 'FAILED'] as const) {
    const ended = afterReport(processing, final, 200)
    for (const status of SWAP_STATUSES) assert.equal(afterReport(ended, status, 300), ended)
  }
})

test('a time of the provider more than five minutes ahead is far ahead', () => {
  assert.equal(isFarAhead(1_300_000, 1_000), false)
  assert.equal(isFarAhead(1_300_001, 1_000), true)
  const swap = { ...newSwap, updatedAtMs: 1_300_001 }
  assert.equal(lastIsFarAhead({ ...swap, lastReportAt: 1_000 }, 10 ** 6), true)
  assert.equal(lastIsFarAhead({ ...swap, lastReportAt: 1_001 }, 0), false)
  assert.equal(lastIsFarAhead({ ...swap, lastReportAt: null }, 1_000), true)
  assert.equal(lastIsFarAhead({ ...swap, lastReportAt: null }, 1_001), false)
})

test('with a clock that is minutes behind the newest block, an older report is refused as ever', () => {
  const behind = at(10_000)
  const first = applyProviderReport(newSwap, { status: 'PROCESSING', updatedAtMs: 10_600_000 }, behind, 10_600)
  const older = { status: 'PENDING_DEPOSIT', updatedAtMs: 10_500_000 }
  assert.equal(applyProviderReport(first, older, at(10_005), 10_605), first)
})

test('after a report far ahead, older ones of its clock and those of minutes before it are refused for ten minutes', () => {
  const ahead = applyProviderReport(newSwap, { status: 'PROCESSING', updatedAtMs: 9_000_000 }, at(1_000))
  assert.equal(ahead.status, 'PROCESSING')
  const isRefused = (updatedAtMs: number, now: number) =>
    applyProviderReport(ahead, { status: 'PENDING_DEPOSIT', updatedAtMs }, at(now)) === ahead
  assert.equal(isRefused(8_999_999, 1_599), true)
  assert.equal(isRefused(8_999_999, 1_600), false)
  assert.equal(isRefused(9_000_000, 1_001), false)
  assert.equal(isRefused(699_999, 1_599), true)
  assert.equal(isRefused(699_999, 1_600), false)
  assert.equal(isRefused(700_000, 1_001), false)
  const cleared = { ...ahead, lastReportAt: null }
  const next = { status: 'PENDING_DEPOSIT', updatedAtMs: 1 }
  assert.equal(applyProviderReport(cleared, next, at(1_000)).status, 'PENDING_DEPOSIT')
  assert.equal(applyProviderReport(cleared, next, at(8_700)), cleared)
})

test('in any order of reports, first times and final statuses stay, and update times never go back', () => {
  const report = fc.record({
    status: fc.oneof(statuses, fc.constant('SOMETHING_NEW')),
    updatedAtMs: fc.integer({ min: 0, max: 20 }),
  })
  fc.assert(
    fc.property(fc.array(report, { minLength: 1, maxLength: 15 }), reports => {
      let swap = newSwap
      reports.forEach((next, index) => {
        const before = swap
        swap = applyProviderReport(swap, next, at(index + 1))
        if (isFinalSwapStatus(before.status)) assert.equal(swap, before)
        if (before.depositSeenAt !== null) assert.equal(swap.depositSeenAt, before.depositSeenAt)
        if (before.successAt !== null) assert.equal(swap.successAt, before.successAt)
        assert.ok(swap.updatedAtMs >= before.updatedAtMs)
        assert.equal(swap.successAt !== null, swap.status === 'SUCCESS')
        if (swap.status === 'PROCESSING' || swap.status === 'SUCCESS') assert.notEqual(swap.depositSeenAt, null)
      })
    }),
  )
})

test('a swap that keeps its invoice open is always polled again', () => {
  fc.assert(
    fc.property(
      fc.array(statuses, { maxLength: 6 }),
      fc.nat(5 * DAY),
      fc.nat(10),
      fc.nat(DAY),
      (reported, age, failures, invoiceExpiresAt) => {
        const swap = reported.reduce((state, status, index) => afterReport(state, status, index + 1), {
          ...newSwap,
          invoiceExpiresAt,
        })
        const now = Math.max(age, reported.length + 1)
        const nextMs = nextPollMs(swap, failures, now)
        if (keepsInvoiceOpen(swap, now)) assert.notEqual(nextMs, null)
        if (nextMs !== null) assert.ok(nextMs > 0 && nextMs <= 3_600_000)
      },
    ),
  )
})

test('exactly three statuses raise an event', () => {
  assert.deepEqual(
    SWAP_STATUSES.map(status => swapEventTypeOf(status)),
    [null, null, 'swap.incomplete_deposit', null, null, 'swap.refunded', 'swap.failed'],
  )
})

test('polls run every 5 s, then 15 s, then 60 s, back off after errors up to a limit, and end for final or old swaps', () => {
  const known = afterReport(newSwap, 'KNOWN_DEPOSIT_TX', 0)
  assert.equal(nextPollMs(known, 0, 119), 5_000)
  assert.equal(nextPollMs(known, 0, 120), 15_000)
  assert.equal(nextPollMs(known, 0, 1_800), 60_000)
  assert.equal(nextPollMs(known, 2, 0), 20_000)
  assert.equal(nextPollMs(known, 1_000, 1_800), 300_000)
  assert.equal(nextPollMs(known, 0, polledUntil(known) + 1), null)
  for (const status of ['REFUNDED', 'FAILED'] as const)
    assert.equal(nextPollMs(afterReport(newSwap, status, 1), 0, 2), null)
})

test('the last poll of an old swap is one that was answered: until then it is polled every hour, for a year', () => {
  for (const swap of [newSwap, afterReport(newSwap, 'INCOMPLETE_DEPOSIT', 1)]) {
    const end = polledUntil(swap)
    assert.equal(nextPollMs(swap, 0, end + 1), null)
    assert.equal(nextPollMs(swap, 1, end + 1), 3_600_000)
    assert.equal(nextPollMs(swap, 500, 365 * DAY), 3_600_000)
    assert.equal(nextPollMs(swap, 500, 365 * DAY + 1), null)
  }
})

test('a swap with SUCCESS is polled once more, an hour later', () => {
  const done = afterReport(newSwap, 'SUCCESS', 100)
  assert.equal(nextPollMs(done, 0, 101), 3_599_000)
  assert.equal(nextPollMs(done, 0, 3_700), null)
})

test('without a deposit a poll is due exactly at the invoice’s expiry, and at the end of the wait for a report', () => {
  assert.equal(nextPollMs(newSwap, 0, 2_990), 10_000)
  assert.equal(nextPollMs(newSwap, 6, 3_000), PROVIDER_GRACE_SECS * 1000)
  assert.equal(nextPollMs(afterReport(newSwap, 'PROCESSING', 1), 0, 2_990), 60_000)
})

test('the buyer has 30 minutes or until the invoice expires', () => {
  assert.equal(depositDeadline(10_000, 0), 1_800)
  assert.equal(depositDeadline(900, 0), 900)
})

test('formatting units as decimals is exact', () => {
  assert.equal(formatUnits(5_000_000n, 6), '5')
  assert.equal(formatUnits(1n, 18), '0.000000000000000001')
  assert.equal(formatUnits(120n, 0), '120')
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), fc.integer({ min: 0, max: 24 }), (amount, decimals) => {
      const [whole = '', fraction = ''] = formatUnits(amount, decimals).split('.')
      assert.equal(BigInt(whole + fraction.padEnd(decimals, '0')), amount)
    }),
  )
})

test('a failed swap holds a deposit that was seen and not sent back; one that was replaced still may', () => {
  const none = { deposited: null, refunded: null }
  const holds = (status: SwapStatus, deposit: { deposited: bigint | null; refunded: bigint | null }, seenAt = 0) =>
    mayHoldDeposit({ status, deposit, depositSeenAt: seenAt === 0 ? null : seenAt })
  assert.deepEqual([holds('FAILED', none), holds('FAILED', none, 5)], [false, true])
  assert.deepEqual(
    [holds('FAILED', { deposited: 9n, refunded: 8n }), holds('FAILED', { deposited: 9n, refunded: 9n }, 5)],
    [true, false],
  )
  assert.deepEqual([holds('REFUNDED', none, 5), holds('INCOMPLETE_DEPOSIT', none)], [false, true])
  assert.equal(holds('PENDING_DEPOSIT', none), true)
})
