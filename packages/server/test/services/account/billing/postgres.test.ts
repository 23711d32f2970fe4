import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createBillingHarness } from '../../../harness/billing.ts'
import { type DatabaseEngine, onPostgres } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const DAY = 86_400

/** Two processes on one database, each with its own service. */
async function twoProcesses(engine: DatabaseEngine, t: TestContext) {
  const database = await engine.createDatabase(t)
  const clock = new ManualClock()
  const open = async () => createBillingHarness(t, { store: await database.open(), clock })
  return { clock, one: await open(), other: await open() }
}

onPostgres(engine => {
  test('two processes that grant, expire and remind at once do each once', async t => {
    const { clock, one, other } = await twoProcesses(engine, t)
    const accounts = await Promise.all(Array.from({ length: 6 }, () => one.merchant()))
    for (const account of accounts) {
      const bought = await Promise.all([one, other].map(harness => harness.billing.subscribe(account, 'Pro')))
      for (const invoice of bought) await one.deposit(invoice, invoice.amountZat)
    }
    await one.mine()
    const end = clock.secs + 60 * DAY
    for (const { id } of accounts) assert.equal((await one.account(id)).planExpiresAt, end)

    clock.advance(58 * DAY)
    await Promise.all([one, other, one, other].map(harness => harness.billing.sendRenewalReminders(10)))
    const mails = await one.store.write(tx => tx.mails.claimNotices(clock.secs, 50, () => end))
    assert.deepEqual(mails.map(({ to }) => to).sort(), accounts.map(({ email }) => email).sort())

    clock.advance(2 * DAY)
    const newEvents = () =>
      one.store.read(async tx => {
        const lists = await Promise.all(accounts.map(({ id }) => tx.events.listAfter(id, 0, 100)))
        return lists.flat().length
      })
    const before = await newEvents()
    await Promise.all([one, other, one, other].map(harness => harness.billing.expirePlans(10)))
    assert.equal((await newEvents()) - before, accounts.length)
    for (const { id } of accounts) assert.equal((await other.account(id)).plan, 'Free')
  })

  test('an order completed by one process is the same in the other', async t => {
    const { one, other } = await twoProcesses(engine, t)
    const account = await one.merchant()
    const request = { amountZat: 10_000_000n, fiatCurrency: 'USD', payoutTo: 'a bank account', idempotencyKey: 'k' }
    const created = await Promise.all(
      [one, other, one, other].map(harness => harness.withdrawals.create(account, request)),
    )
    const [{ withdrawal, invoice } = assert.fail()] = created
    assert.equal(new Set(created.map(order => order.withdrawal.publicId)).size, 1)
    await one.deposit(invoice, invoice.amountZat)
    await Promise.allSettled([
      one.mine(),
      other.withdrawals.cancel(account, withdrawal.publicId),
      other.withdrawals.cancel(account, withdrawal.publicId),
    ])
    const closed = await Promise.allSettled(
      [one, other].map(harness => harness.payouts.markPaidOut(withdrawal.publicId, 'paid')),
    )
    assert.deepEqual(closed.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await other.withdrawals.read(account, withdrawal.publicId)).withdrawal.status, 'completed')
  })

  test('of a concurrent cancel and deposit one is first, and no payment is lost', async t => {
    const { one, other } = await twoProcesses(engine, t)
    const account = await one.merchant()
    for (let round = 0; round < 10; round++) {
      const request = {
        amountZat: 10_000_000n,
        fiatCurrency: 'USD',
        payoutTo: 'a bank account',
        idempotencyKey: undefined,
      }
      const { withdrawal, invoice } = await one.withdrawals.create(account, request)
      const [canceled] = await Promise.allSettled([
        other.withdrawals.cancel(account, withdrawal.publicId),
        one.deposit(invoice, invoice.amountZat),
      ])
      const { status } = (await one.withdrawals.read(account, withdrawal.publicId)).withdrawal
      assert.equal(status, canceled.status === 'fulfilled' ? 'needs_attention' : 'deposit_detected')
    }
  })
})
