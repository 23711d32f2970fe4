import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { greenfieldMissing, type Json, readRecording } from '../../harness/greenfield.ts'
import { askedPermissions } from '../../harness/plugin-consents.ts'
import { until } from '../../harness/until.ts'
import { openShop, type Shop } from '../shop.ts'

const PERMISSIONS = askedPermissions('prestashop')

function open(t: TestContext): Promise<Shop> {
  const webhook = 'https://shop.example/module/btcpay/webhook'
  return openShop(t, {
    client: 'prestashop',
    permissions: PERMISSIONS,
    secret: '5f4dcc3b5aa765d61d8327deb882cf99',
    webhook,
  })
}

async function order(shop: Shop): Promise<string> {
  const { body } = await shop.send(9)
  const sent = JSON.parse(readRecording('prestashop').requests.find(({ n }: Json) => n === 9).body)
  assert.deepEqual(body.metadata, sent.metadata)
  assert.equal(body.amount, '24.2')
  assert.ok(URL.canParse(body.checkoutLink))
  return body.id
}

async function read(shop: Shop, invoiceId: string) {
  const { status, additionalStatus, metadata } = (await shop.send(10, { ids: { invoiceId } })).body
  assert.equal(metadata.posData, '5f4dcc3b5aa765d61d8327deb882cf99')
  return [status, additionalStatus]
}

describe("PrestaShop's BTCPay module, as recorded", { skip: greenfieldMissing }, () => {
  test('its set-up is accepted, the checkout shows the option, and unlinking removes the webhook', async t => {
    const shop = await open(t)
    assert.deepEqual(
      (await shop.send(1)).body.permissions,
      PERMISSIONS.map(name => `${name}:${shop.store}`),
    )
    // Until then it sells nothing.
    await until('the service to be synced', async () => (await shop.send(2)).body.fullySynched === true)
    await shop.send(3)
    const made = (await shop.send(4)).body
    assert.deepEqual([made.secret, made.authorizedEvents.everything], [shop.secret, true])
    const ids = { webhookId: made.id }
    const found = (await shop.send(5, { ids })).body
    assert.deepEqual([found.url, found.enabled], [shop.webhookUrl, true])
    assert.equal((await shop.send(6)).body.id, shop.store)
    assert.deepEqual((await shop.send(7)).body, [{ cryptoCode: 'ZEC', enabled: true }])
    assert.deepEqual((await shop.send(8)).body, [])
    assert.equal((await shop.send(12, { ids })).text, '')
    await shop.send(5, { ids, status: 404 })
  })

  test('an order is paid: the payments times the rate are its price', async t => {
    const shop = await open(t)
    await shop.send(4)
    const id = await order(shop)
    assert.deepEqual(await read(shop, id), ['New', 'None'])
    await shop.pay(id)
    await shop.hook('InvoiceProcessing', id)
    assert.deepEqual(await read(shop, id), ['Processing', 'None'])
    shop.confirm()
    await shop.hook('InvoiceSettled', id)
    assert.deepEqual(await read(shop, id), ['Settled', 'None'])
    const [{ payments, rate }] = (await shop.send(11, { ids: { invoiceId: id } })).body
    const paid = payments.reduce((sum: number, { value }: Json) => sum + Number(value) * Number(rate), 0)
    assert.equal(Math.round(paid * 100), 2420)
  })

  test('orders expire: one without money, one paid in part, whose rest is late, and one is paid too much', async t => {
    const shop = await open(t)
    await shop.send(4)
    const [none, part, over] = [await order(shop), await order(shop), await order(shop)]
    await shop.pay(part, { part: 1n, of: 2n })
    await shop.pay(over, { part: 2n, of: 1n })
    await shop.hook('InvoiceReceivedPayment', part)
    assert.equal((await shop.hook('InvoiceProcessing', over)).body.overPaid, true)
    shop.confirm()
    await shop.hook('InvoiceSettled', over)
    assert.deepEqual(await read(shop, over), ['Settled', 'PaidOver'])
    shop.expire()
    shop.confirm()
    await shop.hook('InvoiceExpired', none)
    await shop.hook('InvoiceExpired', part)
    assert.deepEqual(await read(shop, none), ['Expired', 'None'])
    assert.deepEqual(await read(shop, part), ['Expired', 'PaidPartial'])
    await shop.pay(part, { part: 1n, of: 2n })
    await shop.hook('InvoiceReceivedPayment', part, ({ afterExpiration }) => afterExpiration)
    shop.confirm()
    await shop.hook('InvoicePaymentSettled', part)
    assert.deepEqual(await read(shop, part), ['Settled', 'PaidLate'])
  })
})
