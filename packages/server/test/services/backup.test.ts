import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBackups } from '../../src/services/backup.ts'
import { onBothDatabases, openEmptyStore } from '../harness/databases.ts'
import { makeAccount } from '../harness/fixtures.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const DAY = 86_400

onBothDatabases(engine => {
  test('the only account of a service learns of a backup that is missing for two days', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock()
    const isMissing = (newest: number | null) =>
      createBackups({ store, clock, newestBackup: async () => newest }).isMissing()
    assert.equal(await isMissing(null), false, 'no account')
    await makeAccount(store)
    assert.equal(await isMissing(null), true)
    assert.equal(await isMissing(clock.secs - 2 * DAY - 1), true)
    assert.equal(await isMissing(clock.secs - 2 * DAY), false)
    assert.equal(
      await createBackups({ store, clock, newestBackup: null }).isMissing(),
      false,
      'they are made elsewhere',
    )
    await makeAccount(store)
    assert.equal(await isMissing(null), false, 'others run the service for its accounts')
  })
})
