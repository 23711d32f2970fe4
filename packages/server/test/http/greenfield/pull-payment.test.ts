import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../../harness/api.ts'
import { header, payment } from '../../harness/fixtures.ts'
import { conforms } from '../../harness/greenfield.ts'
import { greenfieldClient } from '../../harness/greenfield-client.ts'
import { call } from '../../harness/http-call.ts'

const ZEC = 100_000_000n
const api = await startTestApi()
const merchant = await api.merchant()
const ask = await greenfieldClient(api, merchant)
after(() => api.close())
await api.store.write(tx => tx.chain.appendHeaders([8, 9, 10].map(header)))

let sold = 0

/** Sells at 100 EUR for 1 ZEC, and pays by a mined transaction. */
async function sellAndPay(amount: string, { orderId = 'x-1', paidZat = null as bigint | null, tolerance = 0 } = {}) {
  const json = { amount, currency: 'EUR', metadata: { orderId }, checkout: { paymentTolerance: tolerance } }
  const { body } = await ask('POST invoices', { json })
  sold += 1
  const txid = sold.toString(16).padStart(64, '0')
  await api.store.write(async tx => {
    const invoice = (await tx.invoices.byPublicId(body.id)) ?? assert.fail()
    await tx.payments.upsert([
      payment(invoice, { txid, valueZat: paidZat ?? invoice.amountZat, location: { at: 'mined', height: 8 } }),
    ])
    await api.updateInvoices(tx, [invoice.id], api.clock.secs)
  })
  return body.id as string
}

const refundOf = (id: string, json: object) => ask(`POST invoices/${id}/refund`, { json })

/** The amount of the order behind a link, in zat. */
async function zatOf({ viewLink }: { viewLink: string }): Promise<number> {
  return (await call(api, `GET /v1/refunds/${viewLink.split('/').at(-1)}`)).body.amount_zat
}

test('a full refund is exactly what was paid, whatever the rate is now, and can be made once', async () => {
  const id = await sellAndPay('25.00')
  const { status, body } = await refundOf(id, {
    name: 'Refund',
    description: 'why',
    payoutMethodId: 'BTC',
    refundVariant: 'Fiat',
    subtractPercentage: 0,
    customAmount: null,
  })
  assert.equal(status, 200)
  conforms('PullPaymentData', body)
  assert.deepEqual([body.name, body.description, body.amount, body.currency], ['Refund', 'why', '25', 'EUR'])
  assert.equal(await zatOf(body), 25_000_000)
  const again = await refundOf(id, { refundVariant: 'RateThen' })
  assert.deepEqual([again.status, again.body[0].path], [422, 'amount'])
})

test('the public answer about a refund has no reason, which the merchant wrote for itself', async () => {
  const id = await sellAndPay('25.00')
  const { body: refund } = await call(api, `POST /v1/account/invoices/${id}/refunds`, {
    token: merchant.sessionToken,
    json: { amount_zat: 1, reason: 'chargeback risk' },
  })
  const link = refund.refund_url.split('/').at(-1)
  const { status, body } = await call(api, `GET /api/v1/pull-payments/${link}`)
  assert.deepEqual([status, body.id, body.name], [200, link, ''])
})

test('each variant gives what its name says', async () => {
  const sums = async (json: object, paidZat: bigint | null = null) => {
    const { body } = await refundOf(await sellAndPay('25.00', { paidZat }), json)
    return [body.amount, body.currency, await zatOf(body)]
  }
  assert.deepEqual(await sums({ refundVariant: 'RateThen' }), ['0.25', 'ZEC', 25_000_000])
  assert.deepEqual(await sums({ refundVariant: 'CurrentRate' }), ['25', 'EUR', 25_000_000])
  assert.deepEqual(await sums({ refundVariant: 'OverpaidAmount' }, ZEC), ['0.75', 'ZEC', 75_000_000])
  assert.deepEqual(await sums({ refundVariant: 'fiat', subtractPercentage: '10' }), ['22.5', 'EUR', 22_500_000])
  assert.deepEqual(await sums({ refundVariant: 'Custom', customAmount: 5.5 }), ['5.5', 'EUR', 5_500_000])
  const custom = { refundVariant: 'Custom', customAmount: '0.1', customCurrency: 'ZEC' }
  assert.deepEqual(await sums(custom), ['0.1', 'ZEC', 10_000_000])
  assert.deepEqual(await sums({ refundVariant: 'Fiat' }, ZEC / 10n), ['10', 'EUR', 10_000_000])
})

test('what cannot be refunded is refused with the member that says so', async () => {
  const id = await sellAndPay('25.00')
  const pathOf = async (json: object) => {
    const { status, body } = await refundOf(id, json)
    return [status, body[0].path]
  }
  assert.deepEqual(await pathOf({}), [422, 'refundVariant'])
  assert.deepEqual(await pathOf({ refundVariant: 'OverpaidAmount' }), [422, 'refundVariant'])
  assert.deepEqual(await pathOf({ refundVariant: 'Custom' }), [422, 'customAmount'])
  assert.deepEqual(await pathOf({ refundVariant: 'Custom', customAmount: '30', customCurrency: 'EUR' }), [
    422,
    'amount',
  ])
  assert.deepEqual(await pathOf({ refundVariant: 'Fiat', payoutMethodId: 'LTC' }), [422, 'payoutMethodId'])
  assert.deepEqual(await pathOf({ refundVariant: 'Fiat', subtractPercentage: 100 }), [422, 'subtractPercentage'])
})

test('a pull payment is a refund of the only order that its name has', async () => {
  await sellAndPay('25.00', { orderId: '15' })
  await sellAndPay('25.00', { orderId: 'A-16' })
  const pull = (name: string, amount = '10.00') =>
    ask('POST pull-payments', {
      json: {
        name,
        amount,
        currency: 'EUR',
        paymentMethods: ['ZEC_CHAIN'],
        payoutMethods: ['ZEC_CHAIN'],
        period: null,
      },
    })
  const { body } = await pull('Refund of order 15; A-16 was wanted')
  assert.deepEqual(
    [body.amount, body.name, await zatOf(body)],
    ['10.00', 'Refund of order 15; A-16 was wanted', 10_000_000],
  )
  assert.equal((await pull('Erstattung für #A-16: 2 Stück')).status, 200)
  for (const name of ['Refund', '', 'Refund of order 99', 'orders 15 and A-16'])
    assert.deepEqual([(await pull(name)).status, (await pull(name)).body[0].path], [422, 'name'], name)
  assert.deepEqual((await pull('order 15', '15.01')).body[0].path, 'amount')
  assert.equal((await pull('order 15', '15.00')).status, 200)
})

test('an invoice that is short within its tolerance is refunded whole with what it received', async () => {
  const id = await sellAndPay('25.00', { paidZat: 24_900_000n, tolerance: 1 })
  const { body } = await refundOf(id, { refundVariant: 'Custom', customAmount: '25.00', customCurrency: 'EUR' })
  assert.equal(await zatOf(body), 24_900_000)
})

test('pull payments are listed, read by their id, and archived', async () => {
  const other = await api.merchant()
  const { body } = await refundOf(await sellAndPay('25.00'), { refundVariant: 'Fiat' })
  assert.equal((await ask('GET pull-payments', { headers: { 'x-a': 'b' } })).body[0].id, body.id)
  assert.deepEqual((await call(api, `GET /api/v1/pull-payments/${body.id}`)).body.viewLink, body.viewLink)
  const stranger = await greenfieldClient(api, other)
  assert.equal((await stranger(`DELETE /api/v1/pull-payments/${body.id}`)).status, 404)
  assert.equal((await ask(`DELETE pull-payments/${body.id}`)).text, '')
  const ids = async (query: string) =>
    (await ask(`GET pull-payments/${query}`)).body.map(({ id }: { id: string }) => id) as string[]
  assert.ok(!(await ids('')).includes(body.id))
  assert.ok((await ids('?includeArchived=True')).includes(body.id))
})

test('what each variant would give is shown before', async () => {
  const { body } = await ask(`GET invoices/${await sellAndPay('25.00', { paidZat: ZEC })}/refund/ZEC-CHAIN`)
  conforms('InvoiceRefundTriggerData', body)
  assert.deepEqual(
    [body.paymentAmountThen, body.paymentAmountNow, body.invoiceAmount, body.overpaidPaymentAmount],
    ['0.25', '0.25', '25.00', '0.75'],
  )
})

test('its currency has the decimal places in which the invoice is shown', async () => {
  const placesOf = async (currency: string) => {
    const { id } = (await ask('POST invoices', { json: { amount: '25', currency } })).body
    return (await ask(`GET invoices/${id}/refund/ZEC-CHAIN`)).body.invoiceCurrencyDivisibility
  }
  for (const [currency, places] of [
    ['EUR', 2],
    ['SATS', 0],
    ['ZEC', 8],
  ] as const)
    assert.equal(await placesOf(currency), places, currency)
})
