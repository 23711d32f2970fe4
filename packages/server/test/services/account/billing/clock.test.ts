import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBillingHarness } from '../../../harness/billing.ts'
import { onBothDatabases, openEmptyStore } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const DAY = 86_400

onBothDatabases(engine => {
  test('a plan that was paid for does not end by a clock that is hours apart from the chain', async t => {
    const clock = new ManualClock()
    const store = await openEmptyStore(engine, t)
    const harness = await createBillingHarness(t, { store, clock, chainNetwork: 'test' })
    const account = await harness.merchant()
    const invoice = await harness.billing.subscribe(account, 'Pro')
    await harness.deposit(invoice, invoice.amountZat)
    await harness.mine(11)
    const plan = async () => (await harness.account(account.id)).plan
    assert.equal(await plan(), 'Pro')
    clock.advance(40 * DAY)
    assert.equal(await harness.billing.expirePlans(10), 0)
    assert.equal(await plan(), 'Pro')
    clock.advance(-40 * DAY)
    assert.equal(await harness.billing.expirePlans(10), 0)
    clock.advance(31 * DAY)
    await harness.mine(11)
    assert.equal(await harness.billing.expirePlans(10), 1)
    assert.equal(await plan(), 'Free')
  })

  test('a clock that is hours behind the chain does not shorten the period that was bought', async t => {
    const clock = new ManualClock()
    const store = await openEmptyStore(engine, t)
    const harness = await createBillingHarness(t, { store, clock, chainNetwork: 'test' })
    const account = await harness.merchant()
    const invoice = await harness.billing.subscribe(account, 'Pro')
    await harness.mine(11)
    const truth = clock.secs
    clock.advance(-10 * DAY)
    await harness.deposit(invoice, invoice.amountZat)
    await harness.mine(3, truth)
    const { plan, planExpiresAt } = await harness.account(account.id)
    assert.deepEqual([plan, planExpiresAt], ['Pro', truth + 30 * DAY])
  })
})
