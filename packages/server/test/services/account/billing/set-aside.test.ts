import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Account } from '../../../../src/domain/account/account.ts'
import { createBillingHarness } from '../../../harness/billing.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { poisonRow } from '../../../harness/poison.ts'

const DAY = 86_400

onBothDatabases(engine => {
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
