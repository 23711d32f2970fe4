import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dailyTotalChanges } from '../../../../src/domain/sale/daily-total.ts'
import type { Invoice, InvoiceStatus } from '../../../../src/domain/sale/invoice.ts'
import { DAY_SECS, startOfDay } from '../../../../src/domain/time.ts'
import type { TimePosition } from '../../../../src/ports/repository/page.ts'
import type { InvoiceFilter } from '../../../../src/ports/repository/sale/invoice.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { type DatabaseEngine, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'

const TODAY = startOfDay(NOW)

async function setOutcome(store: Store, invoice: Invoice, changes: Partial<Invoice>): Promise<void> {
  await store.write(tx => tx.invoices.updateStates([{ ...invoice, ...changes }]))
}

/** Records a payment as the service does. */
async function pay(store: Store, before: Invoice, paidAt: number, receivedZat: bigint): Promise<void> {
  const after = { ...before, status: 'paid' as const, paidAt, receivedZat }
  await store.write(async tx => {
    await tx.invoices.updateStates([after])
    await tx.dashboard.addToDailyTotals(dailyTotalChanges([{ before, after }]))
  })
}

const ids = (invoices: readonly Invoice[]) => invoices.map(invoice => invoice.publicId)

export function dashboardSuite(engine: DatabaseEngine): void {
  test('paid amounts are summed by the day of payment, for the sales of this account only', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const paid = async (paidAt: number, receivedZat: bigint, invoice: Promise<Invoice>) =>
      pay(store, await invoice, paidAt, receivedZat)
    await paid(TODAY - 1, 1n, shop.sell())
    await paid(TODAY, 10n, shop.sell())
    await paid(TODAY + DAY_SECS - 1, 2_000_000_000_000_000n, shop.sell())
    await paid(TODAY + DAY_SECS, 5n, shop.sell())
    await paid(TODAY, 100n, shop.sell({ purpose: 'plan' }))
    await paid(TODAY, 1_000n, other.sell())
    await shop.sell()
    const days = await store.read(tx => tx.dashboard.paidByDay(shop.account.id, TODAY + 5))
    assert.deepEqual(days, [
      { day: TODAY, receivedZat: 2_000_000_000_000_010n, refundedZat: 0n, invoices: 2 },
      { day: TODAY + DAY_SECS, receivedZat: 5n, refundedZat: 0n, invoices: 1 },
    ])
  })

  test('a deleted account has no sums, also when a reorganisation changes its invoices later', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const [paid, changed] = [await shop.sell(), await shop.sell()]
    await pay(store, paid, TODAY, 10n)
    while (await store.write(tx => tx.accountDeletions.eraseHistory(shop.account.id, 100)));
    await store.write(tx => tx.accountDeletions.erase(shop.account, 'deleted', NOW))
    await pay(store, changed, TODAY, 7n)
    await pay(store, await other.sell(), TODAY, 5n)
    const sums = (account: { id: number }) => store.read(tx => tx.dashboard.paidByDay(account.id, TODAY))
    assert.deepEqual(await sums(shop.account), [])
    assert.deepEqual(await sums(other.account), [{ day: TODAY, receivedZat: 5n, refundedZat: 0n, invoices: 1 }])
  })

  test('overpaid invoices are listed newest first, and counted from the time at which they were paid', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const [exact, first, second, open] = [await shop.sell(), await shop.sell(), await shop.sell(), await shop.sell()]
    await setOutcome(store, exact, { status: 'paid', paidAt: NOW })
    await setOutcome(store, first, { status: 'paid', paidAt: NOW - 1, overpaidZat: 1n })
    await setOutcome(store, second, { status: 'paid', paidAt: NOW, overpaidZat: 2n })
    // Not confirmed yet.
    await setOutcome(store, open, { status: 'detected', overpaidZat: 3n })
    await setOutcome(store, await other.sell(), { status: 'paid', paidAt: NOW, overpaidZat: 4n })
    const list = async (from: number, limit = 10) =>
      ids(await store.read(tx => tx.dashboard.overpaid(shop.account.id, from, limit)))
    const count = (from: number) => store.read(tx => tx.dashboard.countOverpaid(shop.account.id, from, 10))
    assert.deepEqual([await list(NOW - 1), await count(NOW - 1)], [ids([second, first]), 2])
    assert.deepEqual([await list(NOW), await count(NOW)], [ids([second]), 1])
    assert.deepEqual(await list(NOW - 1, 1), ids([second]))
    const page = await store.read(tx => tx.invoices.list(shop.account.id, { limit: 2 }, { overpaid: true }))
    const before = page.at(-1)?.publicId
    assert.ok(before)
    const rest = await store.read(tx => tx.invoices.list(shop.account.id, { limit: 2, before }, { overpaid: true }))
    assert.deepEqual([ids(page), ids(rest)], [ids([open, second]), ids([first])])
  })

  test('part-paid, late and canceled invoices are listed newest first; late ones are counted from their time', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const [part, paid, first, second] = [await shop.sell(), await shop.sell(), await shop.sell(), await shop.sell()]
    await setOutcome(store, part, { receivedZat: 1n, dueZat: 9n })
    // Within the tolerance, or part of it was removed later.
    await setOutcome(store, paid, { status: 'paid', paidAt: NOW, receivedZat: 1n, dueZat: 9n })
    await setOutcome(store, first, { status: 'underpaid', receivedZat: 1n, dueZat: 9n, lateAt: NOW - 1 })
    await setOutcome(store, second, { status: 'paid', paidAt: NOW, receivedZat: 10n, dueZat: 0n, lateAt: NOW })
    await setOutcome(store, await other.sell(), { status: 'paid', receivedZat: 10n, dueZat: 0n, lateAt: NOW })
    await store.write(tx => tx.invoices.cancel(second.id, NOW))
    const list = async (filter: InvoiceFilter, before?: string) =>
      ids(await store.read(tx => tx.invoices.list(shop.account.id, { limit: 9, ...(before && { before }) }, filter)))
    assert.deepEqual(await list({ partPaid: true }), ids([first, part]))
    assert.deepEqual(await list({ partPaid: true }, first.publicId), ids([part]))
    assert.deepEqual(await list({ late: true }), ids([second, first]))
    assert.deepEqual(await list({ canceled: true }), ids([second]))
    const late = async (from: number) => ids(await store.read(tx => tx.dashboard.late(shop.account.id, from, 10)))
    const count = (from: number) => store.read(tx => tx.dashboard.countLate(shop.account.id, from, 10))
    assert.deepEqual([await late(NOW - 1), await count(NOW - 1)], [ids([second, first]), 2])
    assert.deepEqual([await late(NOW), await count(NOW)], [ids([second]), 1])
  })

  test('invoices are counted by status from a given time, and those needing attention are listed newest first', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    await shop.sell({ createdAt: NOW - 1 })
    const second = await shop.sell({ createdAt: NOW })
    const third = await shop.sell({ createdAt: NOW + 1 })
    await setOutcome(store, second, { needsAttention: true })
    await setOutcome(store, third, { status: 'underpaid', needsAttention: true })
    await other.sell()
    const count = (status: InvoiceStatus, from: number) =>
      store.read(tx => tx.dashboard.countByStatus(shop.account.id, status, from, 10))
    assert.deepEqual(
      [await count('pending', 0), await count('pending', NOW), await count('underpaid', 0), await count('paid', 0)],
      [2, 1, 1, 0],
    )
    assert.deepEqual(
      ids(await store.read(tx => tx.dashboard.needingAttention(shop.account.id, 10))),
      ids([third, second]),
    )
    assert.deepEqual(await store.read(tx => tx.dashboard.needingAttention(other.account.id, 10)), [])
    const countAttention = (accountId: number) => store.read(tx => tx.dashboard.countNeedingAttention(accountId, 10))
    assert.deepEqual([await countAttention(shop.account.id), await countAttention(other.account.id)], [2, 0])
    const { id } = shop.account
    assert.equal(await store.read(tx => tx.dashboard.countByStatus(id, 'pending', 0, 1)), 1, 'no more than asked for')
    assert.equal(await store.read(tx => tx.dashboard.countNeedingAttention(id, 1)), 1)
    const listed = (before?: string) =>
      store.read(tx =>
        tx.invoices.list(shop.account.id, { limit: 1, ...(before && { before }) }, { needsAttention: true }),
      )
    assert.deepEqual(ids(await listed()), ids([third]))
    assert.deepEqual(ids(await listed(third.publicId)), ids([second]))
    assert.deepEqual(await listed(second.publicId), [])
  })

  test('an account finds its invoice by a prefix of its id or of the id of a paying transaction', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const invoice = await shop.sell({ publicId: 'abcdef01-2345-4678-9abc-def012345678' })
    await shop.sell({ publicId: 'abcdeg01-2345-4678-9abc-def012345678' })
    const txid = 'fedcba98'.padEnd(64, '7')
    const location = { at: 'mempool' } as const
    await store.write(tx =>
      tx.payments.upsert(
        [0, 1].map(outputIndex => ({
          invoiceId: invoice.id,
          txid,
          pool: 'orchard' as const,
          outputIndex,
          valueZat: 1n,
          location,
          expiryHeight: null,
          seenAt: NOW,
          lastSeenHeight: 0,
        })),
      ),
    )
    const byId = (account: number, prefix: string) => store.read(tx => tx.dashboard.byIdPrefix(account, prefix, 10))
    const byTxid = (account: number, prefix: string) => store.read(tx => tx.dashboard.byTxidPrefix(account, prefix, 10))
    for (const prefix of ['abcdef', 'abcdef01-', 'abcdef01-2345-4678-9abc-def012345678'])
      assert.deepEqual(ids(await byId(shop.account.id, prefix)), [invoice.publicId], prefix)
    for (const prefix of ['fedcba', txid])
      assert.deepEqual(ids(await byTxid(shop.account.id, prefix)), [invoice.publicId], prefix)
    for (const prefix of ['abcdee', 'abcdef02', 'bcdef0']) assert.deepEqual(await byId(shop.account.id, prefix), [])
    assert.deepEqual(await byId(other.account.id, 'abcdef'), [])
    assert.deepEqual(await byTxid(other.account.id, 'fedcba'), [])
  })

  test('invoices are found by the beginning of their order, as it is written, in its order', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    for (const orderId of ['10', '1', 'ä-1', '100', '2', 'A', 'a', '10%', '10_', '😀1']) await shop.sell({ orderId })
    await shop.sell()
    await other.sell({ orderId: '10' })
    const find = async (prefix: string, limit = 10) =>
      (await store.read(tx => tx.dashboard.byOrderPrefix(shop.account.id, prefix, limit))).map(({ orderId }) => orderId)
    assert.deepEqual(await find('1'), ['1', '10', '10%', '100', '10_'])
    assert.deepEqual(await find('1', 2), ['1', '10'])
    assert.deepEqual(await find('10%'), ['10%'])
    assert.deepEqual(await find('a'), ['a'])
    assert.deepEqual(await find('ä'), ['ä-1'])
    assert.deepEqual(await find('😀'), ['😀1'])
    assert.deepEqual(await find('3'), [])
  })

  test('the viewing keys that an account has used are listed once, the newest first', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const first = shop.viewingKey.id
    const second = other.viewingKey.id
    for (const key of [first, second, first]) await store.write(tx => tx.accounts.setViewingKey(shop.account.id, key))
    const keys = (account: number, limit: number) => store.read(tx => tx.dashboard.viewingKeys(account, limit))
    const expected = [shop.viewingKey, other.viewingKey].map(({ id, sealed }) => ({ id, sealed: Buffer.from(sealed) }))
    const known = (await keys(shop.account.id, 10)).map(({ id, sealed }) => ({ id, sealed: Buffer.from(sealed) }))
    assert.deepEqual(known, expected.toReversed())
    assert.deepEqual(
      (await keys(shop.account.id, 1)).map(({ id }) => id),
      [second],
    )
    assert.deepEqual(await keys(other.account.id, 10), [])
  })

  test('paging in order returns each sale of a period once, even with many sales in one second', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const made: Invoice[] = []
    for (let i = 0; i < 40; i++) {
      made.push(await shop.sell({ createdAt: NOW + ((i * 7) % 5) }))
      if (i % 4 === 0) await other.sell()
      if (i % 5 === 0) await shop.sell({ purpose: 'withdrawal', createdAt: NOW + 2 })
    }
    const period = { from: NOW + 1, to: NOW + 4 }
    const expected = made
      .filter(({ createdAt }) => createdAt >= period.from && createdAt < period.to)
      .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)
    for (const limit of [1, 3, 7, 100]) {
      const found: Invoice[] = []
      let after: TimePosition | null = null
      for (;;) {
        const position: TimePosition | null = after
        const page: Invoice[] = await store.read(tx =>
          tx.dashboard.listByTime(shop.account.id, period, position, limit),
        )
        found.push(...page)
        after = page.at(-1) ?? null
        if (page.length < limit) break
      }
      assert.deepEqual(ids(found), ids(expected), `pages of ${limit}`)
    }
  })

  test('paging through the filtered list returns all invoices, newest first', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const made: Invoice[] = []
    for (let i = 0; i < 30; i++) {
      const invoice = await shop.sell({ createdAt: NOW + ((i * 3) % 4) })
      made.push(invoice)
      if (i % 3 === 0) await setOutcome(store, invoice, { status: 'expired' })
    }
    const filter = { statuses: ['expired'] as const, createdFrom: NOW + 1, createdTo: NOW + 3 }
    const expected = made
      .filter((invoice, i) => i % 3 === 0 && invoice.createdAt >= NOW + 1 && invoice.createdAt < NOW + 3)
      .toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id)
    const found: Invoice[] = []
    for (;;) {
      const before = found.at(-1)?.publicId
      const page = await store.read(tx =>
        tx.invoices.list(shop.account.id, { limit: 2, ...(before === undefined ? {} : { before }) }, filter),
      )
      if (page.length === 0) break
      found.push(...page)
    }
    assert.deepEqual(ids(found), ids(expected))
  })
}
