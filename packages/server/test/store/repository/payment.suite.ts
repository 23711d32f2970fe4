import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Place } from '../../../src/domain/invoice.ts'
import type { Invoice, NewPayment } from '../../../src/ports/repository/invoice.ts'
import type { Store } from '../../../src/ports.ts'
import type { Engine } from '../databases.ts'
import { freshStore } from '../databases.ts'
import { NOW, openShop, payment } from '../fixtures.ts'

const MEMPOOL: Place = { at: 'mempool' }
const DROPPED: Place = { at: 'dropped' }
const mined = (height: number): Place => ({ at: 'mined', height })

async function record(store: Store, ...payments: NewPayment[]): Promise<number[]> {
  return store.write(rows => rows.payments.record(payments))
}

async function placesOf(store: Store, invoice: Invoice): Promise<Place[]> {
  const payments = await store.read(rows => rows.payments.ofInvoices([invoice.id]))
  return payments.map(found => found.place)
}

export function paymentSuite(engine: Engine): void {
  test('a payment comes back as it was recorded; a later one has a greater order', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const first = payment(invoice, { outputIndex: 1, valueZat: 2_100_000_000_000_000n, place: mined(7) })
    const second = payment(invoice, { pool: 'orchard', expiryHeight: 40, seenAt: NOW + 1 })
    assert.deepEqual(await record(store, first), [invoice.id])
    assert.deepEqual(await record(store, second), [invoice.id])
    const found = await store.read(rows => rows.payments.ofInvoices([invoice.id, invoice.id, 999]))
    assert.deepEqual(
      found.map(({ order, ...row }) => row),
      [first, second].map(given => ({ ...given, inSnapshot: false, missing: null })),
    )
    assert.ok((found[0]?.order ?? 0) < (found[1]?.order ?? 0))
  })

  const MOVES: [from: Place, to: Place, after: Place, tells: boolean][] = [
    [MEMPOOL, MEMPOOL, MEMPOOL, false],
    [MEMPOOL, mined(5), mined(5), true],
    [mined(5), mined(5), mined(5), false],
    [mined(5), mined(6), mined(6), true],
    [mined(5), MEMPOOL, mined(5), false],
    [DROPPED, MEMPOOL, MEMPOOL, true],
    [DROPPED, mined(5), mined(5), true],
  ]
  for (const [from, to, after, tells] of MOVES) {
    const name = (place: Place) => (place.at === 'mined' ? `mined at ${place.height}` : place.at)
    test(`a payment ${name(from)} and seen ${name(to)} is ${name(after)}, ${tells ? '' : 'not '}a change`, async t => {
      const store = await freshStore(engine, t)
      const shop = await openShop(store)
      const [invoice, other] = [await shop.sell(), await shop.sell()]
      await record(store, payment(other, { txid: 'bb'.repeat(32) }), payment(invoice, { place: from }))
      assert.deepEqual(await record(store, payment(invoice, { place: to })), tells ? [invoice.id] : [])
      assert.deepEqual(await placesOf(store, invoice), [after])
      assert.deepEqual(await placesOf(store, other), [MEMPOOL])
    })
  }

  test('sightings of one payment in one batch are one payment, and being mined weighs more', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const sightings = [MEMPOOL, mined(5), MEMPOOL].map(place => payment(invoice, { place }))
    assert.deepEqual(await record(store, ...sightings), [invoice.id])
    assert.deepEqual(await placesOf(store, invoice), [mined(5)])
  })

  test('neither value nor invoice of a known payment ever change', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const [invoice, other] = [await shop.sell(), await shop.sell()]
    await record(store, payment(invoice))
    const changed = await record(store, payment(other, { valueZat: 1n, place: mined(9), seenAt: NOW + 9 }))
    assert.deepEqual(changed, [invoice.id])
    const [row] = await store.read(rows => rows.payments.ofInvoices([invoice.id]))
    const unchanged = { ...payment(invoice, { place: mined(9) }), inSnapshot: false, missing: null, order: 0 }
    assert.deepEqual({ ...row, order: 0 }, unchanged)
    assert.deepEqual(await placesOf(store, other), [])
  })

  test('an expiry height is learnt once, and kept', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    await record(store, payment(invoice))
    assert.deepEqual(await record(store, payment(invoice, { expiryHeight: 40 })), [invoice.id])
    assert.deepEqual(await record(store, payment(invoice, { expiryHeight: 41 })), [])
    assert.deepEqual(await record(store, payment(invoice, { place: mined(5) })), [invoice.id])
    const [row] = await store.read(rows => rows.payments.ofInvoices([invoice.id]))
    assert.equal(row?.expiryHeight, 40)
  })

  test('a rewind puts back into the mempool what was mined above, and names its invoices once', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const [below, above] = [await shop.sell(), await shop.sell()]
    await record(
      store,
      payment(below, { place: mined(5) }),
      payment(above, { outputIndex: 1, place: mined(6) }),
      payment(above, { outputIndex: 2, place: mined(7) }),
    )
    assert.deepEqual(await store.write(rows => rows.payments.unmineAbove(5)), [above.id])
    assert.deepEqual(await placesOf(store, below), [mined(5)])
    assert.deepEqual(await placesOf(store, above), [MEMPOOL, MEMPOOL])
    assert.deepEqual(await store.write(rows => rows.payments.unmineAbove(5)), [])
  })

  test('transactions are dropped from the mempool alone', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const [gone, safe, waiting] = [await shop.sell(), await shop.sell(), await shop.sell()]
    const [a, b, c] = ['aa', 'bb', 'cc'].map(byte => byte.repeat(32))
    assert.ok(a && b && c)
    await record(store, payment(gone, { txid: a }), payment(safe, { txid: b, place: mined(5) }))
    await record(store, payment(waiting, { txid: c }))
    assert.deepEqual(await store.write(rows => rows.payments.drop([a, b])), [gone.id])
    assert.deepEqual(await store.write(rows => rows.payments.drop([a, b])), [])
    assert.deepEqual(await store.write(rows => rows.payments.drop([])), [])
    assert.deepEqual(await placesOf(store, gone), [DROPPED])
    assert.deepEqual(await placesOf(store, safe), [mined(5)])
    const unmined = await store.read(rows => rows.payments.inMempool())
    assert.deepEqual(
      unmined.map(row => row.invoiceId),
      [waiting.id],
    )
  })

  test('what complete readings hold and lack is kept until the payment moves', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const judged = async () => {
      const [row] = await store.read(rows => rows.payments.ofInvoices([invoice.id]))
      return [row?.inSnapshot, row?.missing, row?.lastSeenHeight]
    }
    await record(store, payment(invoice))
    const order = await store.read(rows => rows.payments.newestOrder())
    assert.deepEqual(await judged(), [false, null, 4])
    await store.write(rows => rows.payments.markPresent([order], 9))
    assert.deepEqual(await judged(), [true, null, 9])
    await store.write(rows => rows.payments.markMissing([order], { since: NOW, height: 12 }))
    assert.deepEqual(await judged(), [false, { since: NOW, height: 12 }, 9])
    await store.write(rows => rows.payments.unmineAbove(10))
    assert.deepEqual(await judged(), [false, { since: NOW, height: 10 }, 9], 'a new block on what is left is awaited')
    await record(store, payment(invoice, { place: mined(13), lastSeenHeight: 13 }))
    assert.deepEqual(await judged(), [false, null, 13])
    await store.write(rows => rows.payments.unmineAbove(10))
    assert.deepEqual(await judged(), [false, null, 13])
  })

  test('a rewind in steps finds the height above which a bounded number of payments lies', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    await record(
      store,
      ...[5, 6, 6, 7, 9].map((at, outputIndex) => payment(invoice, { outputIndex, place: mined(at) })),
    )
    const above = (limit: number, floor: number) => store.read(rows => rows.payments.heightAboveWhich(limit, floor))
    assert.deepEqual([await above(1, 0), await above(2, 0), await above(3, 0), await above(4, 0)], [7, 6, 6, 5])
    assert.deepEqual([await above(5, 0), await above(2, 6), await above(9, 8)], [0, 6, 8])
  })

  test('a batch longer than one statement is recorded whole', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const many = Array.from({ length: 4_000 }, (_, outputIndex) => payment(invoice, { outputIndex }))
    assert.deepEqual(await record(store, ...many), [invoice.id])
    assert.equal((await placesOf(store, invoice)).length, many.length)
  })
}
