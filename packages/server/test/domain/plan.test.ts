import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  afterPurchase,
  creditedSecs,
  DEFAULT_PLANS,
  FREE_PLAN,
  type Holding,
  hasRunOut,
  type Plan,
  planAt,
  type SoldPeriod,
} from '../../src/domain/plan.ts'

const NOW = 1_800_000_000
const DAY = 86_400
const FREE: Holding = { plan: FREE_PLAN, planExpiresAt: null }
const sold = (name: string): SoldPeriod => {
  const { priceZat, periodDays } = DEFAULT_PLANS.find(plan => plan.name === name) as Plan
  return { plan: name, priceZat, periodDays }
}
const buy = (held: Holding, name: string, now = NOW) => afterPurchase(DEFAULT_PLANS, held, sold(name), now)

test('the first period runs from the payment', () => {
  assert.deepEqual(buy(FREE, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 30 * DAY })
})

test('renewing adds a period to the end, not to the moment', () => {
  const held = { plan: 'Pro', planExpiresAt: NOW + 7 }
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 7 + 30 * DAY })
})

test('an upgrade begins at once, and the rest of the old plan is time of the new one at the new price', () => {
  const held = { plan: 'Pro', planExpiresAt: NOW + 10 * DAY }
  // Business costs five times as much: ten days of Pro are two of Business.
  assert.deepEqual(buy(held, 'Business'), { plan: 'Business', planExpiresAt: NOW + 32 * DAY })
})

test('a downgrade counts the rest in as well', () => {
  const held = { plan: 'Business', planExpiresAt: NOW + 2 * DAY }
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 40 * DAY })
})

test('a plan that has run out leaves nothing to count in, and is bought anew', () => {
  const held = { plan: 'Business', planExpiresAt: NOW }
  assert.ok(hasRunOut(held, NOW))
  assert.deepEqual(buy(held, 'Business'), { plan: 'Business', planExpiresAt: NOW + 30 * DAY })
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 30 * DAY })
})

test('for ever is not made longer; another plan in its place begins at once', () => {
  const held = { plan: 'Business', planExpiresAt: null }
  assert.equal(buy(held, 'Business'), null)
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 30 * DAY })
})

test('nothing can be given of a plan that is no longer on the list', () => {
  assert.equal(afterPurchase(DEFAULT_PLANS, FREE, { plan: 'Gold', priceZat: 1n, periodDays: 30 }, NOW), null)
})

test('the price paid counts, not the one that the list has got meanwhile', () => {
  const dearer = DEFAULT_PLANS.map(plan => (plan.name === 'Business' ? { ...plan, priceZat: 1n } : plan))
  const held = { plan: 'Pro', planExpiresAt: NOW + 10 * DAY }
  assert.equal(afterPurchase(dearer, held, sold('Business'), NOW)?.planExpiresAt, NOW + 32 * DAY)
})

const price = fc.bigInt(1n, 2_100_000_000_000_000n)
const periodDays = fc.integer({ min: 1, max: 3660 })
const pricedPlan = fc.record({ priceZat: price, periodDays, monthlyInvoiceLimit: fc.constant(null) })

test('what is counted in is worth what was left, to less than a second of the new plan', () => {
  fc.assert(
    fc.property(pricedPlan, pricedPlan, fc.integer({ min: 0, max: 10 * 366 * DAY }), (old, next, left) => {
      const secs = BigInt(creditedSecs(old, left, { plan: 'next', ...next }))
      // Worths as zat × the other's period, so that nothing is divided.
      const worthOf = (count: bigint) => count * next.priceZat * BigInt(old.periodDays)
      const leftWorth = BigInt(left) * old.priceZat * BigInt(next.periodDays)
      assert.ok(worthOf(secs) <= leftWorth)
      assert.ok(worthOf(secs + 1n) > leftWorth || secs === 100n * 365n * 86_400n)
    }),
  )
})

type Step =
  | { readonly step: 'buy'; readonly plan: 'Pro' | 'Business' }
  | { readonly step: 'wait'; readonly secs: number }
const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant('buy' as const), plan: fc.constantFrom('Pro' as const, 'Business' as const) }),
    fc.record({ step: fc.constant('wait' as const), secs: fc.integer({ min: 0, max: 45 * DAY }) }),
  ),
  { maxLength: 30 },
)

test('in any order of buying and waiting, no second paid for is lost and none is given twice', () => {
  // All time in seconds of Pro: a second of Business is worth five.
  const weight = { Pro: 1, Business: 5 } as const
  fc.assert(
    fc.property(steps, (path: readonly Step[]) => {
      let held: Holding = FREE
      let now = NOW
      let paid = 0
      let used = 0
      let purchases = 0
      for (const move of path) {
        if (move.step === 'wait') {
          const { plan, expiresAt } = planAt(DEFAULT_PLANS, held, now)
          if (expiresAt !== null) used += Math.min(move.secs, expiresAt - now) * weight[plan.name as 'Pro']
          now += move.secs
          continue
        }
        const next = buy(held, move.plan, now)
        assert.ok(next)
        assert.ok(next.planExpiresAt >= now + 30 * DAY)
        paid += 30 * DAY * weight[move.plan]
        purchases += 1
        held = next
      }
      const { plan, expiresAt } = planAt(DEFAULT_PLANS, held, now)
      const left = expiresAt === null ? 0 : (expiresAt - now) * weight[plan.name as 'Pro']
      assert.ok(used + left <= paid)
      // Rounding down costs less than one second of Business at each change of plan.
      assert.ok(paid - used - left < 5 * (purchases + 1))
    }),
    { numRuns: 500 },
  )
})
