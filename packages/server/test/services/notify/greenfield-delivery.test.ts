import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { eventTypesOf, type GreenfieldEvent } from '../../../src/domain/notify/greenfield-event.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { startEndpoints } from '../../harness/endpoints.ts'
import { conforms } from '../../harness/greenfield.ts'

const URL = 'https://shop.example/wc-api/btcpay'
const SECRET = 'a-long-and-safe-secret'
const MINUTE = 60
const BODY = {
  status: 'paid',
  amount_zat: 5,
  received_zat: 5,
  overpaid_zat: 0,
  txid: null,
  metadata: { orderId: '15' },
}

onBothDatabases(engine => {
  async function start(
    t: TestContext,
    { events = null as readonly GreenfieldEvent[] | null, schedule = 'greenfield' as 'greenfield' | 'once' } = {},
  ) {
    const h = await startEndpoints(t, engine)
    const terms = { url: URL, schedule, secret: SECRET, greenfield: { events, application: 'WooCommerce' } }
    const { endpoint } = await h.endpoints.create(h.account, terms)
    const raise = (type: Parameters<typeof h.raise>[1] & string, body: object = {}) =>
      h.store.write(tx =>
        tx.events.append([
          {
            accountId: h.account.id,
            invoiceId: null,
            type,
            body: JSON.stringify({ type, invoice_id: null, ...BODY, ...body }),
            createdAt: h.clock.secs,
            publicId: randomUUID(),
          },
        ]),
      )
    const sent = () => h.receivers.requests.map(({ body }) => JSON.parse(String(body)))
    const types = () => sent().map(({ type }) => type)
    return { ...h, endpoint, raise, sent, types }
  }

  test('each message of an event is a separate request, in order, signed once, with its ids and the bytes of the metadata', async t => {
    const { account, clock, endpoint, raise, receivers, sendDue, sent, types } = await start(t)
    await raise('invoice.paid')
    await sendDue()
    assert.deepEqual(types(), ['InvoicePaymentSettled', 'InvoiceSettled'])
    const [{ deliveryId, ...body }] = sent().slice(1)
    assert.deepEqual(body, {
      webhookId: endpoint.publicId,
      originalDeliveryId: deliveryId,
      isRedelivery: false,
      type: 'InvoiceSettled',
      timestamp: clock.secs,
      storeId: account.publicId,
      invoiceId: body.invoiceId,
      manuallyMarked: false,
      overPaid: false,
      metadata: { orderId: '15' },
    })
    conforms('WebhookInvoiceSettledEvent', sent()[1])
    for (const { body: text, headers } of receivers.requests) {
      const expected = `sha256=${createHmac('sha256', SECRET).update(String(text)).digest('hex')}`
      assert.equal(headers['BTCPay-Sig'], expected)
      assert.equal(headers['webhook-signature'], undefined)
    }
  })

  test('an event without a message for the endpoint is passed over, and only chosen messages are sent', async t => {
    const { raise, sendDue, types } = await start(t, { events: ['InvoiceSettled', 'InvoiceExpired'] })
    for (let number = 0; number < 30; number++) await raise('invoice.part_paid')
    await raise('invoice.paid', { marked_as: 'invalid', marked_at: 1 })
    await raise('invoice.paid')
    await raise('invoice.underpaid', { status: 'underpaid' })
    await raise('refund.updated', { status: 'sent' })
    await sendDue()
    assert.deepEqual(types(), ['InvoiceSettled', 'InvoiceExpired'])
  })

  test('many events without a message are passed over in steps', async t => {
    const { raise, sendDue, types } = await start(t)
    for (let number = 0; number < 45; number++) await raise('refund.updated', { status: 'sent' })
    await raise('invoice.expired', { status: 'expired' })
    await sendDue()
    assert.deepEqual(types(), ['InvoiceExpired'])
  })

  test('recovery sends an event of which one message was received, and the other waited when the endpoint was disabled', async t => {
    const { account, clock, endpoint, endpoints, raise, receivers, sendDue, types } = await start(t)
    const since = clock.secs
    const send = receivers.send.bind(receivers)
    let isRefused = true
    receivers.send = async request => {
      const answer = await send(request)
      const { type } = JSON.parse(String(request.body))
      return type === 'InvoiceSettled' && isRefused ? { ...answer, status: 503 } : answer
    }
    await raise('invoice.paid')
    await sendDue()
    await endpoints.change(account, endpoint.publicId, { enabled: false })
    isRefused = false
    await endpoints.resume(account, endpoint.publicId, { recover: false })
    const before = types().length
    clock.advance(1)
    await endpoints.recover(account, endpoint.publicId, since)
    await sendDue()
    assert.ok(types().slice(before).includes('InvoiceSettled'))
  })

  test('while one message fails the others are sent, and it is sent again as a redelivery', async t => {
    const { raise, receivers, run, sent, types } = await start(t)
    const send = receivers.send.bind(receivers)
    let failures = 2
    receivers.send = async request => {
      const answer = await send(request)
      const { type } = JSON.parse(String(request.body))
      return type === 'InvoicePaymentSettled' && failures-- > 0 ? { ...answer, status: 503 } : answer
    }
    await raise('invoice.paid')
    await run(2 * MINUTE)
    assert.deepEqual(types(), [
      'InvoicePaymentSettled',
      'InvoiceSettled',
      'InvoicePaymentSettled',
      'InvoicePaymentSettled',
    ])
    const [first, , second, third] = sent()
    assert.deepEqual(
      [second, third].map(({ isRedelivery, originalDeliveryId }) => [isRedelivery, originalDeliveryId]),
      [
        [true, first.deliveryId],
        [true, first.deliveryId],
      ],
    )
    assert.equal(new Set([first, second, third].map(({ deliveryId }) => deliveryId)).size, 3)
  })

  test('what the receiver refuses is not sent again, and without automatic redelivery nothing is', async t => {
    for (const [schedule, status] of [
      ['greenfield', 404],
      ['once', 500],
    ] as const) {
      const { raise, receivers, run, types } = await start(t, { schedule })
      receivers.send = async request => {
        receivers.requests.push(request)
        return { status, headers: {}, body: new Uint8Array() }
      }
      await raise('invoice.expired', { status: 'expired' })
      await run(90 * MINUTE, 10 * MINUTE)
      assert.deepEqual(types(), ['InvoiceExpired'], schedule)
    }
  })

  test('a process that dies between two messages of an event loses none', async t => {
    const { claim, clock, finish, raise, sendDue, types } = await start(t)
    await raise('invoice.paid')
    const [first] = await claim()
    await finish(first!)
    // The process of the second message dies before it is sent.
    assert.equal((await claim()).length, 1)
    clock.advance(10 * MINUTE)
    await sendDue()
    clock.advance(10 * MINUTE)
    await sendDue()
    assert.deepEqual(types(), ['InvoicePaymentSettled', 'InvoiceSettled'])
  })

  test('a message that is sent again by hand is a new delivery that names the first one', async t => {
    const { account, raise, sendDue, sent, services } = await start(t, { events: ['InvoiceSettled'] })
    await raise('invoice.paid')
    await sendDue()
    const [first] = sent()
    for (let number = 0; number < 2; number++) {
      const { deliveryId } = sent().at(-1)
      await services.webhooks.resend(account, deliveryId)
      await sendDue()
    }
    const again = sent().slice(1)
    assert.deepEqual(
      again.map(({ type, isRedelivery, originalDeliveryId }) => [type, isRedelivery, originalDeliveryId]),
      Array(2).fill(['InvoiceSettled', true, first.deliveryId]),
    )
  })

  test('the log shows the body that was sent', async t => {
    const { account, raise, receivers, sendDue, services } = await start(t)
    await raise('invoice.expired', { status: 'expired' })
    await sendDue()
    const [delivery] = await services.webhooks.deliveries(account, { limit: 1 })
    const attempt = await services.webhooks.attempt(account, delivery?.lastAttempts[0]?.publicId ?? '')
    assert.equal(attempt.requestBody, receivers.requests[0]?.body)
  })

  test('an endpoint with the same URL replaces that of the same application, and no other', async t => {
    const { account, endpoint, endpoints } = await start(t)
    const create = (url: string, application: string) =>
      endpoints.create(account, { url, schedule: 'greenfield', greenfield: { events: null, application } })
    await endpoints.create(account, { url: URL })
    const other = await create(URL, 'Magento')
    const elsewhere = await create(`${URL}2`, 'WooCommerce')
    const again = await create(URL, 'WooCommerce')
    const ids = (await endpoints.list(account)).map(({ publicId }) => publicId)
    assert.ok(!ids.includes(endpoint.publicId))
    for (const kept of [other, elsewhere, again]) assert.ok(ids.includes(kept.endpoint.publicId))
    assert.equal(ids.length, 4)
  })

  test('a test event is a message that the endpoint has chosen', async t => {
    const { account, endpoint, endpoints, sendDue, sent } = await start(t, { events: ['InvoiceExpired'] })
    await endpoints.test(account, endpoint.publicId)
    await sendDue()
    assert.equal(sent()[0].type, 'InvoiceExpired')
    assert.match(sent()[0].invoiceId, /^__test__/)
  })

  test('other events lead to other messages once they are chosen', async t => {
    const { account, endpoint, endpoints, raise, sendDue, types } = await start(t, { events: ['InvoiceExpired'] })
    await endpoints.change(account, endpoint.publicId, { greenfieldEvents: ['InvoiceSettled'] })
    assert.deepEqual((await endpoints.read(account, endpoint.publicId)).types, eventTypesOf(['InvoiceSettled']))
    await raise('invoice.expired', { status: 'expired' })
    await raise('invoice.paid')
    await sendDue()
    assert.deepEqual(types(), ['InvoiceSettled'])
  })
})
