import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventSkip } from '../../../../src/domain/database-identity.ts'
import type { EventType } from '../../../../src/domain/notify/event.ts'
import type { AppendedEvent } from '../../../../src/ports/repository/notify/event.ts'
import type { Store } from '../../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount, NOW, openShop } from '../../../harness/fixtures.ts'

function eventOf(accountId: number, body = '{}', type: EventType = 'plan.updated', createdAt = NOW): AppendedEvent {
  return { accountId, invoiceId: null, type, body, createdAt, publicId: randomUUID() }
}

const append = (store: Store, events: readonly AppendedEvent[]) => store.write(tx => tx.events.append(events))

export function eventSuite(engine: DatabaseEngine): void {
  test('each account counts its events from 1 on, and reads those after a number, in their order', async t => {
    const store = await openEmptyStore(engine, t)
    const [one, other] = [await makeAccount(store), await makeAccount(store)]
    await append(store, [eventOf(other.id, '"a"'), eventOf(one.id, '"b"'), eventOf(other.id, '"c"')])
    await append(store, [eventOf(other.id, '"d"')])
    const read = (id: number, after: number, limit: number) =>
      store.read(async tx => (await tx.events.listAfter(id, after, limit)).map(({ seq, body }) => [seq, body]))
    assert.deepEqual(await read(other.id, 0, 9), [
      [1, '"a"'],
      [2, '"c"'],
      [3, '"d"'],
    ])
    assert.deepEqual(await read(other.id, 1, 1), [[2, '"c"']])
    assert.deepEqual(await read(one.id, 0, 9), [[1, '"b"']])
    assert.deepEqual(await read(one.id, 1, 9), [])
    const range = (id: number) => store.read(tx => tx.events.range(id))
    assert.deepEqual(await range(other.id), { prunedSeq: 0, lastSeq: 3 })
    assert.deepEqual(await range((await makeAccount(store)).id), { prunedSeq: 0, lastSeq: 0 })
  })

  test('events of some types are read in the order of all, each once', async t => {
    const store = await openEmptyStore(engine, t)
    const { id } = await makeAccount(store)
    const types = ['test', 'plan.updated', 'invoice.paid', 'test', 'invoice.paid', 'test'] as const
    await append(
      store,
      types.map(type => eventOf(id, '{}', type)),
    )
    const read = (after: number, limit: number, chosen: readonly EventType[]) =>
      store.read(async tx => (await tx.events.listAfter(id, after, limit, chosen)).map(({ seq }) => seq))
    assert.deepEqual(await read(0, 9, ['invoice.paid', 'test', 'test']), [1, 3, 4, 5, 6])
    assert.deepEqual(await read(1, 3, ['test', 'invoice.paid']), [3, 4, 5])
    assert.deepEqual(await read(0, 9, ['invoice.created']), [])
  })

  test('the newest events come first, in pages in both directions, also of one type', async t => {
    const store = await openEmptyStore(engine, t)
    const [{ id }, other] = [await makeAccount(store), await makeAccount(store)]
    const types = ['test', 'plan.updated', 'test', 'plan.updated', 'test'] as const
    await append(store, [...types.map(type => eventOf(id, '{}', type)), eventOf(other.id)])
    const list = (page: { readonly before?: number; readonly after?: number }, type?: EventType) =>
      store.read(async tx => (await tx.events.listNewest(id, { limit: 2, ...page }, type)).map(({ seq }) => seq))
    assert.deepEqual([await list({}), await list({ before: 4 }), await list({ before: 1 })], [[5, 4], [3, 2], []])
    assert.deepEqual([await list({ after: 1 }), await list({ after: 4 })], [[3, 2], [5]])
    assert.deepEqual([await list({}, 'test'), await list({ before: 3 }, 'test')], [[5, 3], [1]])
    assert.deepEqual(await list({ after: 1 }, 'plan.updated'), [4, 2])
  })

  test('the events of a failed use case get no numbers, and one that cannot be written undoes its use case', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const { id } = shop.account
    const failing = store.write(async tx => {
      await tx.events.append([eventOf(id)])
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    const broken = store.write(async tx => {
      await tx.usage.increment(id, '2026-11', null)
      await tx.events.append([eventOf(id), eventOf(999)])
    })
    await assert.rejects(broken, /foreign key/i)
    assert.equal(await store.read(tx => tx.usage.used(id, '2026-11')), 0)
    await store.write(async tx => {
      await tx.events.append([eventOf(id)])
      await tx.events.append([])
      await tx.events.append([eventOf(id), eventOf(id)])
    })
    assert.deepEqual(await store.read(tx => tx.events.range(id)), { prunedSeq: 0, lastSeq: 3 })
  })

  test('old events are pruned with their deliveries, and their numbers are not used again', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const { id: accountId } = shop.account
    const webhook = { url: 'https://shop.example', sealedSecret: new Uint8Array(1), createdAt: NOW, updatedAt: NOW }
    await store.write(tx => tx.webhooks.insert({ accountId, ...webhook }))
    const delivery = { invoiceId: null, eventType: 'plan.updated', url: null, createdAt: NOW, dueAtMs: 0 } as const
    const deliveryId = randomUUID()
    await append(store, [
      { ...eventOf(accountId), deliveries: [{ ...delivery, accountId, publicId: deliveryId }] },
      eventOf(accountId, '{}', 'plan.updated', NOW + 1),
    ])
    const found = () => store.read(tx => tx.deliveries.byPublicId(accountId, deliveryId))
    assert.equal((await found())?.eventSeq, 1)
    assert.equal(await store.write(tx => tx.events.prune(NOW + 1, 9)), 1)
    assert.equal(await found(), null)
    await append(store, [eventOf(accountId)])
    const left = await store.read(async tx => (await tx.events.listAfter(accountId, 0, 9)).map(({ seq }) => seq))
    assert.deepEqual(left, [2, 3])
    assert.deepEqual(await store.read(tx => tx.events.range(accountId)), { prunedSeq: 1, lastSeq: 3 })
  })

  test('an account without a webhook gets no delivery', async t => {
    const store = await openEmptyStore(engine, t)
    const { id: accountId } = await makeAccount(store)
    const delivery = { invoiceId: null, eventType: 'plan.updated', url: null, createdAt: NOW, dueAtMs: 0 } as const
    const publicId = randomUUID()
    await append(store, [{ ...eventOf(accountId), deliveries: [{ ...delivery, accountId, publicId }] }])
    assert.equal(await store.read(tx => tx.deliveries.byPublicId(accountId, publicId)), null)
    assert.equal((await store.read(tx => tx.events.range(accountId))).lastSeq, 1)
  })

  test('a restored copy numbers its events above all that a reader may have seen', async t => {
    const store = await openEmptyStore(engine, t)
    const { id } = await makeAccount(store)
    await append(store, [eventOf(id)])
    // The clock of the last copy was ahead of that of the third one.
    for (const least of [1_000_000, 5_000_000, 2_000_000]) {
      await store.write(tx => tx.events.skipNumbers({ least, step: 10 }))
      await append(store, [eventOf(id)])
    }
    assert.deepEqual(
      await store.read(async tx => (await tx.events.listAfter(id, 1, 9)).map(({ seq }) => seq)),
      [1_000_011, 5_000_011, 5_000_022],
    )
  })

  test('a restored copy numbers the events of an account that had none in it above those that were lost', async t => {
    const store = await openEmptyStore(engine, t)
    const { id } = await makeAccount(store)
    await store.write(tx => tx.events.skipNumbers({ least: 1_000_000, step: 10 }))
    await append(store, [eventOf(id)])
    assert.deepEqual(await store.read(tx => tx.events.range(id)), { prunedSeq: 0, lastSeq: 1_000_011 })
  })

  test('a standby that was promoted numbers its events above those that were lost before its counters are advanced', async t => {
    const store = await openEmptyStore(engine, t)
    const [known, silent] = [await makeAccount(store), await makeAccount(store)]
    await append(store, [eventOf(known.id)])
    await store.write(tx => tx.databaseIdentity.record('the lost database'))
    await append(store, [eventOf(known.id), eventOf(silent.id), eventOf(silent.id)])
    for (const { id } of [known, silent]) {
      const seqs = await store.read(async tx => (await tx.events.listAfter(id, 1, 9)).map(({ seq }) => seq))
      assert.ok(
        seqs.every(seq => seq > eventSkip(NOW * 1_000, Uint8Array.of(0)).least),
        `${seqs}`,
      )
      assert.equal(seqs[1] ?? 0, id === silent.id ? (seqs[0] ?? 0) + 1 : 0)
    }
  })
}
