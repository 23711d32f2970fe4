import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { greenfieldMissing, type Json, readRecording } from '../../harness/greenfield.ts'
import { askedPermissions } from '../../harness/plugin-consents.ts'
import { openShop, type Shop } from '../shop.ts'

const PERMISSIONS = askedPermissions('magento')

const FIRST_ORDER = '000000001'

function open(t: TestContext): Promise<Shop> {
  const webhook = 'https://shop.example/rest/V2/btcpay/webhook'
  return openShop(t, {
    client: 'magento',
    permissions: PERMISSIONS,
    secret: 'a-secret-of-the-shop-0123456789',
    webhook,
  })
}

async function order(shop: Shop, number = FIRST_ORDER): Promise<string> {
  const { body } = await shop.send(6, { texts: [[FIRST_ORDER, number]] })
  const sent = JSON.parse(readRecording('magento').requests.find(({ n }: Json) => n === 6).body)
  assert.deepEqual(body.metadata, { ...sent.metadata, orderId: number })
  assert.deepEqual([body.amount, body.checkout.redirectURL], ['25.00000000', sent.checkout.redirectURL])
  assert.ok(URL.canParse(body.checkoutLink))
  return body.id
}

const read = async (shop: Shop, invoiceId: string) => {
  const { status, additionalStatus } = (await shop.send(7, { ids: { invoiceId } })).body
  return [status, additionalStatus]
}

describe("Magento 2's BTCPay module, as recorded", { skip: greenfieldMissing }, () => {
  test('its installation check makes one webhook with its own secret, and finds it again', async t => {
    const shop = await open(t)
    const { permissions } = (await shop.send(1)).body
    assert.deepEqual(
      permissions,
      PERMISSIONS.map(name => `${name}:${shop.store}`),
    )
    assert.equal((await shop.send(2)).body[0].id, shop.store)
    assert.deepEqual((await shop.send(3)).body, [])
    const made = (await shop.send(4)).body
    assert.deepEqual([made.secret, made.url], [shop.secret, shop.webhookUrl])
    const [found, ...others] = (await shop.send(3)).body
    assert.deepEqual(others, [])
    assert.deepEqual([found.id, found.url, found.authorizedEvents.everything], [made.id, shop.webhookUrl, true])
    assert.equal((await shop.send(5)).body[0].paymentMethodId.split('-')[0], 'ZEC')
  })

  test('an order is paid, and found by its number', async t => {
    const shop = await open(t)
    await shop.send(4)
    const id = await order(shop)
    assert.equal((await shop.hook('InvoiceCreated', id)).body.metadata.orderId, FIRST_ORDER)
    await shop.pay(id)
    await shop.hook('InvoiceProcessing', id)
    assert.deepEqual(await read(shop, id), ['Processing', 'None'])
    const [method] = (await shop.send(8, { ids: { invoiceId: id } })).body
    assert.equal(method.payments[0].value, method.amount)
    shop.confirm()
    assert.equal((await shop.hook('InvoiceSettled', id)).body.metadata.magentoOrderId, 1)
    assert.deepEqual(await read(shop, id), ['Settled', 'None'])
    const [found, ...others] = (await shop.send(9, { texts: [['000000002', FIRST_ORDER]] })).body
    assert.deepEqual([found.id, others], [id, []])
  })

  test('orders expire: one of them is found and marked as invalid, another was paid in part', async t => {
    const shop = await open(t)
    await shop.send(4)
    const [none, part] = [await order(shop, '000000002'), await order(shop, '000000003')]
    await shop.pay(part, { part: 1n, of: 2n })
    await shop.hook('InvoiceReceivedPayment', part)
    shop.confirm()
    shop.expire()
    shop.confirm()
    assert.equal((await shop.hook('InvoiceExpired', none)).body.partiallyPaid, false)
    assert.equal((await shop.hook('InvoiceExpired', part)).body.partiallyPaid, true)
    await shop.hook('InvoiceExpiredPaidPartial', part)
    const [found] = (await shop.send(9)).body
    assert.deepEqual([found.id, found.status], [none, 'Expired'])
    const marked = (await shop.send(10, { ids: { invoiceId: none } })).body
    assert.deepEqual([marked.status, marked.additionalStatus], ['Invalid', 'Marked'])
    assert.equal((await shop.hook('InvoiceInvalid', none)).body.manuallyMarked, true)
  })

  test('a buyer pays too much', async t => {
    const shop = await open(t)
    await shop.send(4)
    const id = await order(shop)
    await shop.pay(id, { part: 2n, of: 1n })
    assert.equal((await shop.hook('InvoiceProcessing', id)).body.overPaid, true)
    shop.confirm()
    assert.equal((await shop.hook('InvoiceSettled', id)).body.overPaid, true)
    assert.deepEqual(await read(shop, id), ['Settled', 'PaidOver'])
  })

  test('money that arrives late and in full settles the order', async t => {
    const shop = await open(t)
    await shop.send(4)
    const id = await order(shop)
    shop.expire()
    shop.confirm()
    await shop.hook('InvoiceExpired', id)
    await shop.pay(id)
    assert.equal((await shop.hook('InvoiceReceivedPayment', id)).body.afterExpiration, true)
    shop.confirm()
    await shop.hook('InvoicePaidAfterExpiration', id)
    await shop.hook('InvoicePaymentSettled', id)
    assert.deepEqual(await read(shop, id), ['Settled', 'PaidLate'])
  })
})
