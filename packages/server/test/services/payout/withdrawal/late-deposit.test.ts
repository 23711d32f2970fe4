import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { WithdrawalWithInvoice } from '../../../../src/services/payout/withdrawal.ts'
import { createBillingHarness } from '../../../harness/billing.ts'
import { type DatabaseEngine, onBothDatabases } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const AMOUNT = 250_000_000n
const DAY = 86_400
/** Test orders expire after 900 s. Regtest blocks are 75 s apart, and ten spacings are allowed. */
const IN_TIME_SECS = 900 + 750

async function start(t: TestContext, engine: DatabaseEngine, confirmations = 3) {
  const clock = new ManualClock()
  const { open, events } = await engine.createDatabase(t)
  const harness = await createBillingHarness(t, { store: await open(), clock, confirmations })
  const account = await harness.merchant()
  const request = { amountZat: AMOUNT, fiatCurrency: 'EUR', payoutTo: 'account 1', idempotencyKey: undefined }
  const order = () => harness.withdrawals.create(account, request)
  const statuses = async () => (await events(account.id)).map(({ status }) => status)
  const reason = async ({ withdrawal }: WithdrawalWithInvoice) =>
    (await harness.withdrawals.read(account, withdrawal.publicId)).withdrawal.reason
  return { clock, harness, order, statuses, reason }
}

onBothDatabases(engine => {
  const check = (name: string, work: (setup: Awaited<ReturnType<typeof start>>) => Promise<void>, confirmations = 3) =>
    test(name, async t => work(await start(t, engine, confirmations)))

  check('a deposit seen before expiry and mined three days later needs attention', async setup => {
    const { clock, harness, order, statuses, reason } = setup
    const ordered = await order()
    await harness.deposit(ordered.invoice, AMOUNT)
    clock.advance(3 * DAY)
    await harness.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
    assert.equal(
      await reason(ordered),
      'deposit mined late: block 1 at 2027-01-18T08:00:00Z, rate valid until 2027-01-15T08:15:00Z',
    )
  })

  check('a deposit mined in time and confirmed three days later is paid out', async setup => {
    const { clock, harness, order, statuses, reason } = setup
    const ordered = await order()
    await harness.deposit(ordered.invoice, AMOUNT)
    await harness.mine(1)
    clock.advance(3 * DAY)
    await harness.seeThrough()
    await harness.mine(2)
    assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing'])
    assert.equal(await reason(ordered), null)
  })

  check('a block ten spacings after expiry is in time, one second later is late', async setup => {
    const { clock, harness, order, statuses } = setup
    const inTime = ['deposit_detected', 'payout_processing']
    for (const isKnown of [false, true]) {
      const { invoice } = await order()
      await harness.deposit(invoice, AMOUNT)
      clock.advance(IN_TIME_SECS)
      if (isKnown) await harness.seeThrough()
      await harness.mine()
      assert.deepEqual((await statuses()).slice(-2), inTime, `the time is known before the block: ${isKnown}`)
    }
    const { invoice } = await order()
    await harness.deposit(invoice, AMOUNT)
    clock.advance(IN_TIME_SECS + 1)
    await harness.mine()
    assert.deepEqual((await statuses()).slice(4), ['deposit_detected', 'needs_attention'])
  })

  check('one late payment makes the whole deposit late', async setup => {
    const { clock, harness, order, statuses } = setup
    const { invoice } = await order()
    await harness.deposit(invoice, AMOUNT - 5n)
    await harness.mine(1)
    await harness.deposit(invoice, 5n)
    clock.advance(IN_TIME_SECS + 1)
    await harness.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
  })

  check('an unconfirmed deposit that is mined again too late after a reorganisation needs attention', async setup => {
    const { clock, harness, order, statuses } = setup
    const { invoice } = await order()
    await harness.deposit(invoice, AMOUNT)
    await harness.mine(1)
    await harness.reorg(1)
    clock.advance(IN_TIME_SECS + 1)
    await harness.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
  })

  check('a deposit in a block that is no longer stored needs attention', async setup => {
    const { harness, order, statuses, reason } = setup
    const ordered = await order()
    await harness.deposit(ordered.invoice, AMOUNT)
    await harness.mine(1)
    await harness.mine(1_001)
    assert.deepEqual(await statuses(), ['deposit_detected', 'needs_attention'])
    assert.equal(
      await reason(ordered),
      'deposit mined late: the time of block 1 is no longer known, rate valid until 2027-01-15T08:15:00Z',
    )
  })

  check(
    'without confirmations a deposit counts from when it is first seen',
    async ({ clock, harness, order, statuses, reason }) => {
      const inTime = await order()
      await harness.deposit(inTime.invoice, AMOUNT)
      assert.deepEqual(await statuses(), ['payout_processing'])
      // The synced time has not advanced, so the order has not expired yet.
      const late = await order()
      clock.advance(3 * DAY)
      await harness.deposit(late.invoice, AMOUNT)
      assert.deepEqual(await statuses(), ['payout_processing', 'needs_attention'])
      assert.match((await reason(late)) ?? '', /^deposit seen late: unmined at 2027-01-18T08:00:00Z/)
    },
    0,
  )

  check('a completed order stays completed when its deposit is mined again later', async setup => {
    const { clock, harness, order, statuses } = setup
    const { withdrawal, invoice } = await order()
    await harness.deposit(invoice, AMOUNT)
    await harness.mine()
    await harness.payouts.markPaidOut(withdrawal.publicId, 'wire')
    await harness.reorg(3)
    clock.advance(3 * DAY)
    await harness.mine()
    assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing', 'completed'])
  })

  check('the operator settles a late order, and the reason is kept', async setup => {
    const { clock, harness, order, reason } = setup
    const ordered = await order()
    await harness.deposit(ordered.invoice, AMOUNT)
    clock.advance(3 * DAY)
    await harness.mine()
    const withdrawal = await harness.payouts.markPaidOut(ordered.withdrawal.publicId, 'at the new rate')
    assert.deepEqual([withdrawal.status, withdrawal.reference], ['completed', 'at the new rate'])
    assert.match((await reason(ordered)) ?? '', /^deposit mined late/)
  })
})
