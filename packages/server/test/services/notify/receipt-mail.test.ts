import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailService } from '../../../src/container.ts'
import { RECEIPT_MAILS } from '../../../src/domain/notify/receipt-mail.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import type { Mailer, OutgoingMail } from '../../../src/ports/mailer.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { recordingLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

const BUYER = 'buyer@example.org'
const RECEIPT = { subject: 'Receipt 1001', text: 'Amount: 25.00 EUR' }
/** As Nodemailer rejects when the server refuses the recipient. */
const REFUSED = Object.assign(new Error(`550 <${BUYER}>: no such user`), {
  code: 'EENVELOPE',
  responseCode: 550,
  rejected: [BUYER],
})

async function createHarness(engine: DatabaseEngine, t: Parameters<typeof openEmptyStore>[1]) {
  const store = await openEmptyStore(engine, t)
  const clock = new ManualClock()
  const log = recordingLog()
  const sent: OutgoingMail[] = []
  let isDown = false
  const mailer: Mailer = {
    async send(mail) {
      if (isDown) throw REFUSED
      sent.push(mail)
    },
    close: () => {},
  }
  const { infrastructure, services } = await openTestContainer(t, { store, clock, mailer })
  const { account } = await services.viewingKeys.set(
    await services.accounts.findOrCreate('shop@example.org'),
    testViewingKey(),
  )
  const mails = createMailService({ ...infrastructure, log }, mailer, () => 'https://pay.example')
  const sell = () =>
    services.invoices.create(account, { amountZat: 1_000n, expiresInSecs: 3_600, idempotencyKey: undefined })
  const send = (invoice: Invoice, to: string, receipt = RECEIPT) => services.receiptMails.send(invoice, to, receipt)
  await mails.sendNotices(10)
  sent.length = 0
  return {
    store,
    clock,
    log,
    sent,
    mails,
    sell,
    send,
    setDown: (down: boolean) => {
      isDown = down
    },
  }
}

onBothDatabases(engine => {
  test('a receipt is queued and sent once to an address, and again after a minute', async t => {
    const { mails, sell, send, sent, clock, store } = await createHarness(engine, t)
    const [invoice, other] = [await sell(), await sell()]
    const queued = await Promise.all(Array.from({ length: 4 }, () => send(invoice, BUYER)))
    assert.deepEqual(queued, ['queued', 'queued', 'queued', 'queued'])
    assert.equal(await mails.sendNotices(10), 1)
    assert.deepEqual(
      sent.map(({ to, subject, text }) => ({ to, subject, text })),
      [{ to: BUYER, ...RECEIPT }],
    )
    await send(invoice, BUYER.toUpperCase())
    assert.equal(await mails.sendNotices(10), 0)
    await send(other, BUYER)
    assert.equal(await mails.sendNotices(10), 1)
    assert.equal(await store.query(tx => tx.mails.countWaiting()), 0)
    clock.advance(RECEIPT_MAILS.repeatSecs)
    await mails.sendNotices(10)
    assert.equal(await send(invoice, BUYER), 'queued')
    assert.equal(await mails.sendNotices(10), 1)
    assert.equal(sent.length, 3)
  })

  test('an invoice has three receipts by mail, and an account a hundred within an hour', async t => {
    const { sell, send, clock } = await createHarness(engine, t)
    const [invoice] = [await sell()]
    assert.equal(await send(invoice, 'no-address'), 'wrong_address')
    assert.equal(await send(invoice, `${BUYER}\r\nBcc: other@example.org`), 'wrong_address')
    const outcomes = []
    for (let i = 0; i < 4; i++) outcomes.push(await send(invoice, `${i}@example.org`))
    assert.deepEqual(outcomes, ['queued', 'queued', 'queued', 'invoice_limit'])
    for (let used: number = RECEIPT_MAILS.perInvoice; used < RECEIPT_MAILS.perAccount; used++)
      assert.equal(await send(await sell(), BUYER), 'queued')
    const next = await sell()
    assert.equal(await send(next, BUYER), 'account_limit')
    clock.advance(RECEIPT_MAILS.accountSecs + 1)
    assert.equal(await send(next, BUYER), 'queued')
    assert.equal(await send(invoice, 'later@example.org'), 'invoice_limit')
  })

  test('a mail that fails is tried again and then given up, and the address is in no log', async t => {
    const { mails, sell, send, sent, clock, log, store, setDown } = await createHarness(engine, t)
    setDown(true)
    await send(await sell(), BUYER)
    let attempts = 0
    while (attempts < 20 && (await store.query(tx => tx.mails.countWaiting())) > 0) {
      attempts += await mails.sendNotices(10)
      clock.advance(3_600)
    }
    assert.equal(attempts, 8)
    assert.equal(await mails.sendNotices(10), 0)
    const failures = log.lines.filter(({ message }) => message === 'a mail could not be sent')
    assert.equal(failures.length, 8)
    for (const { details } of failures) assert.equal(details.err, 'EENVELOPE 550')
    setDown(false)
    await mails.sendNotices(10)
    assert.equal(sent.length, 0)
  })

  test('what a shop wrote is on one line in the subject, and bounded', async t => {
    const { mails, sell, send, sent } = await createHarness(engine, t)
    await send(await sell(), BUYER, {
      subject: `Receipt\r\nBcc: other@example.org\u202e ${'x'.repeat(999)}`,
      text: 'y'.repeat(99_999),
    })
    await mails.sendNotices(10)
    assert.match(sent[0]?.subject ?? '', /^Receipt Bcc: other@example\.org x{100,}$/)
    assert.deepEqual([sent[0]?.subject.length, sent[0]?.text.length], [200, 8_000])
  })

  test('a row that is another invoice since a fail-over gets no mail', async t => {
    const { sell, send, mails, sent } = await createHarness(engine, t)
    const [read, other] = [await sell(), await sell()]
    await assert.rejects(send({ ...read, id: other.id }, BUYER), { code: 'no_such_invoice' })
    await mails.sendNotices(10)
    assert.deepEqual(sent, [])
  })
})
