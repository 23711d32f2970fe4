import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContainer } from '../harness/container.ts'
import { onBothDatabases } from '../harness/databases.ts'
import { NOW, openShop } from '../harness/fixtures.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { poisonRow } from '../harness/poison.ts'

const DAY = 86_400

onBothDatabases(engine => {
  for (const position of [0, 500, 1_200])
    test(`an old row that cannot be deleted, at place ${position}, keeps no other from being deleted`, async t => {
      const clock = new ManualClock(NOW)
      const database = await engine.createDatabase(t)
      const store = await database.open()
      const { services } = await openTestContainer(t, { clock, store })
      const { account } = await openShop(store)
      const keys = Array.from({ length: 1_300 }, (_, index) => `key ${index}`)
      await store.write(async tx => {
        for (const [index, key] of keys.entries())
          await tx.idempotency.claim({
            accountId: account.id,
            key,
            bodyHash: new Uint8Array(32),
            invoicePublicId: key,
            createdAt: NOW + index,
            since: 0,
          })
      })
      const bad = keys[position] as string
      const row = { table: 'idempotency_keys', column: 'key', value: bad, on: 'DELETE' } as const
      const repair = await poisonRow(database.url, row)
      clock.advance(3 * DAY)
      while (await services.cleanup.pruneIdempotencyKeys());
      const left = async () => {
        const found = []
        for (const key of keys) if (await store.query(tx => tx.idempotency.find(account.id, key, 0))) found.push(key)
        return found
      }
      assert.deepEqual(await left(), [bad])
      await repair()
      await services.cleanup.pruneIdempotencyKeys()
      assert.deepEqual(await left(), [])
    })
})
