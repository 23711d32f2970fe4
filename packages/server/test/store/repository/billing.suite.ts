import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewPurchase } from '../../../src/ports/repository/billing.ts'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
import type { Engine } from '../databases.ts'
import { freshStore } from '../databases.ts'
import { makeAccount, NOW, openShop } from '../fixtures.ts'

function draft(invoice: Invoice, accountId: number, terms: Partial<NewPurchase> = {}): NewPurchase {
  return {
    invoiceId: invoice.id,
    accountId,
    plan: 'Pro',
    priceZat: 2_100_000_000_000_000n,
    periodDays: 30,
    createdAt: NOW,
    ...terms,
  }
}

export function billingSuite(engine: Engine): void {
  test('a purchase comes back as it was made, open, and then as it was settled', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const buyer = await makeAccount(store)
    const invoice = await shop.sell({ purpose: 'plan' })
    const read = () => store.read(rows => rows.billing.byInvoice(invoice.id))
    assert.equal(await read(), null)
    await store.write(rows => rows.billing.insert(draft(invoice, buyer.id)))
    const open = { ...draft(invoice, buyer.id), status: 'open', settledAt: null, runsUntil: null }
    assert.deepEqual(await read(), open)
    const outcome = { status: 'granted', settledAt: NOW + 1, runsUntil: NOW + 2 } as const
    await store.write(rows => rows.billing.settle(invoice.id, outcome))
    assert.deepEqual(await read(), { ...open, ...outcome })
    assert.equal(await store.glance(rows => rows.billing.countNeedingAttention()), 0)
    await store.write(rows => rows.billing.settle(invoice.id, { ...outcome, status: 'needs_attention' }))
    assert.equal(await store.glance(rows => rows.billing.countNeedingAttention()), 1)
  })

  test("purchases are listed newest first, page by page, and never another account's", async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const [one, other] = [await makeAccount(store), await makeAccount(store)]
    const invoices: Invoice[] = []
    for (const account of [one, one, other, one]) {
      const invoice = await shop.sell({ purpose: 'plan' })
      await store.write(rows => rows.billing.insert(draft(invoice, account.id)))
      invoices.push(invoice)
    }
    const list = async (accountId: number, limit: number, before?: string) =>
      (
        await store.read(rows => rows.billing.list(accountId, { limit, ...(before === undefined ? {} : { before }) }))
      ).map(({ invoiceId }) => invoices.findIndex(({ id }) => id === invoiceId))
    assert.deepEqual(await list(one.id, 10), [3, 1, 0])
    assert.deepEqual(await list(one.id, 2), [3, 1])
    assert.deepEqual(await list(one.id, 2, invoices[1]?.publicId), [0])
    assert.deepEqual(await list(other.id, 10, invoices[3]?.publicId), [])
    assert.deepEqual(await list(other.id, 10), [2])
  })

  test('plans that have ended are found from the second of their end on, the longest ended first', async t => {
    const store = await freshStore(engine, t)
    const accounts = await Promise.all([NOW, NOW - 5, NOW + 1, null].map(() => makeAccount(store)))
    for (const [index, end] of [NOW, NOW - 5, NOW + 1, null].entries())
      await store.write(rows => rows.accounts.setPlan(accounts[index]?.id ?? 0, 'Pro', end))
    const ended = (limit: number) => store.glance(rows => rows.billing.ended(NOW, limit))
    assert.deepEqual(await ended(10), [accounts[1]?.id, accounts[0]?.id])
    assert.deepEqual(await ended(1), [accounts[1]?.id])
  })

  test('an end is unannounced until it is announced, and a later end is another one', async t => {
    const store = await freshStore(engine, t)
    const { id } = await makeAccount(store)
    const end = (at: number) => store.write(rows => rows.accounts.setPlan(id, 'Pro', at))
    const unannounced = () => store.glance(rows => rows.billing.unannounced(NOW, NOW + 100, 10))
    const announce = (at: number) => store.write(rows => rows.billing.announce(id, at))
    await end(NOW + 101)
    assert.deepEqual(await unannounced(), [])
    await end(NOW)
    assert.deepEqual(await unannounced(), [])
    await end(NOW + 100)
    assert.deepEqual(await unannounced(), [id])
    assert.equal(await announce(NOW + 100), true)
    assert.equal(await announce(NOW + 100), false)
    assert.deepEqual(await unannounced(), [])
    await end(NOW + 50)
    assert.deepEqual(await unannounced(), [id])
    assert.equal(await announce(NOW + 50), true)
    assert.deepEqual(await unannounced(), [])
  })

  test('an account held for change is changed by one at a time, and invoices for it need not wait', async t => {
    const store = await freshStore(engine, t)
    const shop = await openShop(store)
    const { id } = shop.account
    const extend = () =>
      store.write(async rows => {
        const account = await rows.accounts.lock(id)
        await rows.accounts.setPlan(id, 'Pro', (account?.planExpiresAt ?? 0) + 1)
      })
    await Promise.all([...Array.from({ length: 20 }, extend), ...Array.from({ length: 20 }, () => shop.sell())])
    assert.equal((await store.read(rows => rows.accounts.byId(id)))?.planExpiresAt, 20)
    assert.equal(await store.write(rows => rows.accounts.lock(-1)), null)
  })
}
