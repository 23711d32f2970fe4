import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { openEmptyStore } from '../../harness/databases.ts'
import { moved, NOW, openShop } from '../../harness/fixtures.ts'
import { testOutbox } from '../../harness/outbox.ts'

export function eventSuite(engine: DatabaseEngine): void {
  test('reading from a cursor returns the later events, oldest first, with each invoice once', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [a, b] = [await shop.sell(), await shop.sell()]
    assert.equal(await store.read(tx => tx.events.lastSeq()), 0)
    assert.deepEqual(await store.read(tx => tx.events.invoicesChangedSince(0, 9)), { seq: 0, invoiceIds: [] })
    const plan = { ...moved(a), invoiceId: null, type: 'plan.updated', body: '{"plan":"Pro"}' } as const
    await store.write(tx => testOutbox.append(tx, [moved(b), moved(a), plan, moved(b)]))
    assert.equal(await store.read(tx => tx.events.lastSeq()), 4)
    const since = (seq: number, limit: number) => store.read(tx => tx.events.invoicesChangedSince(seq, limit))
    assert.deepEqual(await since(0, 9), { seq: 4, invoiceIds: [b.id, a.id] })
    assert.deepEqual(await since(0, 2), { seq: 2, invoiceIds: [b.id, a.id] })
    assert.deepEqual(await since(2, 9), { seq: 4, invoiceIds: [b.id] })
    assert.deepEqual(await since(4, 9), { seq: 4, invoiceIds: [] })
  })

  test('the events of one use case are numbered together, and those of a failed one get no numbers', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const failing = store.write(async tx => {
      await tx.events.append([moved(invoice)], [])
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    await store.write(async tx => {
      await tx.events.append([moved(invoice)], [])
      await tx.events.append([], [])
      await tx.events.append([moved(invoice), moved(invoice)], [])
    })
    assert.equal(await store.read(tx => tx.events.lastSeq()), 3)
  })

  test('an event that cannot be written fails its use case and undoes all its changes', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const failing = store.write(async tx => {
      await tx.invoices.setKeptOpenBySwap(invoice.id, true)
      await tx.events.append([{ ...moved(invoice), invoiceId: 999 }], [])
    })
    await assert.rejects(failing, /foreign key/i)
    assert.deepEqual(await store.read(tx => tx.invoices.byIds([invoice.id])), [invoice])
    assert.equal(await store.read(tx => tx.events.lastSeq()), 0)
  })

  test('old events are pruned oldest first, and their numbers are not reused', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const at = (createdAt: number) => ({ ...moved(invoice), createdAt })
    await store.write(tx => tx.events.append([at(NOW), at(NOW + 1), at(NOW + 2)], []))
    assert.equal(await store.write(tx => tx.events.prune(NOW + 2, 1)), 1)
    assert.equal(await store.write(tx => tx.events.prune(NOW + 2, 9)), 1)
    assert.equal(await store.write(tx => tx.events.prune(NOW + 9, 9)), 1)
    await store.write(tx => tx.events.append([at(NOW + 3)], []))
    assert.deepEqual(await store.read(tx => tx.events.invoicesChangedSince(0, 9)), { seq: 4, invoiceIds: [invoice.id] })
  })
}
