import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { greenfieldMissing, type Json, readRecording } from '../../harness/greenfield.ts'
import { call } from '../../harness/http-call.ts'
import { askedPermissions } from '../../harness/plugin-consents.ts'
import { until } from '../../harness/until.ts'
import { openShop, type Shop } from '../shop.ts'

const PERMISSIONS = askedPermissions('woocommerce')

/** The webhooks at which the plugin asks for the payments, before it answers. */
const ASKS = new Set(['InvoiceReceivedPayment', 'InvoicePaymentSettled', 'InvoiceSettled'])

async function open(t: TestContext): Promise<Shop> {
  const webhook = 'https://shop.example/wc-api/btcpaygf_default/'
  const shop = await openShop(t, { client: 'woocommerce', permissions: PERMISSIONS, webhook })
  shop.onHook = async ({ type, invoiceId }) =>
    ASKS.has(type) ? requirePaymentData((await shop.send(11, { ids: { invoiceId } })).body) : undefined
  const { body } = await shop.send(2)
  shop.secret = body.secret
  return shop
}

/** Checks the data that the plugin keeps with the order: with one wrong type it keeps nothing. */
function requirePaymentData(methods: Json): Json {
  assert.equal(methods.length, 1)
  for (const method of methods) {
    assert.equal(method.paymentMethodId, 'ZEC-CHAIN')
    for (const name of ['totalPaid', 'due', 'amount', 'rate', 'paymentMethodFee', 'paymentMethodPaid'])
      assert.match(method[name], /^\d+(\.\d+)?$/, name)
    assert.notEqual(Number(method.paymentMethodPaid), 0, 'an order that is paid nothing gets no payment data')
    assert.ok(method.payments.length > 0)
    for (const payment of method.payments) {
      assert.match(payment.id, /^[0-9a-f]{64}-\d+$/)
      assert.match(payment.value, /^\d+(\.\d+)?$/)
      assert.match(payment.fee, /^\d+(\.\d+)?$/)
      assert.match(payment.status, /^(?:Processing|Settled)$/)
      assert.ok(payment.destination)
      assert.ok(Number.isInteger(payment.receivedDate))
    }
  }
  return methods
}

/** An order is placed, and the buyer is sent to the checkout. */
async function order(shop: Shop, request = 9): Promise<string> {
  const { body } = await shop.send(request)
  const { id, checkoutLink, status, additionalStatus, metadata } = body
  assert.ok(id)
  assert.equal(checkoutLink, `${shop.at.url}/i/${id}`)
  assert.deepEqual([status, additionalStatus], ['New', 'None'])
  const sent = JSON.parse(readRecording('woocommerce').requests.find(({ n }: Json) => n === request).body)
  assert.deepEqual(metadata, sent.metadata)
  assert.equal(body.amount, sent.amount)
  assert.deepEqual(body.checkout.paymentMethods, ['ZEC-CHAIN'])
  assert.equal((await call(shop.at, `GET ${new URL(checkoutLink).pathname}`)).status, 200)
  return id
}

const stateOf = async (shop: Shop, invoiceId: string) => {
  const { status, additionalStatus } = (await shop.send(10, { ids: { invoiceId } })).body
  return [status, additionalStatus]
}

const reaches = (shop: Shop, invoiceId: string, state: readonly string[]) =>
  until(`${state}`, async () => `${await stateOf(shop, invoiceId)}` === `${state}`)

describe('BTCPay for WooCommerce V2, 2.8.0, as recorded', { skip: greenfieldMissing }, () => {
  test('its settings are accepted: the key, the server, the store, the webhook, and a wrong key is refused', async t => {
    const shop = await open(t)
    const { permissions } = (await shop.send(1)).body
    // The plugin compares the names exactly, and takes the store from the first one.
    assert.deepEqual(
      permissions,
      PERMISSIONS.map(name => `${name}:${shop.store}`),
    )
    assert.match(shop.key, /^[A-Za-z0-9_-]+$/)
    const { version } = (await shop.send(4)).body
    assert.match(version, /^[2-9]\.\d+\.\d+/)
    await until('the service to be synced', async () => (await shop.send(4)).body.fullySynched === true)
    assert.deepEqual((await shop.send(3)).body, [{ enabled: true, paymentMethodId: 'ZEC-CHAIN' }])
    const stores = (await shop.send(8)).body
    assert.deepEqual(
      stores.map(({ id }: Json) => id),
      [shop.store],
    )
    const webhook = (await shop.send(2)).body
    assert.match(webhook.secret, /^\S{16,}$/)
    const found = (await shop.send(5, { ids: { webhookId: webhook.id } })).body
    assert.deepEqual([found.id, found.url, found.secret], [webhook.id, shop.webhookUrl, undefined])
    for (const refused of [6, 7]) assert.equal((await shop.send(refused)).body.code, 'unauthenticated')
  })

  test('an order is paid and confirmed, and each webhook finds its payment', async t => {
    const shop = await open(t)
    const id = await order(shop)
    assert.deepEqual(await stateOf(shop, id), ['New', 'None'], 'a buyer who returns gets the same invoice')
    await shop.pay(id)
    const received = await shop.hook('InvoiceReceivedPayment', id)
    assert.equal(received.body.afterExpiration, false)
    assert.equal(received.read[0].payments[0].status, 'Processing')
    assert.equal(received.read[0].payments[0].id, received.body.payment.id)
    assert.equal(received.read[0].payments[0].value, received.body.payment.value)
    assert.equal((await shop.hook('InvoiceProcessing', id)).body.overPaid, false)
    assert.deepEqual(await stateOf(shop, id), ['Processing', 'None'])
    shop.confirm()
    const settled = await shop.hook('InvoicePaymentSettled', id)
    assert.equal(settled.read[0].payments[0].status, 'Settled')
    assert.equal(settled.read[0].due, '0')
    const done = (await shop.hook('InvoiceSettled', id)).body
    assert.deepEqual([done.overPaid, done.manuallyMarked], [false, false])
    assert.equal(done.metadata.orderId, '15')
    assert.deepEqual(await stateOf(shop, id), ['Settled', 'None'])
    assert.deepEqual(shop.typesOf(id), [
      'InvoiceReceivedPayment',
      'InvoiceProcessing',
      'InvoicePaymentSettled',
      'InvoiceSettled',
    ])
  })

  test('an order that no buyer pays expires', async t => {
    const shop = await open(t)
    const id = await order(shop)
    shop.expire()
    shop.confirm()
    assert.equal((await shop.hook('InvoiceExpired', id)).body.partiallyPaid, false)
    assert.deepEqual(await stateOf(shop, id), ['Expired', 'None'])
    assert.deepEqual(shop.typesOf(id), ['InvoiceExpired'])
  })

  test('a part is paid, the order expires, and the rest arrives late', async t => {
    const shop = await open(t)
    const id = await order(shop)
    await shop.pay(id, { part: 1n, of: 4n })
    assert.equal((await shop.hook('InvoiceReceivedPayment', id)).body.afterExpiration, false)
    assert.deepEqual(await stateOf(shop, id), ['New', 'PaidPartial'])
    shop.confirm()
    shop.expire()
    shop.confirm()
    assert.equal((await shop.hook('InvoiceExpired', id)).body.partiallyPaid, true)
    assert.deepEqual(await stateOf(shop, id), ['Expired', 'PaidPartial'])
    await shop.pay(id, { part: 3n, of: 4n })
    const late = await shop.hook('InvoiceReceivedPayment', id, ({ afterExpiration }) => afterExpiration)
    assert.equal(late.read[0].payments.length, 2)
    shop.confirm()
    await shop.hook('InvoicePaymentSettled', id)
    assert.deepEqual(await stateOf(shop, id), ['Settled', 'PaidLate'])
  })

  test('a buyer pays too much', async t => {
    const shop = await open(t)
    const id = await order(shop)
    await shop.pay(id, { part: 3n, of: 2n })
    assert.equal((await shop.hook('InvoiceProcessing', id)).body.overPaid, true)
    assert.deepEqual(await stateOf(shop, id), ['Processing', 'PaidOver'])
    shop.confirm()
    assert.equal((await shop.hook('InvoiceSettled', id)).body.overPaid, true)
    assert.deepEqual(await stateOf(shop, id), ['Settled', 'PaidOver'])
  })

  test('a buyer changes the method: the old invoice is invalid, and the new one is paid', async t => {
    const shop = await open(t)
    const old = await order(shop)
    const marked = (await shop.send(15, { ids: { invoiceId: old } })).body
    assert.deepEqual([marked.status, marked.additionalStatus], ['Invalid', 'Marked'])
    assert.equal((await shop.hook('InvoiceInvalid', old)).body.manuallyMarked, true)
    const id = await order(shop, 14)
    await shop.pay(id)
    await shop.hook('InvoiceProcessing', id)
  })

  test("a buyer's data come back as they were sent, and prices may be in dollars and bitcoin", async t => {
    const shop = await open(t)
    for (const request of [13, 16, 17]) await order(shop, request)
  })

  test('a refund in part is a link for the buyer, found by the number of the order in its name', async t => {
    const shop = await open(t)
    const id = await order(shop)
    await shop.pay(id)
    await shop.hook('InvoiceProcessing', id)
    shop.confirm()
    await reaches(shop, id, ['Settled', 'None'])
    const refund = (await shop.send(12)).body
    assert.ok(refund.id)
    assert.equal(refund.amount, '10.00')
    assert.ok(refund.viewLink.startsWith(`${shop.at.url}/`), refund.viewLink)
    assert.equal((await call(shop.at, `GET ${new URL(refund.viewLink).pathname}`)).status, 200)
    const { body } = await call(shop.at, `GET /v1/account/invoices/${id}/refunds`, { token: shop.at.sessionToken })
    assert.equal(body.refunds.length, 1)
    assert.equal(body.refunds[0].status, 'awaiting_address')
  })
})
