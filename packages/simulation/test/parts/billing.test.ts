import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlanJudge } from '../../src/parts/billing/judge.ts'
import { drawPlans, endAfterPurchase } from '../../src/parts/billing/plans.ts'
import { UsageJudge } from '../../src/parts/billing/usage-judge.ts'
import { Draw } from '../../src/runtime/draw.ts'
import { createFakeWorld, eventRow, NOW_SECS } from './fake-world.ts'

const DAY_SECS = 86_400
const PLANS = drawPlans(new Draw(1))
const FREE_LIMIT = PLANS[0]!.monthlyInvoiceLimit!
const ACCOUNT = { id: 1n, email: 'a@example.org', plan: 'Free', plan_expires_at: null as bigint | null }
const OPEN = {
  invoice_id: 1n,
  public_id: '6f0e35a2',
  account_id: 1n,
  plan: 'Small',
  price_zat: 1_000n,
  period_days: 1n,
  status: 'open',
  decided_at: null as bigint | null,
  granted_until: null as bigint | null,
  invoice_status: 'pending',
}
const END = BigInt(NOW_SECS + DAY_SECS)
const GRANTED = { ...OPEN, status: 'granted', decided_at: BigInt(NOW_SECS), granted_until: END, invoice_status: 'paid' }

interface State {
  readonly account: typeof ACCOUNT
  readonly purchase: typeof OPEN
  readonly events?: readonly { plan: string; expires_at: number }[]
  readonly reminded?: bigint
  readonly mails?: number
}

/** Lets a judge see one committed state after the other. */
function judge(states: readonly State[]) {
  const { world, broken, tables } = createFakeWorld()
  const plans = new PlanJudge(world, PLANS)
  let seq = 0n
  for (const { account, purchase, events = [], reminded, mails = 0 } of states) {
    tables['FROM accounts'] = [account]
    tables['FROM plan_purchases'] = [purchase]
    tables['FROM plan_announcements'] = reminded === undefined ? [] : [{ account_id: 1n, plan_expires_at: reminded }]
    tables['FROM mails'] = Array.from({ length: mails }, (_, id) => ({ id: BigInt(id), recipient: account.email }))
    tables['FROM events'] = events.map(event => eventRow(++seq, 'plan.updated', event))
    plans.check()
  }
  return { broken, plans }
}

const BEFORE = { account: ACCOUNT, purchase: OPEN }
const ON_SMALL = { ...ACCOUNT, plan: 'Small', plan_expires_at: END }
const AFTER = { account: ON_SMALL, purchase: GRANTED, events: [{ plan: 'Small', expires_at: Number(END) }] }

test('a purchase that is granted when it is paid breaks no rule', () => {
  assert.deepEqual(judge([BEFORE, AFTER]).broken, [])
})

test('a second grant, a wrong period and a change without an event are found', () => {
  const longer = Number(END) + DAY_SECS
  const again = {
    account: { ...ON_SMALL, plan_expires_at: BigInt(longer) },
    purchase: GRANTED,
    events: [{ plan: 'Small', expires_at: longer }],
  }
  assert.deepEqual(judge([BEFORE, AFTER, again]).broken, ['a plan is granted once for each paid purchase'])
  const tooLong = {
    ...again,
    purchase: { ...GRANTED, granted_until: BigInt(longer) },
  }
  assert.deepEqual(judge([BEFORE, tooLong]).broken, ['a purchase gives the period that was bought'])
  assert.deepEqual(judge([BEFORE, { ...AFTER, events: [] }]).broken.slice(0, 1), [
    'a change of a plan and plan.updated are one commit',
  ])
})

test('a paid purchase that is not decided is found', () => {
  const paid = { ...BEFORE, purchase: { ...OPEN, invoice_status: 'paid' } }
  assert.deepEqual(judge([BEFORE, paid]).broken, ['a purchase is decided in the commit in which it is paid'])
})

test('a plan that ends too early is found', () => {
  const ended = { account: ACCOUNT, purchase: GRANTED, events: [{ plan: 'Free', expires_at: NOW_SECS }] }
  assert.equal(judge([BEFORE, AFTER, ended]).broken[0], 'a plan ends only after its end')
})

test('a second reminder for one end is found', () => {
  const reminded = { account: ON_SMALL, purchase: GRANTED, reminded: END, mails: 1 }
  assert.deepEqual(judge([BEFORE, AFTER, reminded]).broken, [])
  assert.deepEqual(judge([BEFORE, AFTER, reminded, { ...reminded, mails: 2 }]).broken, [
    'the end of a plan is announced by one mail',
  ])
})

test('a plan that runs after its end has not settled', () => {
  const account = { ...ON_SMALL, plan_expires_at: BigInt(NOW_SECS - 60) }
  assert.match(judge([{ ...BEFORE, account }]).plans.unsettled() ?? '', /has ended and still runs/)
})

/** A judge of the monthly limits that sees one committed state after the other. */
function createUsageLaboratory() {
  const { world, broken, tables } = createFakeWorld()
  const usage = new UsageJudge(world, PLANS)
  return {
    broken,
    scheduler: world.scheduler,
    see(plan: string, counted: number, created = counted) {
      const month = (used: number) => [{ account_id: 1n, month: '2026-02', used: BigInt(used) }]
      tables['FROM accounts'] = [{ ...ACCOUNT, plan }]
      tables['AS sales'] = [{ sales: BigInt(created), used: BigInt(counted) }]
      tables['FROM monthly_usage ORDER'] = month(counted)
      tables['AS month'] = month(created)
      usage.check()
    },
  }
}

test('an invoice above the monthly limit, and one that is not counted, are found', () => {
  const { see, broken } = createUsageLaboratory()
  see('Free', FREE_LIMIT)
  assert.deepEqual(broken, [])
  see('Free', FREE_LIMIT + 1)
  assert.deepEqual(broken, ['no more invoices than the plan allows'])
  see('Free', FREE_LIMIT + 1, FREE_LIMIT + 2)
  assert.equal(broken[1], 'every created sale is counted once')
})

test('a plan counts until the commit that ends it, however long the machine stood still before', () => {
  const { see, broken, scheduler } = createUsageLaboratory()
  see('Large', 0)
  scheduler.nowMs += 2 * DAY_SECS * 1000
  see('Free', FREE_LIMIT + 1)
  assert.deepEqual(broken, [])
  scheduler.nowMs += DAY_SECS * 1000
  see('Free', FREE_LIMIT + 2)
  assert.deepEqual(broken, ['no more invoices than the plan allows'])
})

test('a renewal adds a period, and another plan is credited with the rest of the old one', () => {
  const small = { plan: 'Small', priceZat: 1_000n, periodDays: 1 }
  const large = { plan: 'Large', priceZat: 7_000n, periodDays: 2 }
  const inHalfADay = NOW_SECS + DAY_SECS / 2
  assert.equal(
    endAfterPurchase(PLANS, { plan: 'Small', expiresAt: inHalfADay }, small, NOW_SECS),
    inHalfADay + DAY_SECS,
  )
  assert.equal(endAfterPurchase(PLANS, { plan: 'Small', expiresAt: NOW_SECS }, small, NOW_SECS), NOW_SECS + DAY_SECS)
  assert.equal(
    endAfterPurchase(PLANS, { plan: 'Small', expiresAt: inHalfADay }, large, NOW_SECS),
    NOW_SECS + 2 * DAY_SECS + Math.floor((500 * 2 * DAY_SECS) / 7_000),
  )
  assert.equal(endAfterPurchase(PLANS, { plan: 'Small', expiresAt: null }, small, NOW_SECS), null)
})
