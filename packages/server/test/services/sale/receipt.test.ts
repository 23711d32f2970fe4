import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReceipts } from '../../../src/services/sale/receipt.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { openShop, payment } from '../../harness/fixtures.ts'

onBothDatabases(engine => {
  test('a receipt has the transactions of its invoice, and none of another that has its row since a fail-over', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [invoice, other] = [await shop.sell(), await shop.sell()]
    await store.write(tx => tx.payments.upsert([payment(invoice)]))
    const receipts = createReceipts({ store })
    assert.deepEqual(await receipts.paymentsOf(invoice), { txids: ['aa'.repeat(32)], hasMore: false })
    await assert.rejects(receipts.paymentsOf({ ...other, id: invoice.id }), { code: 'no_such_invoice' })
  })
})
