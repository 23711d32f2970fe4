import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuditLog } from '../../src/services/account/audit.ts'
import { createLastUsedRecorder } from '../../src/services/account/last-used.ts'
import { onBothDatabases, openEmptyStore } from '../harness/databases.ts'
import { makeAccount, NOW } from '../harness/fixtures.ts'
import { ManualClock } from '../harness/manual-clock.ts'

onBothDatabases(engine => {
  test('entries of a kind are found in bounded pages, however many others are newer', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const append = (kind: 'rescan_started' | 'api_key_created', count: number) =>
      store.write(async tx => {
        for (let i = 0; i < count; i++)
          await tx.audit.append({
            accountId: account.id,
            kind,
            actor: { by: 'owner', session: 's', network: '203.0.113.0/24', client: 'curl/8' },
            detail: String(i),
            createdAt: NOW,
          })
      })
    await append('rescan_started', 3)
    await append('api_key_created', 2_001)
    await append('rescan_started', 1)
    let most = 0
    const read: typeof store.read = async work => {
      const result = await store.read(work)
      if (Array.isArray(result)) most = Math.max(most, result.length)
      return result
    }
    const auditLog = createAuditLog({ store: { ...store, read }, clock: new ManualClock(NOW) })
    const details = async (limit: number, before?: number) =>
      (await auditLog.list({ accountId: account.id, kind: 'rescan_started' }, limit, before)).map(
        ({ detail }) => detail,
      )
    assert.deepEqual(await details(3), ['0', '2', '1'])
    assert.deepEqual(await details(9), ['0', '2', '1', '0'])
    const [newest] = await auditLog.list({}, 1)
    assert.deepEqual(await details(1, newest?.id), ['2'])
    assert.equal(most, 1_000)
  })

  test('the uses of many credentials are recorded in several transactions, each of some hundred', async t => {
    const store = await openEmptyStore(engine, t)
    const batches: number[] = []
    const errors: unknown[] = []
    const clock = new ManualClock(NOW)
    const recorder = createLastUsedRecorder(
      { store, clock, onError: error => errors.push(error) },
      async (_tx, ids) => {
        batches.push(ids.length)
      },
    )
    for (let id = 1; id <= 30_000; id++) recorder.record({ id, lastUsedAt: null })
    await recorder.whenIdle()
    assert.deepEqual(errors, [])
    assert.equal(Math.max(...batches), 200)
    assert.equal(
      batches.reduce((sum, size) => sum + size, 0),
      10_000,
      'no more wait at a time',
    )
  })
})
