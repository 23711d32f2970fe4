import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  assignmentAfterPurchase,
  creditedSecs,
  DEFAULT_PLANS,
  effectivePlan,
  FREE_PLAN,
  isPlanExpired,
  type Plan,
  type PlanAssignment,
  type SoldPeriod,
} from '../../../src/domain/account/plan.ts'

const NOW = 1_800_000_000
const DAY = 86_400
const FREE: PlanAssignment = { plan: FREE_PLAN, planExpiresAt: null }
const sold = (name: string): SoldPeriod => {
  const { priceZat, periodDays } = DEFAULT_PLANS.find(plan => plan.name === name) as Plan
  return { plan: name, priceZat, periodDays }
}
const buy = (held: PlanAssignment, name: string, now = NOW) =>
  assignmentAfterPurchase(DEFAULT_PLANS, held, sold(name), now)

test('the first period starts with the payment', () => {
  assert.deepEqual(buy(FREE, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 30 * DAY })
})

test('a renewal extends the plan from its end, not from the payment', () => {
  const held = { plan: 'Pro', planExpiresAt: NOW + 7 }
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 7 + 30 * DAY })
})

test('an upgrade begins at once, and the rest of the old plan is credited at the new price', () => {
  const held = { plan: 'Pro', planExpiresAt: NOW + 10 * DAY }
  // Business costs five times as much: ten days of Pro are two of Business.
  assert.deepEqual(buy(held, 'Business'), { plan: 'Business', planExpiresAt: NOW + 32 * DAY })
})

test('a downgrade credits the rest of the old plan as well', () => {
  const held = { plan: 'Business', planExpiresAt: NOW + 2 * DAY }
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 40 * DAY })
})

test('an ended plan leaves no credit, and a purchase starts it anew', () => {
  const held = { plan: 'Business', planExpiresAt: NOW }
  assert.ok(isPlanExpired(held, NOW))
  assert.deepEqual(buy(held, 'Business'), { plan: 'Business', planExpiresAt: NOW + 30 * DAY })
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 30 * DAY })
})

test('a plan without end cannot be extended; another plan replaces it at once', () => {
  const held = { plan: 'Business', planExpiresAt: null }
  assert.equal(buy(held, 'Business'), null)
  assert.deepEqual(buy(held, 'Pro'), { plan: 'Pro', planExpiresAt: NOW + 30 * DAY })
})

test('a plan that was removed from the list cannot be assigned', () => {
  assert.equal(assignmentAfterPurchase(DEFAULT_PLANS, FREE, { plan: 'Gold', priceZat: 1n, periodDays: 30 }, NOW), null)
})

test('the credit uses the price paid, not the present list price', () => {
  const dearer = DEFAULT_PLANS.map(plan => (plan.name === 'Business' ? { ...plan, priceZat: 1n } : plan))
  const held = { plan: 'Pro', planExpiresAt: NOW + 10 * DAY }
  assert.equal(assignmentAfterPurchase(dearer, held, sold('Business'), NOW)?.planExpiresAt, NOW + 32 * DAY)
})

const price = fc.bigInt(1n, 2_100_000_000_000_000n)
const periodDays = fc.integer({ min: 1, max: 3660 })
const pricedPlan = fc.record({ priceZat: price, periodDays, monthlyInvoiceLimit: fc.constant(null) })

test('the credit is worth the rest of the old plan, to less than a second of the new one', () => {
  fc.assert(
    fc.property(pricedPlan, pricedPlan, fc.integer({ min: 0, max: 10 * 366 * DAY }), (old, next, left) => {
      const secs = BigInt(creditedSecs(old, left, { plan: 'next', ...next }))
      // Values in zat × the other plan's period, to avoid division.
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

test('in any order of purchases and waits, every paid second is granted exactly once', () => {
  // All times in seconds of Pro; a second of Business is worth five.
  const weight = { Pro: 1, Business: 5 } as const
  fc.assert(
    fc.property(steps, (path: readonly Step[]) => {
      let held: PlanAssignment = FREE
      let now = NOW
      let paid = 0
      let used = 0
      let purchases = 0
      for (const move of path) {
        if (move.step === 'wait') {
          const { plan, expiresAt } = effectivePlan(DEFAULT_PLANS, held, now)
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
      const { plan, expiresAt } = effectivePlan(DEFAULT_PLANS, held, now)
      const left = expiresAt === null ? 0 : (expiresAt - now) * weight[plan.name as 'Pro']
      assert.ok(used + left <= paid)
      // Each change of plan loses less than one second of Business by rounding.
      assert.ok(paid - used - left < 5 * (purchases + 1))
    }),
    { numRuns: 500 },
  )
})
