import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Permission } from '../../../src/domain/account/permission.ts'
import { greenfieldMissing, type Json } from '../../harness/greenfield.ts'
import { call } from '../../harness/http-call.ts'
import { until } from '../../harness/until.ts'
import { openShop, type Shop } from '../shop.ts'

/** In the order of the recorded key. */
const PERMISSIONS: readonly Permission[] = [
  'btcpay.store.webhooks.canmodifywebhooks',
  'btcpay.store.canviewstoresettings',
  'btcpay.store.canviewinvoices',
  'btcpay.store.cancreateinvoice',
  'btcpay.store.canmodifyinvoices',
  'btcpay.store.cancreatenonapprovedpullpayments',
]

const open = (t: TestContext, client: string) => openShop(t, { client, permissions: PERMISSIONS })

/**
 * A refund by a pull payment. The recorded one names no order, and is refused: a refund here is one of an invoice. The caller
 * of a library chooses the name.
 */
async function refundOrder(shop: Shop, number: number, orderId: string): Promise<Json> {
  const [refused] = (await shop.send(number, { status: 422 })).body
  assert.equal(refused.path, 'name')
  const { body } = await shop.send(number, { texts: [['"Refund"', `"Refund of order ${orderId}"`]] })
  assert.ok(body.viewLink.startsWith(`${shop.at.url}/`), body.viewLink)
  assert.equal((await call(shop.at, `GET ${new URL(body.viewLink).pathname}`)).status, 200)
  return body
}

/** Mines a payment, and waits until it is confirmed. */
async function confirm(shop: Shop, invoiceId: string, number: number): Promise<void> {
  shop.confirm()
  const read = () => shop.send(number, { ids: { invoiceId } })
  await until('the payment', async () => (await read()).body[0].payments[0].status === 'Settled')
}

/** Sends requests in their order. @returns the bodies of their answers */
async function sendAll(shop: Shop, numbers: readonly number[]): Promise<Json[]> {
  const bodies: Json[] = []
  for (const number of numbers) bodies.push((await shop.send(number)).body)
  return bodies
}

async function settle(shop: Shop, invoiceId: string, number: number): Promise<void> {
  const reaches = (status: string) =>
    until(status, async () => (await shop.send(number, { ids: { invoiceId } })).body.status === status)
  await shop.pay(invoiceId)
  await reaches('Processing')
  shop.confirm()
  await reaches('Settled')
}

describe('the PHP library 2.9.0, as recorded', { skip: greenfieldMissing }, () => {
  test('each of its requests is answered with all that its getters return', async t => {
    const shop = await open(t, 'php-library')
    const [current] = await sendAll(shop, [1, 2, 3, 4, 5, 6])
    assert.equal(current.apiKey, shop.key)
    const languages = (await shop.send(7)).body
    assert.ok(languages.length > 1)
    const [first, second, open_] = await sendAll(shop, [8, 9, 10])
    assert.deepEqual([first.amount, second.amount, open_.type], ['12.34', '5.15000000', 'TopUp'])
    assert.equal(second.metadata.taxIncluded, 2.15)
    await settle(shop, second.id, 11)
    const ids = { invoiceId: second.id }
    const [method] = (await shop.send(12, { ids })).body
    assert.equal(method.payments.length, 1)
    assert.deepEqual(
      (await shop.send(13)).body.map(({ id }: Json) => id),
      [open_.id, second.id],
    )
    assert.deepEqual((await shop.send(14)).body.map(({ id }: Json) => id).sort(), [first.id, second.id].sort())
    for (const number of [15, 16])
      assert.deepEqual(
        (await shop.send(number)).body.map(({ id }: Json) => id),
        [second.id],
        String(number),
      )
    assert.deepEqual((await shop.send(17, { ids })).body.metadata, { orderId: 'Test2', note: 'changed' })
    const marked = (await shop.send(18, { ids })).body
    assert.deepEqual([marked.status, marked.additionalStatus], ['Invalid', 'Marked'])
    const refund = (await shop.send(19, { ids })).body
    assert.deepEqual([refund.name, refund.description], ['Refund', 'why'])
    assert.equal((await call(shop.at, `GET ${new URL(refund.viewLink).pathname}`)).status, 200)

    const [some, all] = await sendAll(shop, [20, 21])
    assert.equal(all.secret, 'a-long-and-safe-secret')
    assert.deepEqual((await shop.send(23)).body.map(({ id }: Json) => id).sort(), [some.id, all.id].sort())
    const webhook = { ids: { webhookId: some.id } }
    assert.equal((await shop.send(22, webhook)).body.id, some.id)
    const changed = (await shop.send(24, webhook)).body
    assert.equal(changed.url, 'https://shop.example/webhook3')
    assert.deepEqual(changed.authorizedEvents, { everything: false, specificEvents: ['InvoiceSettled'] })
    assert.deepEqual((await shop.send(25, webhook)).body, [])
    assert.equal((await shop.send(26, webhook)).text, '')
    await shop.send(22, { ...webhook, status: 404 })

    await settle(shop, first.id, 11)
    const pulled = await refundOrder(shop, 27, 'Test1')
    assert.deepEqual((await shop.send(28)).body.map(({ id }: Json) => id).sort(), [refund.id, pulled.id].sort())
    assert.equal((await shop.send(29)).body.code, 'invoice-not-found')
    assert.equal((await shop.send(30)).body.code, 'unauthenticated')
  })
})

describe('the client of npm, 1.7.0, as recorded', { skip: greenfieldMissing }, () => {
  test('each of its requests is answered', async t => {
    const shop = await open(t, 'node-client')
    await sendAll(shop, [1, 2, 3, 4, 5])
    const [sale, other] = await sendAll(shop, [6, 7])
    assert.deepEqual([sale.amount, other.amount], ['12.34', '5'])
    await settle(shop, sale.id, 8)
    const ids = { invoiceId: sale.id }
    assert.deepEqual(
      (await shop.send(9)).body.map(({ id }: Json) => id),
      [other.id, sale.id],
    )
    await shop.send(10, { ids })
    await shop.send(11, { ids })
    // BTCPay refuses to mark as settled what is settled. Here that changes nothing.
    assert.equal((await shop.send(12, { ids, status: 200 })).body.additionalStatus, 'None')
    assert.equal((await shop.send(13, { ids })).text, '')
    assert.deepEqual(
      (await shop.send(9)).body.map(({ id }: Json) => id),
      [other.id],
      'the archived one is left out',
    )
    assert.equal((await shop.send(14, { ids })).body.archived, false)
    const made = (await shop.send(15)).body
    const webhook = { ids: { webhookId: made.id } }
    await shop.send(16, webhook)
    await shop.send(17)
    // It sends the events as one text. BTCPay refuses that; here it is read as a list of one.
    const changed = (await shop.send(18, { ...webhook, status: 200 })).body
    assert.deepEqual(changed.authorizedEvents.specificEvents, ['InvoiceSettled'])
    await shop.send(19, webhook)
    await shop.send(20, webhook)
    assert.equal((await refundOrder(shop, 21, 'n-1')).amount, '5')
    await sendAll(shop, [22, 23, 24])
  })
})

describe('pygreenfield 1.0.0, as recorded', { skip: greenfieldMissing }, () => {
  test('each of its requests is answered', async t => {
    const shop = await open(t, 'python-pygreenfield')
    await sendAll(shop, [1, 2, 3, 4, 5])
    const sale = (await shop.send(6)).body
    const ids = { invoiceId: sale.id }
    await shop.pay(sale.id)
    await until('Processing', async () => (await shop.send(7, { ids })).body.status === 'Processing')
    assert.equal((await shop.send(8)).body[0].id, sale.id)
    await shop.send(9, { ids })
    const marked = (await shop.send(10, { ids })).body
    assert.deepEqual([marked.status, marked.additionalStatus], ['Settled', 'Marked'])
    await shop.send(11, { ids })
    const made = (await shop.send(12)).body
    await shop.send(13)
    const webhook = { ids: { webhookId: made.id } }
    await shop.send(14, webhook)
    await shop.send(15, webhook)
    await confirm(shop, sale.id, 9)
    await refundOrder(shop, 16, 'p-1')
    await sendAll(shop, [17, 18])
  })
})

describe('btcpay-python-sdk 0.1.0, as recorded', { skip: greenfieldMissing }, () => {
  test('each of its requests is answered', async t => {
    const shop = await open(t, 'python-btcpay-sdk')
    const sale = (await shop.send(1)).body
    const ids = { invoiceId: sale.id }
    await shop.pay(sale.id)
    await until('Processing', async () => (await shop.send(2, { ids })).body.status === 'Processing')
    assert.equal((await shop.send(3)).body[0].id, sale.id)
    await shop.send(4, { ids })
    const marked = (await shop.send(5, { ids })).body
    assert.deepEqual([marked.status, marked.additionalStatus], ['Settled', 'Marked'], 'in any case of the letters')
    for (const number of [6, 7, 8, 9]) await shop.send(number, { ids })
    await confirm(shop, sale.id, 4)
    const refund = await refundOrder(shop, 10, 'p-1')
    await shop.send(11)
    const pull = { ids: { pullPaymentId: refund.id } }
    await shop.send(12, pull)
    await shop.send(13, pull)
    await shop.send(14)
  })
})
