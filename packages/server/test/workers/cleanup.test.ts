import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createRetention } from '../../src/services/cleanup.ts'
import { startCleanup } from '../../src/workers/cleanup.ts'
import { openEmptyStore, sqliteEngine } from '../harness/databases.ts'
import { moved, NOW, openShop } from '../harness/fixtures.ts'
import { recordingLog, silentLog } from '../harness/log.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { until } from '../harness/until.ts'

const DAY = 86_400

test('every task runs, again while there is more to delete, and then the loop pauses', async () => {
  const clock = new ManualClock()
  const left = { one: 3, other: 1 }
  const runs = { one: 0, other: 0 }
  const task = (name: 'one' | 'other') => async () => {
    runs[name]++
    return --left[name] > 0
  }
  const cleanup = startCleanup({ tasks: [task('one'), task('other')], clock, log: silentLog })
  await until('the pause', () => clock.sleeping.length === 1)
  assert.deepEqual(runs, { one: 3, other: 3 })
  clock.advance(600)
  await until('the next pause', () => clock.sleeping.length === 1 && runs.one === 4)
  await cleanup.stop()
})

test('a failing task is logged and retried, and the other tasks still run', async () => {
  const clock = new ManualClock()
  const log = recordingLog()
  let pruned = 0
  const failing = async () => {
    throw new Error('failure')
  }
  const tasks = [
    failing,
    async () => {
      pruned++
      return false
    },
  ]
  const cleanup = startCleanup({ tasks, clock, log })
  await until('a failure', () => log.lines.length === 1)
  assert.equal(pruned, 1)
  assert.equal((log.lines[0]!.details.err as AggregateError).errors[0].message, 'failure')
  await until('the pause', () => clock.sleeping.length === 1)
  clock.advance(60)
  await until('the next attempt', () => pruned === 2)
  await cleanup.stop()
})

async function retentionOf(context: TestContext) {
  const store = await openEmptyStore(sqliteEngine, context)
  const clock = new ManualClock(NOW)
  return { store, clock, retention: createRetention({ store, clock }), shop: await openShop(store) }
}

test('idempotency keys are kept for more than a day, and then deleted in batches of a thousand', async t => {
  const { store, clock, retention, shop } = await retentionOf(t)
  const claim = (key: string, createdAt: number) => ({
    accountId: shop.account.id,
    key,
    bodyHash: new Uint8Array(32),
    invoicePublicId: key,
    createdAt,
    since: 0,
  })
  await store.write(async tx => {
    for (let i = 0; i < 1_001; i++) await tx.idempotency.claim(claim(`old ${i}`, NOW))
    await tx.idempotency.claim(claim('young', NOW + DAY))
  })
  clock.advance(DAY + 1)
  assert.equal(await retention.pruneIdempotencyKeys(), false)
  assert.ok(await store.read(tx => tx.idempotency.find(shop.account.id, 'old 0', 0)))
  clock.advance(DAY)
  assert.equal(await retention.pruneIdempotencyKeys(), true)
  assert.equal(await retention.pruneIdempotencyKeys(), false)
  const find = (key: string) => store.read(tx => tx.idempotency.find(shop.account.id, key, 0))
  assert.deepEqual([await find('old 0'), await find('old 1000')], [null, null])
  assert.ok(await find('young'))
})

test('events are kept for thirty days', async t => {
  const { store, clock, retention, shop } = await retentionOf(t)
  const invoice = await shop.sell()
  await store.write(tx => tx.events.append([moved(invoice)]))
  const events = () => store.read(tx => tx.events.invoicesChangedSince(0, 10))
  clock.advance(30 * DAY)
  await retention.pruneEvents()
  assert.deepEqual((await events()).invoiceIds, [invoice.id])
  clock.advance(1)
  await retention.pruneEvents()
  assert.deepEqual((await events()).invoiceIds, [])
})
