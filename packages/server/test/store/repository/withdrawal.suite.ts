import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
import type { NewWithdrawal, WithdrawalUpdate } from '../../../src/ports/repository/withdrawal.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { openEmptyStore } from '../../harness/databases.ts'
import { makeAccount, NOW, openShop, type Shop } from '../../harness/fixtures.ts'

function draft(invoice: Invoice, accountId: number): NewWithdrawal {
  return {
    invoiceId: invoice.id,
    publicId: randomUUID(),
    accountId,
    amountZat: 2_100_000_000_000_000n,
    fiatCurrency: 'EUR',
    fiatAmount: '25668510000.00',
    rate: '1222.31',
    sealedPayoutTo: Uint8Array.of(1, 2, 3),
    createdAt: NOW,
  }
}

async function order(store: Store, shop: Shop, accountId: number): Promise<NewWithdrawal> {
  const invoice = await shop.sell({ purpose: 'withdrawal' })
  const withdrawal = draft(invoice, accountId)
  await store.write(tx => tx.withdrawals.insert(withdrawal))
  return withdrawal
}

const PROCESSING: WithdrawalUpdate = {
  status: 'payout_processing',
  receivedZat: 2_100_000_000_000_000n,
  receivedAtCloseZat: null,
  reference: null,
  reason: null,
  payoutDueAt: NOW + 10,
  activePayout: null,
  closedBy: null,
  updatedAt: NOW + 10,
}

export function withdrawalSuite(engine: DatabaseEngine): void {
  test('an order reads back as inserted, and then with its recorded outcome', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const { id: accountId } = await makeAccount(store)
    const made = await order(store, shop, accountId)
    const { invoiceId, publicId } = made
    const read = () => store.read(tx => tx.withdrawals.byInvoice(invoiceId))
    const inserted = {
      ...made,
      status: 'awaiting_deposit',
      receivedZat: 0n,
      receivedAtCloseZat: null,
      reference: null,
      reason: null,
      payoutDueAt: null,
      activePayout: null,
      closedBy: null,
      updatedAt: NOW,
    }
    const plain = async () => {
      const found = await read()
      return found && { ...found, sealedPayoutTo: Uint8Array.from(found.sealedPayoutTo) }
    }
    assert.deepEqual(await plain(), inserted)
    const outcome = {
      ...PROCESSING,
      status: 'completed',
      receivedAtCloseZat: 7n,
      reference: 'r',
      reason: 's',
      activePayout: { provider: 'p', since: NOW },
      closedBy: 'operator',
    } as const
    await store.write(tx => tx.withdrawals.update(invoiceId, outcome))
    assert.deepEqual(await plain(), { ...inserted, ...outcome })
    assert.equal((await store.write(tx => tx.withdrawals.lock(invoiceId)))?.publicId, publicId)
    assert.equal(await store.write(tx => tx.withdrawals.lock(-1)), null)
    const { sealedPayoutTo } = (await plain())!
    const reseal = (read: Uint8Array) => store.write(tx => tx.withdrawals.reseal(invoiceId, read, Uint8Array.of(9)))
    assert.deepEqual([await reseal(sealedPayoutTo), await reseal(sealedPayoutTo)], [true, false])
    assert.deepEqual((await plain())?.sealedPayoutTo, Uint8Array.of(9))
  })

  test("orders are listed newest first, in pages, by account and by status, without another account's orders", async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [one, other] = [await makeAccount(store), await makeAccount(store)]
    const orders: NewWithdrawal[] = []
    for (const { id } of [one, other, one, one]) orders.push(await order(store, shop, id))
    const [first, second, third, last] = orders.map(({ publicId }) => publicId)
    const ids = (list: readonly { readonly publicId: string }[]) => list.map(({ publicId }) => publicId)
    const page = { limit: 10 }
    const list = async (accountId: number, limit: number, before?: string) =>
      ids(await store.read(tx => tx.withdrawals.list(accountId, { limit, ...(before ? { before } : {}) })))
    assert.deepEqual(await list(one.id, 10), [last, third, first])
    assert.deepEqual(await list(one.id, 1, last), [third])
    await assert.rejects(list(other.id, 10, last), { code: 'invalid_before' })

    const byId = (id: string | undefined, accountId?: number) =>
      store.read(tx => tx.withdrawals.byPublicId(id ?? '', accountId))
    assert.equal((await byId(second))?.publicId, second)
    assert.equal((await byId(second, other.id))?.publicId, second)
    assert.equal(await byId(second, one.id), null)

    await store.write(tx => tx.withdrawals.update(orders[2]?.invoiceId ?? 0, PROCESSING))
    const listByStatus = (limit: number, ...statuses: ('payout_processing' | 'awaiting_deposit')[]) =>
      store.read(tx => tx.withdrawals.listByStatus(statuses, limit))
    assert.deepEqual(ids(await listByStatus(page.limit, 'payout_processing')), [third])
    assert.deepEqual(ids(await listByStatus(2, 'payout_processing', 'awaiting_deposit')), [last, third])
    assert.equal(await store.read(tx => tx.withdrawals.countByStatus('awaiting_deposit')), 3)
    assert.deepEqual(ids(await store.read(tx => tx.withdrawals.listAfter(orders[1]?.invoiceId ?? 0, 10))), [
      third,
      last,
    ])
  })

  test('a due payout is claimed by one worker at a time, the longest due first, and again after its lease', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const { id } = await makeAccount(store)
    const orders: NewWithdrawal[] = []
    for (let index = 0; index < 6; index++) {
      const made = await order(store, shop, id)
      await store.write(tx => tx.withdrawals.update(made.invoiceId, { ...PROCESSING, payoutDueAt: NOW - index }))
      orders.push(made)
    }
    const claim = (now: number, limit: number) =>
      store.write(tx => tx.withdrawals.claimDuePayouts('p', now, now + 100, limit))
    assert.deepEqual(
      (await claim(NOW, 2)).map(({ publicId }) => publicId),
      [orders[5]?.publicId, orders[4]?.publicId],
    )
    const rest = await Promise.all(Array.from({ length: 4 }, () => claim(NOW, 3)))
    const taken = rest.flat().map(({ publicId }) => publicId)
    assert.equal(new Set(taken).size, taken.length)
    assert.ok(taken.every(publicId => orders.slice(0, 4).some(made => made.publicId === publicId)))
    await claim(NOW, 10)
    assert.deepEqual(await claim(NOW + 99, 10), [])
    const again = await claim(NOW + 100, 10)
    assert.equal(again.length, 6)
    for (const { activePayout, payoutDueAt } of again)
      assert.deepEqual([activePayout, payoutDueAt], [{ provider: 'p', since: NOW }, NOW + 200])
  })

  test('an order with a status other than payout_processing is never claimed', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const { id } = await makeAccount(store)
    const { invoiceId } = await order(store, shop, id)
    await store.write(tx => tx.withdrawals.update(invoiceId, { ...PROCESSING, status: 'needs_attention' }))
    assert.deepEqual(await store.write(tx => tx.withdrawals.claimDuePayouts('p', NOW + 100, NOW + 200, 10)), [])
  })
}
