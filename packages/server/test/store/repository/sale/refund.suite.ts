import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { NewRefund, Refund, RefundStatus } from '../../../../src/domain/sale/refund.ts'
import type { TimePosition } from '../../../../src/ports/repository/page.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { type DatabaseEngine, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'

const refundOf = (invoice: Invoice, terms: Partial<NewRefund> = {}): NewRefund => ({
  publicId: randomUUID(),
  linkId: randomUUID(),
  accountId: invoice.accountId,
  invoiceId: invoice.id,
  status: 'awaiting_address',
  amountZat: 5n,
  address: null,
  addressFromBuyer: false,
  createdAt: NOW,
  updatedAt: NOW,
  ...terms,
})

const ids = (refunds: readonly Refund[]) => refunds.map(({ publicId }) => publicId)

/** Refunds of one shop, four seconds in turn, each third one canceled; another shop has some as well. */
async function makeRefunds(store: Store) {
  const [shop, other] = [await openShop(store), await openShop(store)]
  const [invoice, foreign] = [await shop.sell(), await other.sell()]
  const made: Refund[] = []
  for (let i = 0; i < 30; i++) {
    const status: RefundStatus = i % 3 === 0 ? 'canceled' : 'awaiting_address'
    const terms = { status, createdAt: NOW + ((i * 3) % 4) }
    made.push(await store.write(tx => tx.refunds.insert(refundOf(invoice, terms), null)))
    if (i % 5 === 0) await store.write(tx => tx.refunds.insert(refundOf(foreign, terms), null))
  }
  return { account: shop.account, made: made.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id) }
}

export function refundSuite(engine: DatabaseEngine): void {
  test('paging returns each refund of a period once, oldest first, and their number', async t => {
    const store = await openEmptyStore(engine, t)
    const { account, made } = await makeRefunds(store)
    const period = { from: NOW + 1, to: NOW + 3 }
    const expected = made.filter(({ createdAt }) => createdAt >= period.from && createdAt < period.to)
    assert.equal(await store.read(tx => tx.refunds.countByTime(account.id, period)), expected.length)
    const canceled = expected.filter(({ status }) => status === 'canceled')
    assert.equal(await store.read(tx => tx.refunds.countByTime(account.id, period, 'canceled')), canceled.length)
    const found = await store.read(tx => tx.refunds.listByTime(account.id, period, null, 100, 'canceled'))
    assert.deepEqual(ids(found), ids(canceled))
    const totals = (max: number, status?: RefundStatus) => store.read(tx => tx.refunds.totals(account.id, status, max))
    assert.deepEqual(await totals(100), { count: made.length, zat: BigInt(made.length) * 5n })
    assert.deepEqual(await totals(4, 'canceled'), { count: 4, zat: 20n })
    for (const limit of [1, 3, 100]) {
      const found: Refund[] = []
      let after: TimePosition | null = null
      for (;;) {
        const position: TimePosition | null = after
        const page: Refund[] = await store.read(tx => tx.refunds.listByTime(account.id, period, position, limit))
        found.push(...page)
        after = page.at(-1) ?? null
        if (page.length < limit) break
      }
      assert.deepEqual(ids(found), ids(expected), `pages of ${limit}`)
    }
  })

  test('paging through the list returns every refund once, newest first, also of one status', async t => {
    const store = await openEmptyStore(engine, t)
    const { account, made } = await makeRefunds(store)
    for (const status of [undefined, 'canceled', 'sent'] as const) {
      const expected = made.filter(refund => status === undefined || refund.status === status).reverse()
      const found: Refund[] = []
      for (;;) {
        const before = found.at(-1)?.publicId
        const page = { limit: 4, ...(before !== undefined && { before }) }
        const refunds = await store.read(tx => tx.refunds.list(account.id, page, status))
        if (refunds.length === 0) break
        found.push(...refunds)
      }
      assert.deepEqual(ids(found), ids(expected), status)
    }
  })
}
