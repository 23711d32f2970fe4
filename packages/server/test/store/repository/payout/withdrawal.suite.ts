import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { NewWithdrawal, WithdrawalUpdate } from '../../../../src/ports/repository/payout/withdrawal.ts'
import type { Store } from '../../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount, NOW, openShop, type Shop } from '../../../harness/fixtures.ts'

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
  const inserted = await store.write(tx => tx.withdrawals.insert(withdrawal))
  const stored = await store.read(tx => tx.withdrawals.byInvoice(invoice.id))
  assert.deepEqual(inserted, stored && { ...stored, sealedPayoutTo: Uint8Array.from(stored.sealedPayoutTo) })
  return withdrawal
}

const PROCESSING: WithdrawalUpdate = {
  status: 'payout_processing',
  receivedZat: 2_100_000_000_000_000n,
  receivedAtCloseZat: null,
  reference: null,
  reason: null,
  updatedAt: NOW + 10,
}

export function withdrawalSuite(engine: DatabaseEngine): void {
  test('an order reads back as inserted, and then with its recorded outcome', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const { id: accountId } = await makeAccount(store)
    const made = await order(store, shop, accountId)
    const { invoiceId } = made
    const read = () => store.read(tx => tx.withdrawals.byInvoice(invoiceId))
    const inserted = {
      ...made,
      status: 'awaiting_deposit',
      receivedZat: 0n,
      receivedAtCloseZat: null,
      reference: null,
      reason: null,
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
    } as const
    await store.write(tx => tx.withdrawals.update(invoiceId, outcome))
    assert.deepEqual(await plain(), { ...inserted, ...outcome })
    assert.equal(await store.read(tx => tx.withdrawals.byInvoice(-1)), null)
    const { sealedPayoutTo } = (await plain())!
    const reseal = (read: Uint8Array) => store.write(tx => tx.withdrawals.reseal(invoiceId, read, Uint8Array.of(9)))
    assert.deepEqual([await reseal(sealedPayoutTo), await reseal(sealedPayoutTo)], [true, false])
    assert.deepEqual((await plain())?.sealedPayoutTo, Uint8Array.of(9))
  })

  test("orders are listed newest first, in pages, by account and of all accounts, without another account's orders", async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [one, other] = [await makeAccount(store), await makeAccount(store)]
    const orders: NewWithdrawal[] = []
    for (const { id } of [one, other, one, one]) orders.push(await order(store, shop, id))
    const [first, second, third, last] = orders.map(({ publicId }) => publicId)
    const ids = (list: readonly { readonly publicId: string }[]) => list.map(({ publicId }) => publicId)
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
    assert.deepEqual(ids(await store.read(tx => tx.withdrawals.listNewest(3))), [last, third, second])
    assert.equal(await store.read(tx => tx.withdrawals.countByStatus('awaiting_deposit')), 3)
    assert.deepEqual(ids(await store.read(tx => tx.withdrawals.listAfter(orders[1]?.invoiceId ?? 0, 10))), [
      third,
      last,
    ])
  })
}
