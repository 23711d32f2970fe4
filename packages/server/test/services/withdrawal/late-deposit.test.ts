import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { WithdrawalWithInvoice } from '../../../src/services/withdrawal.ts'
import { createBillingHarness } from '../../support/billing-rig.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { type StoreEngine, storeEngines } from '../../support/store-engines.ts'

const AMOUNT = 250_000_000n
const DAY = 86_400
/** Test orders expire after 900 s. Regtest blocks are 75 s apart, and ten spacings are allowed. */
const IN_TIME_SECS = 900 + 750

async function start(t: TestContext, engine: StoreEngine, confirmations = 3) {
  const clock = new ManualClock()
  const { store, events } = await engine.open(t)
  const rig = await createBillingHarness({ store, clock, confirmations })
  const account = await rig.merchant()
  const request = { amountZat: AMOUNT, fiatCurrency: 'EUR', payoutTo: 'account 1', idempotencyKey: undefined }
  const order = () => rig.withdrawals.create(account, request)
  const statuses = async () => (await events(account.id)).map(({ status }) => status)
  const reason = async ({ withdrawal }: WithdrawalWithInvoice) =>
    (await rig.withdrawals.read(account, withdrawal.publicId)).withdrawal.reason
  return { clock, rig, order, statuses, reason }
}

for (const engine of storeEngines()) {
  const check = (
    name: string,
    work: (harness: Awaited<ReturnType<typeof start>>) => Promise<void>,
    confirmations = 3,
  ) => test(`${name} (${engine.name})`, { skip: engine.skip }, async t => work(await start(t, engine, confirmations)))

  check('a deposit seen before expiry and mined three days later needs attention', async harness => {
    const { clock, rig, order, statuses, reason } = harness
    const ordered = await order()
    await rig.deposit(ordered.invoice, AMOUNT)
    clock.advance(3 * DAY)
    await rig.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
    assert.equal(
      await reason(ordered),
      'deposit mined late: block 1 at 2027-01-18T08:00:00Z, rate valid until 2027-01-15T08:15:00Z',
    )
    assert.equal(await rig.payouts.payDue(10), 0)
  })

  check('a deposit mined in time and confirmed three days later is paid out', async harness => {
    const { clock, rig, order, statuses, reason } = harness
    const ordered = await order()
    await rig.deposit(ordered.invoice, AMOUNT)
    await rig.mine(1)
    clock.advance(3 * DAY)
    await rig.seeThrough()
    await rig.mine(2)
    assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing'])
    assert.equal(await reason(ordered), null)
  })

  check('a block ten spacings after expiry is in time, one second later is late', async harness => {
    const { clock, rig, order, statuses } = harness
    const first = await order()
    await rig.deposit(first.invoice, AMOUNT)
    clock.advance(IN_TIME_SECS)
    await rig.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing'])
    const second = await order()
    await rig.deposit(second.invoice, AMOUNT)
    clock.advance(IN_TIME_SECS + 1)
    await rig.mine()
    assert.deepEqual((await statuses()).slice(2), ['deposit_detected', 'needs_attention'])
  })

  check('one late payment makes the whole deposit late', async harness => {
    const { clock, rig, order, statuses } = harness
    const { invoice } = await order()
    await rig.deposit(invoice, AMOUNT - 5n)
    await rig.mine(1)
    await rig.deposit(invoice, 5n)
    clock.advance(IN_TIME_SECS + 1)
    await rig.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
  })

  check('an unconfirmed deposit that is mined again too late after a reorganisation needs attention', async harness => {
    const { clock, rig, order, statuses } = harness
    const { invoice } = await order()
    await rig.deposit(invoice, AMOUNT)
    await rig.mine(1)
    await rig.reorg(1)
    clock.advance(IN_TIME_SECS + 1)
    await rig.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
  })

  check('a deposit in a block that is no longer stored needs attention', async harness => {
    const { rig, order, statuses, reason } = harness
    const ordered = await order()
    await rig.deposit(ordered.invoice, AMOUNT)
    await rig.mine(1)
    await rig.mine(1_001)
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
    assert.equal(
      await reason(ordered),
      'deposit mined late: the time of block 1 is no longer known, rate valid until 2027-01-15T08:15:00Z',
    )
  })

  check(
    'without confirmations a deposit counts from when it is first seen',
    async ({ clock, rig, order, statuses, reason }) => {
      const inTime = await order()
      await rig.deposit(inTime.invoice, AMOUNT)
      assert.deepEqual(await statuses(), ['payout_processing'])
      // The synced time has not advanced, so the order has not expired yet.
      const late = await order()
      clock.advance(3 * DAY)
      await rig.deposit(late.invoice, AMOUNT)
      assert.deepEqual(await statuses(), ['payout_processing', 'needs_attention'])
      assert.match((await reason(late)) ?? '', /^deposit seen late: unmined at 2027-01-18T08:00:00Z/)
    },
    0,
  )

  check('a completed order stays completed when its deposit is mined again later', async harness => {
    const { clock, rig, order, statuses } = harness
    const { withdrawal, invoice } = await order()
    await rig.deposit(invoice, AMOUNT)
    await rig.mine()
    await rig.payouts.markPaidOut(withdrawal.publicId, 'wire')
    await rig.reorg(3)
    clock.advance(3 * DAY)
    await rig.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing', 'completed'])
  })

  check('the operator settles a late order, and the reason is kept', async harness => {
    const { clock, rig, order, reason } = harness
    const ordered = await order()
    await rig.deposit(ordered.invoice, AMOUNT)
    clock.advance(3 * DAY)
    await rig.mine()
    const { withdrawal } = await rig.payouts.markPaidOut(ordered.withdrawal.publicId, 'at the new rate')
    assert.deepEqual([withdrawal.status, withdrawal.reference], ['completed', 'at the new rate'])
    assert.match((await reason(ordered)) ?? '', /^deposit mined late/)
  })
}
