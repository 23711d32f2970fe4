import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeriodTotals } from '../../src/domain/sale/sales-figures.ts'
import type { DashboardFigures } from '../../src/services/sale/dashboard-figures.ts'
import { salesCard } from '../../src/web/components/sale/sales-card.ts'
import { needsRate, shownSales } from '../../src/web/shown-sales.ts'

const ZEC = 100_000_000n

function totals(units: bigint, receivedZat: bigint, invoices: number, priced = invoices): PeriodTotals {
  return { receivedZat, refundedZat: 0n, invoices, priced: { units, amountZat: receivedZat, invoices: priced } }
}

function figures(week: DashboardFigures['week']): DashboardFigures {
  const none = totals(0n, 0n, 0)
  return {
    today: none,
    yesterday: none,
    week,
    month: { ...none, compared: null },
    currency: 'EUR',
    days: [],
    open: { pending: 0, detected: 0 },
    reorgedTotal: 0,
    overpaidTotal: 0,
    lateTotal: 0,
    underpaidTotal: 0,
  }
}

const textOf = (given: DashboardFigures, rate: { price: string } | null) =>
  String(salesCard(shownSales(given, 'EUR', rate), [])).replaceAll(/<[^>]*>/g, '')

test('a week of priced sales has its money, ZEC, number and change, without a rate', () => {
  const compared = { current: totals(448_000n, 4n * ZEC, 120), earlier: totals(400_000n, 9n * ZEC, 130) }
  const given = figures({ ...totals(548_100n, 448_412_345n, 158), compared })
  assert.equal(needsRate(given), false)
  const text = textOf(given, null)
  assert.match(text, /This week\s+€5,481\s+4\.484 ZEC · 158 paid\s+\+12 % on last week/)
  assert.match(text, /This month\s+€0\.00\s+0 ZEC · 0 paid\s+—nothing to compare with/)
  assert.doesNotMatch(text, /≈/)
})

test('what has no price is valued at the rate and marked; without a rate there is only ZEC', () => {
  const mixed = { ...totals(1_000n, ZEC, 2, 1), receivedZat: 3n * ZEC }
  const given = figures({ ...mixed, compared: { current: mixed, earlier: totals(0n, 0n, 0) } })
  assert.equal(needsRate(given), true)
  assert.match(textOf(given, { price: '40' }), /This week\s+≈ about €90\.00\s+3 ZEC · 2 paid\s+—nothing/)
  assert.match(textOf(given, null), /This week\s+3 ZEC\s+2 paid\s+—nothing/)
})
