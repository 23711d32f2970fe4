import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_ZAT } from '../../../../src/domain/money.ts'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { InvoiceFilter } from '../../../../src/ports/repository/sale/invoice.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { header, makeViewingKey, NOW, openShop } from '../../../harness/fixtures.ts'
import { invoiceWith } from '../../../harness/invoice.ts'

export function invoiceSuite(engine: DatabaseEngine): void {
  test('an invoice reads back as inserted, pending, with exact amounts', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const draft = shop.draft({ amountZat: MAX_ZAT, diversifierIndex: 2n ** 53n + 1n })
    const invoice = await store.write(tx => tx.invoices.insert(draft))
    assert.deepEqual(invoice, invoiceWith({ ...draft, id: invoice.id, createdRewind: 0 }))
    assert.deepEqual(await store.query(tx => tx.invoices.byPublicId(draft.publicId)), invoice)
    assert.equal(await store.query(tx => tx.invoices.byPublicId('no such id')), null)
  })

  test('two invoices cannot share a diversifier index of a viewing key', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const first = await shop.sell()
    await assert.rejects(shop.sell({ diversifierIndex: first.diversifierIndex }), /unique/i)
    const other = await makeViewingKey(store)
    await shop.sell({ diversifierIndex: first.diversifierIndex, viewingKeyId: other.id })
  })

  test("an account's sales are listed newest first, with filters and pages", async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const stranger = await openShop(store)
    const sales: Invoice[] = []
    for (const secs of [0, 1, 2, 3]) sales.unshift(await shop.sell({ createdAt: NOW + secs }))
    await shop.sell({ purpose: 'plan' })
    const foreign = await stranger.sell()
    const list = (limit: number, before?: string, filter?: InvoiceFilter) =>
      store.read(tx => tx.invoices.list(shop.account.id, { limit, ...(before && { before }) }, filter))
    assert.deepEqual(await list(3), sales.slice(0, 3))
    assert.deepEqual(await list(3, sales[2]?.publicId), sales.slice(3))
    await assert.rejects(list(3, foreign.publicId), { code: 'invalid_before' })
    await assert.rejects(list(3, 'no such id'), { code: 'invalid_before' })
    assert.deepEqual(await list(9, undefined, { createdFrom: NOW + 1, createdTo: NOW + 3 }), sales.slice(1, 3))
    assert.deepEqual(await list(9, sales[1]?.publicId, { createdFrom: NOW + 1 }), sales.slice(2, 3))
    assert.deepEqual(await list(9, undefined, { statuses: ['paid'] }), [])
    assert.deepEqual(await list(9, undefined, { statuses: ['pending'] }), sales)
  })

  test('invoices are found by viewing key and index, and locked in the order of their ids', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [a, b, c] = [await shop.sell(), await shop.sell(), await shop.sell()]
    const positionOf = ({ viewingKeyId, diversifierIndex }: Invoice) => ({ viewingKeyId, diversifierIndex })
    const positions = [
      positionOf(c),
      { viewingKeyId: a.viewingKeyId, diversifierIndex: 99n },
      positionOf(a),
      positionOf(c),
    ]
    assert.deepEqual(await store.read(tx => tx.invoices.byDiversifierIndexes(positions)), [a, c])
    assert.deepEqual(await store.read(tx => tx.invoices.byDiversifierIndexes([])), [])
    assert.deepEqual(await store.read(tx => tx.invoices.byIds([c.id, 999, b.id, c.id])), [b, c])
    assert.deepEqual(await store.write(tx => tx.invoices.lock([c.id, a.id, 999])), [a, c])
  })

  test('more ids than one statement can bind are queried with several statements', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const ids = Array.from({ length: 40_000 }, (_, index) => index + 1)
    assert.deepEqual(await store.read(tx => tx.invoices.byIds(ids)), [invoice])
    const positions = ids.map(id => ({ viewingKeyId: invoice.viewingKeyId, diversifierIndex: BigInt(id - 1) }))
    assert.deepEqual(await store.read(tx => tx.invoices.byDiversifierIndexes(positions)), [invoice])
  })

  test('only pending invoices without an active swap become due, earliest expiry first', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const late = await shop.sell({ expiresAt: NOW + 30 })
    const early = await shop.sell({ expiresAt: NOW + 10 })
    const swapping = await shop.sell({ expiresAt: NOW + 5 })
    const detected = await shop.sell({ expiresAt: NOW + 5 })
    await store.write(tx => tx.invoices.setKeptOpenBySwap(swapping.id, true))
    await store.write(tx => tx.invoices.updateStates([{ ...detected, status: 'detected' }]))
    const due = (through: number, limit = 9, tip = 5) => store.read(tx => tx.invoices.expirable(through, tip, limit))
    const isAnyOverdue = (through: number) => store.query(tx => tx.invoices.isAnyOverdue(through))
    assert.deepEqual(await due(NOW + 9), [])
    assert.deepEqual([await isAnyOverdue(NOW + 9), await isAnyOverdue(NOW + 10)], [false, true])
    assert.deepEqual(await due(NOW + 10), [early.id])
    assert.deepEqual(await due(NOW + 30), [early.id, late.id])
    assert.deepEqual(await due(NOW + 30, 1), [early.id])
    await store.write(tx => tx.invoices.setKeptOpenBySwap(swapping.id, false))
    assert.deepEqual(await due(NOW + 10), [swapping.id, early.id])
    await store.write(tx => tx.invoices.updateStates([{ ...early, openUntilHeight: 6 }]))
    assert.deepEqual(await due(NOW + 10), [swapping.id], 'a payment can still be mined')
    assert.deepEqual(await due(NOW + 10, 9, 6), [swapping.id, early.id])
    assert.deepEqual(await due(early.watchUntil), [swapping.id, early.id, late.id], 'its watch period has ended')
  })

  test('the outcomes of many invoices are written together, each to its own invoice', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoices: Invoice[] = []
    for (let i = 0; i < 3; i++) invoices.push(await shop.sell())
    const untouched = await shop.sell()
    const outcomes = invoices.map((invoice, i) => ({
      ...invoice,
      status: (['expired', 'paid', 'detected'] as const)[i]!,
      receivedZat: BigInt(i),
      txid: i === 0 ? null : 'ab'.repeat(32),
      paidAt: i === 1 ? NOW : null,
    }))
    await store.write(tx => tx.invoices.updateStates(outcomes))
    await store.write(tx => tx.invoices.updateStates([]))
    const read = await store.read(tx => tx.invoices.byIds([...invoices, untouched].map(({ id }) => id)))
    assert.deepEqual(read, [...outcomes, untouched])
  })

  test('an invoice stores the newest recorded block and the newest rewind at its creation', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const first = await shop.sell()
    await store.write(tx => tx.chain.appendHeaders([header(5), header(6)]))
    const second = await shop.sell()
    await store.write(tx => tx.chain.recordRewind(5))
    const third = await shop.sell()
    assert.deepEqual([first.createdHeight, second.createdHeight], [null, 6])
    const [newest] = await store.read(tx => tx.chain.rewinds())
    assert.deepEqual([first.createdRewind, second.createdRewind, third.createdRewind], [0, 0, newest!.id])
    assert.deepEqual(await store.read(tx => tx.invoices.byIds([third.id])), [third])
  })

  test('a new block can confirm only the invoices that wait for its height or a lower one, the lowest first', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const record = (invoice: Invoice, confirmsAtHeight: number) =>
      store.write(tx => tx.invoices.updateStates([{ ...invoice, status: 'detected', confirmsAtHeight }]))
    const [none, later, next, earlier] = [await shop.sell(), await shop.sell(), await shop.sell(), await shop.sell()]
    await record(later, 8)
    await record(next, 7)
    await record(earlier, 6)
    const confirmable = (height: number, limit: number) => store.read(tx => tx.invoices.confirmable(height, limit))
    assert.deepEqual(await confirmable(5, 9), [])
    assert.deepEqual(await confirmable(7, 9), [earlier.id, next.id])
    assert.deepEqual(await confirmable(9, 2), [earlier.id, next.id])
    assert.equal(none.confirmsAtHeight, null)
  })

  test('all fields of an outcome are recorded', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const other = await shop.sell()
    const outcome = {
      status: 'paid',
      receivedZat: MAX_ZAT,
      dueZat: 7n,
      overpaidZat: MAX_ZAT - 5_000n,
      txid: 'ab'.repeat(32),
      paidAt: NOW + 60,
      needsAttention: true,
      openUntilHeight: 7_000_000,
      underpaidAt: NOW + 30,
      lateAt: NOW + 40,
      attentionSince: NOW + 90,
      confirmsAtHeight: 7_000_003,
    } as const
    await store.write(tx => tx.invoices.updateStates([{ id: invoice.id, ...outcome }]))
    assert.deepEqual(await store.read(tx => tx.invoices.byIds([invoice.id, other.id])), [
      { ...invoice, ...outcome },
      other,
    ])
  })
}
