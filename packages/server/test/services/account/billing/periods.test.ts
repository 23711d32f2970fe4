import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Account } from '../../../../src/domain/account/account.ts'
import { type BillingHarness, type BillingHarnessOptions, createBillingHarness } from '../../../harness/billing.ts'
import { readEvents, sqliteStore } from '../../../harness/databases.ts'
import { recordingLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const DAY = 86_400
const PERIOD = 30 * DAY

async function start(test: TestContext, options: Partial<BillingHarnessOptions> = {}) {
  const clock = new ManualClock()
  const { store, file } = await sqliteStore(test)
  const harness = await createBillingHarness(test, { store, clock, ...options })
  return { clock, harness, events: (account: Account) => readEvents(file, account.id) }
}

async function buy(harness: BillingHarness, account: Account, plan: string): Promise<void> {
  const invoice = await harness.billing.subscribe(await harness.account(account.id), plan)
  await harness.deposit(invoice, invoice.amountZat)
  await harness.mine()
}

const holding = async (harness: BillingHarness, { id }: Account) => {
  const { plan, planExpiresAt } = await harness.account(id)
  return [plan, planExpiresAt]
}
const updated = (plan: string, expires_at: number) => ({
  type: 'plan.updated',
  invoice_id: null,
  plan,
  expires_at,
})

test('a period begins when its invoice is confirmed, not earlier, and only once', async t => {
  const { clock, harness, events } = await start(t)
  const account = await harness.merchant()
  const invoice = await harness.billing.subscribe(account, 'Pro')
  assert.equal(invoice.purpose, 'plan')
  assert.equal(invoice.amountZat, 10_000_000n)
  assert.equal(invoice.accountId, harness.operator.id)

  await harness.deposit(invoice, invoice.amountZat)
  await harness.mine(2)
  assert.deepEqual(await holding(harness, account), ['Free', null])
  await harness.mine(1)
  assert.deepEqual(await holding(harness, account), ['Pro', clock.secs + PERIOD])
  await harness.deposit(invoice, 5n)
  await harness.mine()
  assert.deepEqual(await holding(harness, account), ['Pro', clock.secs + PERIOD])
  assert.deepEqual(events(account), [updated('Pro', clock.secs + PERIOD)])
  const [bought] = await harness.billing.purchases(account, { limit: 10 })
  assert.deepEqual([bought?.purchase.status, bought?.purchase.grantedUntil], ['granted', clock.secs + PERIOD])
})

test('purchase, renewal, upgrade and end each send one event', async t => {
  const { clock, harness, events } = await start(t)
  const account = await harness.merchant()
  const startedAt = clock.secs
  await buy(harness, account, 'Pro')
  await buy(harness, account, 'Pro')
  clock.advance(50 * DAY)
  await buy(harness, account, 'Business')
  const end = clock.secs + PERIOD + 2 * DAY
  assert.deepEqual(await holding(harness, account), ['Business', end])

  clock.advance(32 * DAY - 1)
  assert.equal(await harness.billing.expirePlans(10), 0)
  clock.advance(1)
  assert.equal(await harness.billing.expirePlans(10), 1)
  assert.equal(await harness.billing.expirePlans(10), 0)
  assert.deepEqual(await holding(harness, account), ['Free', null])
  assert.deepEqual(events(account), [
    updated('Pro', startedAt + PERIOD),
    updated('Pro', startedAt + 2 * PERIOD),
    updated('Business', end),
    updated('Free', clock.secs),
  ])
})

test('a payment right after the end, before the plan is expired, sends an end event and a start event', async t => {
  const { clock, harness, events } = await start(t)
  const account = await harness.merchant()
  await buy(harness, account, 'Pro')
  clock.advance(PERIOD - DAY)
  const invoice = await harness.billing.subscribe(await harness.account(account.id), 'Pro')
  clock.advance(DAY)
  await harness.deposit(invoice, invoice.amountZat)
  await harness.mine()
  assert.deepEqual(await holding(harness, account), ['Pro', clock.secs + PERIOD])
  assert.deepEqual(events(account).slice(1), [updated('Free', clock.secs), updated('Pro', clock.secs + PERIOD)])
  assert.equal(await harness.billing.expirePlans(10), 0)
})

test('an underpayment buys nothing; the missing rest, even if late, completes the purchase', async t => {
  const { clock, harness, events } = await start(t)
  const account = await harness.merchant()
  const invoice = await harness.billing.subscribe(account, 'Pro')
  await harness.deposit(invoice, invoice.amountZat - 1n)
  await harness.mine()
  clock.advance(3_600)
  await harness.seeThrough()
  assert.equal((await harness.invoices.read(invoice.publicId)).status, 'underpaid')
  assert.deepEqual(events(account), [])
  await harness.deposit(invoice, 1n)
  await harness.mine()
  assert.deepEqual(events(account), [updated('Pro', clock.secs + PERIOD)])
})

test('a paid plan that cannot be granted changes nothing and waits for the operator', async t => {
  const log = recordingLog()
  const { harness, events } = await start(t, { log })
  const account = await harness.merchant()
  const invoice = await harness.billing.subscribe(account, 'Business')
  await harness.accounts.setPlan(account.email, 'Business', null)
  await harness.deposit(invoice, invoice.amountZat)
  await harness.mine()
  assert.deepEqual(await holding(harness, account), ['Business', null])
  assert.deepEqual(events(account), [updated('Business', 253_402_300_799)])
  assert.equal((await harness.billing.purchases(account, { limit: 1 }))[0]?.purchase.status, 'needs_attention')
  assert.equal(await harness.billing.countNeedingAttention(), 1)
  // The change of the invoice is logged too, for debugging.
  assert.deepEqual(
    log.lines.map(({ level }) => level).filter(level => level !== 'debug'),
    ['warn'],
  )
})

test('unknown plans, the free plan and a plan that the account has without end cannot be bought', async t => {
  const { harness } = await start(t)
  const account = await harness.merchant()
  for (const plan of ['Gold', 'Free', '', 'pro'])
    await assert.rejects(harness.billing.subscribe(account, plan), { code: 'unknown_plan', message: 'unknown plan' })
  const gifted = await harness.accounts.setPlan(account.email, 'Pro', null)
  await assert.rejects(harness.billing.subscribe(gifted, 'Pro'), { code: 'plan_never_ends' })
  assert.equal((await harness.billing.subscribe(gifted, 'Business')).amountZat, 50_000_000n)
})

test('the same idempotency key returns the same purchase; with another plan it is refused', async t => {
  const { harness } = await start(t)
  const account = await harness.merchant()
  const first = await harness.billing.subscribe(account, 'Pro', 'one')
  assert.equal((await harness.billing.subscribe(account, 'Pro', 'one')).id, first.id)
  await assert.rejects(harness.billing.subscribe(account, 'Business', 'one'), { code: 'idempotency_key_reused' })
  await harness.billing.subscribe(account, 'Pro')
  const bought = await harness.billing.purchases(account, { limit: 10 })
  assert.equal(bought.length, 2)
  const [second] = await harness.billing.purchases(account, { limit: 10, before: bought[0]?.invoice.publicId ?? '' })
  assert.equal(second?.invoice.publicId, first.publicId)
  const stranger = await harness.merchant()
  const foreign = { limit: 10, before: first.publicId }
  await assert.rejects(harness.billing.purchases(stranger, foreign), { code: 'invalid_before' })
})

test('internal invoices are not counted in monthly usage and appear in no list', async t => {
  const { harness } = await start(t)
  const account = await harness.merchant()
  await harness.billing.subscribe(account, 'Pro')
  assert.equal((await harness.accounts.overview(account)).usedThisMonth, 0)
  assert.equal((await harness.accounts.overview(harness.operator)).usedThisMonth, 0)
  assert.deepEqual(await harness.invoices.list(account, { limit: 10 }), [])
})

test('a reminder is queued three days before the end, once for each end', async t => {
  const { clock, harness } = await start(t)
  const account = await harness.merchant()
  await buy(harness, account, 'Pro')
  const mails = () =>
    harness.store.write(async tx => {
      const claimed = await tx.mails.claimNotices(clock.secs, 10, () => clock.secs + 10 * PERIOD)
      for (const mail of claimed) await tx.mails.remove(mail)
      return claimed.map(({ to, about }) => [to, about])
    })
  clock.advance(27 * DAY - 1)
  assert.equal(await harness.billing.sendRenewalReminders(10), 0)
  clock.advance(1)
  assert.equal(await harness.billing.sendRenewalReminders(10), 1)
  assert.equal(await harness.billing.sendRenewalReminders(10), 0)
  assert.deepEqual(await mails(), [[account.email, 'plan_ends']])

  await buy(harness, account, 'Pro')
  assert.equal(await harness.billing.sendRenewalReminders(10), 0)
  clock.advance(PERIOD)
  assert.equal(await harness.billing.sendRenewalReminders(10), 1)
  assert.deepEqual(await mails(), [[account.email, 'plan_ends']])
})

test('many simultaneous plan ends are processed in pages, each with its event', async t => {
  const { clock, harness, events } = await start(t)
  const accounts = await Promise.all(Array.from({ length: 7 }, () => harness.merchant()))
  for (const [index, account] of accounts.entries())
    await harness.accounts.setPlan(account.email, 'Pro', clock.secs + 10 - index)
  clock.advance(10)
  assert.deepEqual(
    [await harness.billing.expirePlans(3), await harness.billing.expirePlans(3), await harness.billing.expirePlans(3)],
    [3, 3, 1],
  )
  for (const account of accounts) assert.deepEqual(events(account).at(-1), updated('Free', clock.secs))
})

test('the effective plan is Free from the second of its end, even before the plan is expired', async t => {
  const { clock, harness } = await start(t)
  const account = await harness.merchant()
  await buy(harness, account, 'Pro')
  clock.advance(PERIOD - 1)
  assert.equal((await harness.accounts.overview(await harness.account(account.id))).plan.name, 'Pro')
  clock.advance(1)
  assert.equal((await harness.accounts.overview(await harness.account(account.id))).plan.name, 'Free')
})
