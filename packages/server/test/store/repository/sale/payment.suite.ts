import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { PaymentLocation } from '../../../../src/domain/sale/payment.ts'
import type { NewPayment } from '../../../../src/ports/repository/sale/payment.ts'
import type { Store } from '../../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop, payment } from '../../../harness/fixtures.ts'
import { paymentsOf } from '../../../harness/payments.ts'

const MEMPOOL: PaymentLocation = { at: 'mempool' }
const DROPPED: PaymentLocation = { at: 'dropped' }
const mined = (height: number): PaymentLocation => ({ at: 'mined', height })

async function record(store: Store, ...payments: NewPayment[]): Promise<number[]> {
  return store.write(tx => tx.payments.upsert(payments))
}

async function locationsOf(store: Store, invoice: Invoice): Promise<PaymentLocation[]> {
  const payments = await store.read(tx => paymentsOf(tx, [invoice.id]))
  return payments.map(item => item.location)
}

export function paymentSuite(engine: DatabaseEngine): void {
  test('a payment reads back as recorded, and a later one has a greater order', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const first = payment(invoice, { outputIndex: 1, valueZat: 2_100_000_000_000_000n, location: mined(7) })
    const second = payment(invoice, { pool: 'orchard', expiryHeight: 40, seenAt: NOW + 1 })
    assert.deepEqual(await record(store, first), [invoice.id])
    assert.deepEqual(await record(store, second), [invoice.id])
    const found = await store.read(tx => paymentsOf(tx, [invoice.id, invoice.id, 999]))
    assert.deepEqual(
      found.map(({ seq, ...row }) => row),
      [first, second].map(given => ({ ...given, inSnapshot: false, awaitsWitness: false, missing: null })),
    )
    assert.ok((found[0]?.seq ?? 0) < (found[1]?.seq ?? 0))
  })

  const TRANSITIONS: [from: PaymentLocation, to: PaymentLocation, after: PaymentLocation, changes: boolean][] = [
    [MEMPOOL, MEMPOOL, MEMPOOL, false],
    [MEMPOOL, mined(5), mined(5), true],
    [mined(5), mined(5), mined(5), false],
    [mined(5), mined(6), mined(6), true],
    [mined(5), MEMPOOL, mined(5), false],
    [DROPPED, MEMPOOL, MEMPOOL, true],
    [DROPPED, mined(5), mined(5), true],
  ]
  for (const [from, to, after, changes] of TRANSITIONS) {
    const name = (place: PaymentLocation) => (place.at === 'mined' ? `mined at ${place.height}` : place.at)
    test(`a payment recorded as ${name(from)} and observed as ${name(to)} is ${name(after)}, ${changes ? '' : 'not '}a change`, async t => {
      const store = await openEmptyStore(engine, t)
      const shop = await openShop(store)
      const [invoice, other] = [await shop.sell(), await shop.sell()]
      await record(store, payment(other, { txid: 'bb'.repeat(32) }), payment(invoice, { location: from }))
      assert.deepEqual(await record(store, payment(invoice, { location: to })), changes ? [invoice.id] : [])
      assert.deepEqual(await locationsOf(store, invoice), [after])
      assert.deepEqual(await locationsOf(store, other), [MEMPOOL])
    })
  }

  test('several observations of a payment in one batch are one payment, and a mined one wins', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const observations = [MEMPOOL, mined(5), MEMPOOL].map(location => payment(invoice, { location }))
    assert.deepEqual(await record(store, ...observations), [invoice.id])
    assert.deepEqual(await locationsOf(store, invoice), [mined(5)])
  })

  test('the value and the invoice of a known payment never change', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [invoice, other] = [await shop.sell(), await shop.sell()]
    await record(store, payment(invoice))
    const changed = await record(store, payment(other, { valueZat: 1n, location: mined(9), seenAt: NOW + 9 }))
    assert.deepEqual(changed, [invoice.id])
    const [row] = await store.read(tx => paymentsOf(tx, [invoice.id]))
    const unchanged = {
      ...payment(invoice, { location: mined(9) }),
      inSnapshot: false,
      awaitsWitness: false,
      missing: null,
      seq: 0,
    }
    assert.deepEqual({ ...row, seq: 0 }, unchanged)
    assert.deepEqual(await locationsOf(store, other), [])
  })

  test('an expiry height is set once and kept', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    await record(store, payment(invoice))
    assert.deepEqual(await record(store, payment(invoice, { expiryHeight: 40 })), [invoice.id])
    assert.deepEqual(await record(store, payment(invoice, { expiryHeight: 41 })), [])
    assert.deepEqual(await record(store, payment(invoice, { location: mined(5) })), [invoice.id])
    const [row] = await store.read(tx => paymentsOf(tx, [invoice.id]))
    assert.equal(row?.expiryHeight, 40)
  })

  test('a rewind moves payments above the height to the mempool and returns their invoices once', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [below, above] = [await shop.sell(), await shop.sell()]
    await record(
      store,
      payment(below, { location: mined(5) }),
      payment(above, { outputIndex: 1, location: mined(6) }),
      payment(above, { outputIndex: 2, location: mined(7) }),
    )
    assert.deepEqual(await store.write(tx => tx.payments.unmineAbove(5)), [above.id])
    assert.deepEqual(await locationsOf(store, below), [mined(5)])
    assert.deepEqual(await locationsOf(store, above), [MEMPOOL, MEMPOOL])
    assert.deepEqual(await store.write(tx => tx.payments.unmineAbove(5)), [])
  })

  test('only transactions in the mempool are dropped', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [gone, safe, waiting] = [await shop.sell(), await shop.sell(), await shop.sell()]
    const [a, b, c] = ['aa', 'bb', 'cc'].map(byte => byte.repeat(32))
    assert.ok(a && b && c)
    await record(store, payment(gone, { txid: a }), payment(safe, { txid: b, location: mined(5) }))
    await record(store, payment(waiting, { txid: c }))
    assert.deepEqual(await store.write(tx => tx.payments.markDropped([a, b])), [gone.id])
    assert.deepEqual(await store.write(tx => tx.payments.markDropped([a, b])), [])
    assert.deepEqual(await store.write(tx => tx.payments.markDropped([])), [])
    assert.deepEqual(await locationsOf(store, gone), [DROPPED])
    assert.deepEqual(await locationsOf(store, safe), [mined(5)])
    const unmined = await store.read(tx => tx.payments.listMempool(9, null))
    assert.deepEqual(
      unmined.map(row => row.invoiceId),
      [waiting.id],
    )
  })

  test('a rewind moves where a payment was last seen to its block, and the wait of a missing one to the new tip', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [a, b] = ['aa', 'bb'].map(byte => byte.repeat(32)) as [string, string]
    const invoice = await shop.sell()
    await record(store, payment(invoice, { txid: a, location: mined(9), lastSeenHeight: 4 }))
    await record(store, payment(invoice, { txid: b }))
    const missing = await store.read(tx => tx.payments.lastSeq())
    await store.write(tx => tx.payments.markMissing([missing], { since: NOW, height: 12 }))
    await store.write(tx => tx.payments.unmineAbove(8))
    await store.write(tx => tx.payments.lowerMissingHeights(8, 9))
    const rows = await store.read(tx => paymentsOf(tx, [invoice.id]))
    assert.deepEqual(
      rows.map(row => [row.txid, row.lastSeenHeight, row.missing]),
      [
        [a, 9, null],
        [b, 4, { since: NOW, height: 8 }],
      ],
    )
  })

  test('the results of complete mempool snapshots are kept until the payment changes location', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const snapshotState = async () => {
      const [row] = await store.read(tx => paymentsOf(tx, [invoice.id]))
      return [row?.inSnapshot, row?.missing, row?.lastSeenHeight]
    }
    await record(store, payment(invoice))
    const order = await store.read(tx => tx.payments.lastSeq())
    assert.deepEqual(await snapshotState(), [false, null, 4])
    await store.write(tx => tx.payments.markPresent([order], 9))
    assert.deepEqual(await snapshotState(), [true, null, 9])
    await store.write(tx => tx.payments.markAbsent([order]))
    assert.deepEqual(await snapshotState(), [false, null, 9])
    await store.write(tx => tx.payments.markMissing([order], { since: NOW, height: 12 }))
    assert.deepEqual(await snapshotState(), [false, { since: NOW, height: 12 }, 9])
    assert.deepEqual(
      [await store.write(tx => tx.payments.lowerMissingHeights(10, 9)), await snapshotState()],
      [1, [false, { since: NOW, height: 10 }, 9]],
      'waits for a new block on the remaining chain',
    )
    assert.deepEqual(
      [await store.write(tx => tx.payments.lowerMissingHeights(10, 9)), await snapshotState()],
      [0, [false, { since: NOW, height: 10 }, 9]],
    )
    await record(store, payment(invoice, { location: mined(13), lastSeenHeight: 13 }))
    assert.deepEqual(await snapshotState(), [false, null, 13])
    await store.write(tx => tx.payments.unmineAbove(10))
    assert.deepEqual(await snapshotState(), [false, null, 13])
  })

  test('a stepwise rewind finds the height above which at most the given number of payments lies', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    await record(
      store,
      ...[5, 6, 6, 7, 9].map((height, outputIndex) => payment(invoice, { outputIndex, location: mined(height) })),
    )
    const above = (limit: number, floor: number) => store.read(tx => tx.payments.lowestHeightWithAtMost(limit, floor))
    assert.deepEqual([await above(1, 0), await above(2, 0), await above(3, 0), await above(4, 0)], [7, 6, 6, 5])
    assert.deepEqual([await above(5, 0), await above(2, 6), await above(9, 8)], [0, 6, 8])
  })

  test('a batch longer than one statement is recorded completely', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const many = Array.from({ length: 4_000 }, (_, outputIndex) => payment(invoice, { outputIndex }))
    assert.deepEqual(await record(store, ...many), [invoice.id])
    assert.equal((await locationsOf(store, invoice)).length, many.length)
  })
}
