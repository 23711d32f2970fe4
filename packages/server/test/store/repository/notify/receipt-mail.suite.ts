import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptMail } from '../../../../src/ports/repository/notify/mail.ts'
import { type DatabaseEngine, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'

const TO = 'buyer@example.org'

export function receiptMailSuite(engine: DatabaseEngine): void {
  const later = (attempts: number) => NOW + 60 * attempts

  test('a receipt is claimed with its content; at its end only its key is left, which is removed later', async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    const mail = { to: TO, subject: 'Receipt 1001', text: 'Amount: 1 ZEC', createdAt: NOW }
    const { id: invoiceId, accountId } = invoice
    await store.write(tx => tx.receiptMails.enqueue({ ...mail, invoiceId, accountId, repeatKey: 'key' }))
    const claim = (now: number) => store.write(tx => tx.mails.claimNotices(now, 10, later))
    const isRepeated = () => store.read(tx => tx.receiptMails.isRepeated('key'))
    const [claimed] = (await claim(NOW)) as [ReceiptMail]
    assert.deepEqual({ ...claimed, id: 0 }, { id: 0, about: 'receipt', attempts: 1, ...mail })
    await store.write(tx => tx.receiptMails.end(claimed, NOW + 60))
    assert.deepEqual(await claim(NOW + 59), [])
    assert.equal(await isRepeated(), true)
    assert.equal(await store.query(tx => tx.mails.countWaiting()), 0)
    assert.equal(await store.query(tx => tx.mails.isAnyDue('notices', NOW + 60)), true)
    assert.deepEqual(await claim(NOW + 60), [])
    assert.equal(await isRepeated(), false)
  })

  test('receipts are counted for their invoice at any time, and for their account from a time on', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const [first, second, foreign] = [await shop.sell(), await shop.sell(), await other.sell()]
    for (const [i, invoice] of [first, first, second, foreign].entries()) {
      const { id: invoiceId, accountId } = invoice
      const mail = { invoiceId, accountId, to: TO, subject: 's', text: 't', createdAt: NOW + i, repeatKey: `${i}` }
      await store.write(tx => tx.receiptMails.enqueue(mail))
    }
    const count = (since: number) =>
      store.read(tx => tx.receiptMails.count({ invoiceId: first.id, accountId: shop.account.id }, since))
    assert.deepEqual(await count(NOW), { ofInvoice: 2, ofAccount: 3 })
    assert.deepEqual(await count(NOW + 1), { ofInvoice: 2, ofAccount: 2 })
    assert.deepEqual(await count(NOW + 9), { ofInvoice: 2, ofAccount: 0 })
  })
}
