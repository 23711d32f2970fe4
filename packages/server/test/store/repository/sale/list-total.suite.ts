import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { Page } from '../../../../src/ports/repository/page.ts'
import type { InvoiceFilter } from '../../../../src/ports/repository/sale/invoice.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { type DatabaseEngine, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'

const MAX_INT64 = 2n ** 63n - 1n

const ids = (invoices: readonly Invoice[]) => invoices.map(({ publicId }) => publicId)

async function setOutcome(store: Store, invoice: Invoice, changes: Partial<Invoice>): Promise<void> {
  await store.write(tx => tx.invoices.updateStates([{ ...invoice, ...changes }]))
}

/** The lists of a dashboard: pages in both directions, and the totals of a filter. */
export function listTotalSuite(engine: DatabaseEngine): void {
  test('the page after an invoice has the nearest newer ones, newest first, with each kind of filter', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const made: Invoice[] = []
    for (let i = 0; i < 6; i++) made.push(await shop.sell({ createdAt: NOW + Math.floor(i / 2) }))
    await setOutcome(store, made[1]!, { status: 'paid', paidAt: NOW })
    await setOutcome(store, made[4]!, { status: 'paid', paidAt: NOW })
    const [a, b, c, d, e, f] = ids(made)
    const list = async (page: Omit<Page, 'limit'>, filter: InvoiceFilter = {}, limit = 2) =>
      ids(await store.read(tx => tx.invoices.list(shop.account.id, { limit, ...page }, filter)))
    assert.deepEqual(await list({ after: a! }), [c, b])
    assert.deepEqual(await list({ after: d! }), [f, e])
    assert.deepEqual(await list({ after: f! }), [])
    assert.deepEqual(await list({ after: a! }, { statuses: ['paid'] }), [e, b])
    assert.deepEqual(await list({ after: b! }, { statuses: ['paid', 'pending'] }), [d, c])
    assert.deepEqual(await list({ after: a! }, { createdFrom: NOW + 1, createdTo: NOW + 2 }), [d, c])
    await assert.rejects(() => list({ after: randomUUID() }), { code: 'invalid_after' })
  })

  test('the newest invoices of a filter are counted and their amounts summed, also beyond 64 bits', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const totals = (filter: InvoiceFilter, max: number) =>
      store.read(tx => tx.dashboard.totals(shop.account.id, filter, max))
    assert.deepEqual(await totals({}, 9), { count: 0, zat: 0n })
    for (const [index, receivedZat] of [7n, 5n, 3n].entries())
      await setOutcome(store, await shop.sell({ createdAt: NOW + index }), { status: 'paid', paidAt: NOW, receivedZat })
    await setOutcome(store, await other.sell(), { status: 'paid', paidAt: NOW, receivedZat: 100n })
    await shop.sell({ createdAt: NOW + 1 })
    assert.deepEqual(await totals({}, 9), { count: 4, zat: 15n })
    assert.deepEqual(await totals({ statuses: ['paid'] }, 2), { count: 2, zat: 8n })
    assert.deepEqual(await totals({ createdFrom: NOW + 1, createdTo: NOW + 2 }, 9), { count: 2, zat: 5n })
    for (let i = 0; i < 3; i++)
      await setOutcome(store, await shop.sell({ createdAt: NOW + 9 }), { receivedZat: MAX_INT64 })
    assert.deepEqual(await totals({ createdFrom: NOW + 9 }, 9), { count: 3, zat: 3n * MAX_INT64 })
  })

  test('an export of a filter lists and counts only its invoices', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [first, second] = [await shop.sell(), await shop.sell()]
    await setOutcome(store, second, { status: 'paid', paidAt: NOW, overpaidZat: 1n })
    const period = { from: 0, to: NOW + 1 }
    const listed = async (filter?: InvoiceFilter) =>
      ids(await store.read(tx => tx.dashboard.listByTime(shop.account.id, period, null, 9, filter)))
    assert.deepEqual(await listed(), ids([first, second]))
    assert.deepEqual(await listed({ overpaid: true }), ids([second]))
    const count = (filter?: InvoiceFilter) =>
      store.read(tx => tx.dashboard.countByTime(shop.account.id, period, filter))
    assert.deepEqual([await count(), await count({ statuses: ['pending'] })], [2, 1])
  })

  test('what was refunded needs no more attention: overpaid, late and underpaid invoices', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const over = await shop.sell()
    const under = await shop.sell()
    await setOutcome(store, over, { status: 'paid', paidAt: NOW, receivedZat: 9n, overpaidZat: 2n, lateAt: NOW })
    await setOutcome(store, under, { status: 'underpaid', receivedZat: 4n, dueZat: 5n })
    const counts = () =>
      store.read(async ({ dashboard }) => [
        await dashboard.countOverpaid(shop.account.id, 0, 9),
        await dashboard.countLate(shop.account.id, 0, 9),
        await dashboard.countUnderpaid(shop.account.id, 0, 9),
      ])
    assert.deepEqual(await counts(), [1, 1, 1])
    await store.write(tx => tx.invoices.setRefunded(over.id, 2n))
    assert.deepEqual(await counts(), [0, 1, 1])
    await store.write(tx => tx.invoices.setRefunded(over.id, 9n))
    await store.write(tx => tx.invoices.setRefunded(under.id, 4n))
    assert.deepEqual(await counts(), [0, 0, 0])
  })

  test('prices are added to the sums of their day and currency, and are deleted with the account', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const { id: accountId } = shop.account
    const change = { accountId, day: 86_400, currency: 'EUR', invoices: 1, units: 250n, amountZat: 7n }
    await store.write(tx =>
      tx.dashboard.addToDailyPrices([
        change,
        { ...change, currency: 'USD' },
        { ...change, accountId: other.account.id },
      ]),
    )
    await store.write(tx => tx.dashboard.addToDailyPrices([change, { ...change, day: 172_800, invoices: 0 }]))
    const read = (from: number, id = accountId) => store.read(tx => tx.dashboard.pricesByDay(id, from))
    assert.deepEqual(await read(90_000), [
      { day: 86_400, currency: 'EUR', invoices: 2, units: 500n, amountZat: 14n },
      { day: 86_400, currency: 'USD', invoices: 1, units: 250n, amountZat: 7n },
    ])
    assert.deepEqual(await read(172_800), [])
    await store.write(tx => tx.accountDeletions.erase(shop.account, 'deleted', NOW))
    await store.write(tx => tx.dashboard.addToDailyPrices([change]))
    assert.deepEqual([await read(0), (await read(0, other.account.id)).length], [[], 1])
  })
}
