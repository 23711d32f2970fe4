import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { describePostgres, postgresEngine } from '../../harness/databases.ts'
import { makeAccount, NOW } from '../../harness/fixtures.ts'
import { anyLockWait } from '../../harness/lock-wait.ts'
import { until } from '../../harness/until.ts'

describePostgres('endpoints of two processes on PostgreSQL', server => {
  const engine = postgresEngine(server)

  test('a test event and the waking of endpoints lock them before the numbers of events, and do not deadlock', async t => {
    const database = await engine.createDatabase(t)
    const [api, delivery] = [await database.open(), await database.open()]
    const admin = new pg.Client(database.url)
    await admin.connect()
    t.after(() => admin.end())
    const { id: accountId } = await makeAccount(api)
    const times = { createdAt: NOW, updatedAt: NOW, enabled: true, schedule: 'standard', types: null } as const
    const secrets = { sealedSecret: new Uint8Array(1), earlierSealedSecret: null, earlierSecretUntil: null }
    const publicId = randomUUID()
    await api.write(tx => tx.endpoints.insert({ publicId, accountId, url: 'https://a.example/', ...times, ...secrets }))
    const event = () => {
      return { accountId, invoiceId: null, type: 'test', body: '{}', createdAt: NOW, publicId: randomUUID() } as const
    }
    await api.write(tx => tx.events.append([event()]))

    /** A transaction that ends with a deadlock runs again. */
    let runs = 0
    const locked = Promise.withResolvers<void>()
    const otherWaits = Promise.withResolvers<void>()
    const sending = api.write(async tx => {
      runs += 1
      await tx.endpoints.lock(accountId, publicId)
      locked.resolve()
      await otherWaits.promise
      await tx.events.append([event()])
    })
    await locked.promise
    const waking = delivery.write(tx => {
      runs += 1
      return tx.endpoints.wake(NOW * 1000, [accountId])
    })
    await until('the other process to wait', () => anyLockWait(admin))
    otherWaits.resolve()
    await Promise.all([sending, waking])
    assert.equal(runs, 2)
    // The event that was committed meanwhile wakes them too too.
    assert.equal(await api.query(tx => tx.endpoints.nextDueAtMs()), NOW * 1000)
  })
})
