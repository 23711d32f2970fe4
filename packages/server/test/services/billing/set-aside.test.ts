import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Account } from '../../../src/domain/account.ts'
import { createBillingHarness } from '../../harness/billing.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { poisonRow } from '../../harness/poison.ts'
import { scriptedPayout } from '../../harness/scripted-payout.ts'

const DAY = 86_400

onBothDatabases(engine => {
  for (const position of [0, 2])
    test(`a withdrawal that cannot be claimed, at place ${position}, keeps no other from being paid out`, async t => {
      const clock = new ManualClock()
      const database = await engine.createDatabase(t)
      const provider = scriptedPayout()
      const store = await database.open()
      const harness = await createBillingHarness(t, { store, clock, provider })
      const { withdrawals, payouts, setAsides } = harness
      const amountZat = 100_000_000n
      const terms = { amountZat, fiatCurrency: 'USD', payoutTo: 'account 12345678', idempotencyKey: undefined }
      const ids: string[] = []
      for (let made = 0; made < 3; made++) {
        const { withdrawal, invoice } = await withdrawals.create(await harness.merchant(), terms)
        await harness.deposit(invoice, amountZat)
        await harness.mine()
        provider.results.push({ state: 'paid', reference: `wire ${made}` })
        ids.push(withdrawal.publicId)
        clock.advance(1)
      }
      const bad = ids[position] as string
      const row = { table: 'withdrawals', column: 'public_id', value: bad, on: 'UPDATE' } as const
      const repair = await poisonRow(database.url, row)
      const called = () => provider.calls.map(({ id }) => id)
      while ((await payouts.payDue(5)) === 5);
      assert.deepEqual(called(), ids.toSpliced(position, 1))
      const failures = async () =>
        (await store.query(tx => tx.setAside.list(5))).map(({ kind, failures }) => [kind, failures])
      assert.deepEqual(await failures(), [['payout', 1]])
      clock.advance(60)
      await payouts.retrySetAside()
      assert.deepEqual(await failures(), [['payout', 2]])
      await repair()
      clock.advance(120)
      // As two processes do.
      await Promise.all([payouts.retrySetAside(), payouts.retrySetAside()])
      assert.deepEqual(called(), [...ids.toSpliced(position, 1), bad])
      assert.deepEqual(await setAsides.countByKind(), [])
    })

  test('a withdrawal whose payout cannot be recorded at its retry stays set aside, and has one failure more', async t => {
    const clock = new ManualClock()
    const database = await engine.createDatabase(t)
    const provider = scriptedPayout()
    const store = await database.open()
    const harness = await createBillingHarness(t, { store, clock, provider })
    const { withdrawals, payouts } = harness
    const amountZat = 100_000_000n
    const terms = { amountZat, fiatCurrency: 'USD', payoutTo: 'account 12345678', idempotencyKey: undefined }
    const { withdrawal, invoice } = await withdrawals.create(await harness.merchant(), terms)
    await harness.deposit(invoice, amountZat)
    await harness.mine()
    const row = { table: 'withdrawals', column: 'public_id', value: withdrawal.publicId, on: 'UPDATE' } as const
    const repairs: (() => Promise<void>)[] = []
    const paidMeanwhile = async () => {
      repairs.push(await poisonRow(database.url, row))
      return { state: 'paid', reference: 'wire' } as const
    }
    const failures = async () =>
      (await store.query(tx => tx.setAside.list(5))).map(({ kind, failures }) => [kind, failures])
    provider.results.push(paidMeanwhile, paidMeanwhile)
    await payouts.payDue(5)
    assert.deepEqual(await failures(), [['payout', 1]])
    await repairs[0]?.()
    clock.advance(60)
    await payouts.retrySetAside()
    assert.deepEqual(await failures(), [['payout', 2]])
  })

  for (const position of [0, 2, 4]) {
    test(`a plan that cannot be ended, at place ${position}, keeps no other plan from ending`, async t => {
      const clock = new ManualClock()
      const database = await engine.createDatabase(t)
      const store = await database.open()
      const { billing, accounts, setAsides } = await createBillingHarness(t, { store, clock })
      const merchants: Account[] = []
      for (let made = 0; made < 5; made++) merchants.push(await accounts.findOrCreate(`m${made}@example.org`))
      for (const [index, { id }] of merchants.entries())
        await store.write(tx => tx.accounts.setPlan(id, 'Pro', clock.secs + DAY + index))
      const bad = merchants[position] as Account
      const row = { column: 'account_id', value: String(bad.id), on: 'INSERT' } as const
      const repairReminder = await poisonRow(database.url, { ...row, table: 'plan_announcements' })
      await billing.sendRenewalReminders(10)
      assert.equal(await billing.sendRenewalReminders(10), 0)
      const repairPlan = await poisonRow(database.url, { ...row, table: 'accounts', column: 'id', on: 'UPDATE' })
      clock.advance(2 * DAY)
      await billing.expirePlans(10)
      assert.equal(await billing.expirePlans(10), 0, 'the bad one is left out')
      const plans = () => Promise.all(merchants.map(async ({ email }) => (await accounts.findByEmail(email)).plan))
      assert.deepEqual(
        await plans(),
        merchants.map(it => (it === bad ? 'Pro' : 'Free')),
      )
      const kinds = async () => (await setAsides.countByKindOf(bad.id)).map(({ kind, rows }) => [kind, rows])
      assert.deepEqual(await kinds(), [
        ['plan', 1],
        ['plan_reminder', 1],
      ])
      await repairReminder()
      await repairPlan()
      clock.advance(60)
      await billing.retrySetAside()
      assert.deepEqual(await kinds(), [])
      assert.deepEqual(
        await plans(),
        merchants.map(() => 'Free'),
      )
    })
  }
})
