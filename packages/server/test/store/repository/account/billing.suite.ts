import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { NewPurchase } from '../../../../src/ports/repository/account/billing.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount, NOW, openShop } from '../../../harness/fixtures.ts'

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

export function billingSuite(engine: DatabaseEngine): void {
  test('a purchase reads back as inserted, open, and then with its outcome', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const buyer = await makeAccount(store)
    const invoice = await shop.sell({ purpose: 'plan' })
    const read = () => store.read(tx => tx.billing.byInvoice(invoice.id))
    assert.equal(await read(), null)
    await store.write(tx => tx.billing.insert(draft(invoice, buyer.id)))
    const open = { ...draft(invoice, buyer.id), status: 'open', decidedAt: null, grantedUntil: null }
    assert.deepEqual(await read(), open)
    const outcome = { status: 'granted', decidedAt: NOW + 1, grantedUntil: NOW + 2 } as const
    await store.write(tx => tx.billing.update(invoice.id, outcome))
    assert.deepEqual(await read(), { ...open, ...outcome })
    assert.equal(await store.query(tx => tx.billing.countNeedingAttention()), 0)
    await store.write(tx => tx.billing.update(invoice.id, { ...outcome, status: 'needs_attention' }))
    assert.equal(await store.query(tx => tx.billing.countNeedingAttention()), 1)
  })

  test("purchases are listed newest first, in pages, without another account's purchases", async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [one, other] = [await makeAccount(store), await makeAccount(store)]
    const invoices: Invoice[] = []
    for (const account of [one, one, other, one]) {
      const invoice = await shop.sell({ purpose: 'plan' })
      await store.write(tx => tx.billing.insert(draft(invoice, account.id)))
      invoices.push(invoice)
    }
    const list = async (accountId: number, limit: number, before?: string) =>
      (await store.read(tx => tx.billing.list(accountId, { limit, ...(before === undefined ? {} : { before }) }))).map(
        ({ invoiceId }) => invoices.findIndex(({ id }) => id === invoiceId),
      )
    assert.deepEqual(await list(one.id, 10), [3, 1, 0])
    assert.deepEqual(await list(one.id, 2), [3, 1])
    assert.deepEqual(await list(one.id, 2, invoices[1]?.publicId), [0])
    await assert.rejects(list(other.id, 10, invoices[3]?.publicId), { code: 'invalid_before' })
    assert.deepEqual(await list(other.id, 10), [2])
  })

  test('expired plans are found from the second of their expiry, the earliest expired first', async t => {
    const store = await openEmptyStore(engine, t)
    const accounts = await Promise.all([NOW, NOW - 5, NOW + 1, null].map(() => makeAccount(store)))
    for (const [index, end] of [NOW, NOW - 5, NOW + 1, null].entries())
      await store.write(tx => tx.accounts.setPlan(accounts[index]?.id ?? 0, 'Pro', end))
    const ended = (limit: number) => store.query(tx => tx.billing.accountsWithEndedPlan(NOW, limit))
    assert.deepEqual(await ended(10), [accounts[1]?.id, accounts[0]?.id])
    assert.deepEqual(await ended(1), [accounts[1]?.id])
  })

  test('a plan expiry is listed until its reminder is recorded, and another expiry is listed again', async t => {
    const store = await openEmptyStore(engine, t)
    const { id } = await makeAccount(store)
    const end = (at: number) => store.write(tx => tx.accounts.setPlan(id, 'Pro', at))
    const unannounced = () => store.query(tx => tx.billing.accountsToRemind(NOW, NOW + 100, 10))
    const announce = (at: number) => store.write(tx => tx.billing.recordReminder(id, at))
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

  test('a locked account is changed by one transaction at a time, and its new invoices do not wait', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const { id } = shop.account
    const extend = () =>
      store.write(async tx => {
        const account = await tx.accounts.lock(id)
        await tx.accounts.setPlan(id, 'Pro', (account?.planExpiresAt ?? 0) + 1)
      })
    await Promise.all([...Array.from({ length: 20 }, extend), ...Array.from({ length: 20 }, () => shop.sell())])
    assert.equal((await store.read(tx => tx.accounts.byId(id)))?.planExpiresAt, 20)
    assert.equal(await store.write(tx => tx.accounts.lock(-1)), null)
  })
}
