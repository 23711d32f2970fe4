import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeCursor } from '../../../../src/ports/repository/notify/invoice-change.ts'
import type { Store } from '../../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { FIRST_CURSOR, moved, NOW, openShop } from '../../../harness/fixtures.ts'
import { testOutbox } from '../../../harness/outbox.ts'

export function invoiceChangeSuite(engine: DatabaseEngine): void {
  test('reading from a cursor returns the later changes, oldest first, with each invoice once', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [a, b] = [await shop.sell(), await shop.sell()]
    assert.equal((await store.read(tx => tx.invoiceChanges.last())).seq, 0)
    const changedSince = (cursor: ChangeCursor, limit: number) =>
      store.read(tx => tx.invoiceChanges.since(cursor, limit))
    assert.deepEqual(await changedSince(FIRST_CURSOR, 9), { cursor: FIRST_CURSOR, invoiceIds: [] })
    await store.write(tx => testOutbox.invoicesChanged(tx, [b.id, a.id, b.id], NOW))
    assert.equal((await store.read(tx => tx.invoiceChanges.last())).seq, 3)
    const all = await changedSince(FIRST_CURSOR, 9)
    assert.deepEqual([all?.cursor.seq, all?.invoiceIds], [3, [b.id, a.id]])
    assert.deepEqual(all?.cursor, await store.read(tx => tx.invoiceChanges.last()))
    const some = await changedSince(FIRST_CURSOR, 2)
    assert.deepEqual([some?.cursor.seq, some?.invoiceIds], [2, [b.id, a.id]])
    const rest = await changedSince(some!.cursor, 9)
    assert.deepEqual(rest, { cursor: all!.cursor, invoiceIds: [b.id] })
    assert.deepEqual(await changedSince(all!.cursor, 9), { cursor: all!.cursor, invoiceIds: [] })
  })

  test('the changes of one use case are numbered together, and those of a failed one get no numbers', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const failing = store.write(async tx => {
      await tx.invoiceChanges.append([moved(invoice)])
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    await store.write(async tx => {
      await tx.invoiceChanges.append([moved(invoice)])
      await tx.invoiceChanges.append([])
      await tx.invoiceChanges.append([moved(invoice), moved(invoice)])
    })
    assert.equal((await store.read(tx => tx.invoiceChanges.last())).seq, 3)
  })

  test('a change that cannot be written fails its use case and undoes all its changes', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const failing = store.write(async tx => {
      await tx.invoices.setKeptOpenBySwap(invoice.id, true)
      await tx.invoiceChanges.append([{ ...moved(invoice), invoiceId: 999 }])
    })
    await assert.rejects(failing, /foreign key/i)
    assert.deepEqual(await store.read(tx => tx.invoices.byIds([invoice.id])), [invoice])
    assert.equal((await store.read(tx => tx.invoiceChanges.last())).seq, 0)
  })

  test('old changes are pruned oldest first, and their numbers are not reused', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const at = (createdAt: number) => ({ ...moved(invoice), createdAt })
    await store.write(tx => tx.invoiceChanges.append([at(NOW), at(NOW + 1), at(NOW + 2)]))
    assert.equal(await store.write(tx => tx.invoiceChanges.prune(NOW + 2, 1)), 1)
    assert.equal(await store.write(tx => tx.invoiceChanges.prune(NOW + 2, 9)), 1)
    assert.equal(await store.write(tx => tx.invoiceChanges.prune(NOW + 9, 9)), 1)
    await store.write(tx => tx.invoiceChanges.append([at(NOW + 3)]))
    const left = await store.read(tx => tx.invoiceChanges.since(FIRST_CURSOR, 9))
    assert.deepEqual([left?.cursor.seq, left?.invoiceIds], [4, [invoice.id]])
  })

  // PGlite has one database.
  if (engine.name === 'PGlite') return
  test('a cursor of another state of the database is no position in the log', async t => {
    const [store, other] = [await openEmptyStore(engine, t), await openEmptyStore(engine, t)]
    const append = async (to: Store, count: number, at: number) => {
      const invoice = await (await openShop(to)).sell()
      await to.write(tx => testOutbox.invoicesChanged(tx, Array<number>(count).fill(invoice.id), at))
      return to.read(tx => tx.invoiceChanges.last())
    }
    const since = (cursor: ChangeCursor) => other.read(tx => tx.invoiceChanges.since(cursor, 9))
    const lost = await append(store, 3, NOW)
    await append(other, 2, NOW)
    assert.equal(await since(lost), null, 'the sequence is behind the cursor')
    await append(other, 3, NOW + 60)
    assert.equal(await since(lost), null, 'another change has the number of the cursor')
    const last = await other.read(tx => tx.invoiceChanges.last())
    await other.write(tx => tx.invoiceChanges.prune(NOW + 99, 9))
    assert.deepEqual(await since(last), { cursor: last, invoiceIds: [] })
    assert.deepEqual(await other.read(tx => tx.invoiceChanges.last()), { seq: 5, change: null })
    await append(other, 1, NOW + 61)
    assert.equal(await since(last), null, 'its change is pruned, and others may be')
  })
}
