import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBillingHarness } from '../../harness/billing.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { storeEngines } from '../../harness/store-engines.ts'

const DAY = 86_400

for (const engine of storeEngines()) {
  test(`a plan that was paid for does not end by a clock that is hours apart from the chain (${engine.name})`, {
    skip: engine.skip,
  }, async t => {
    const clock = new ManualClock()
    const { store } = await engine.open(t)
    const harness = await createBillingHarness({ store, clock, chainNetwork: 'test' })
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
}
