import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../../harness/api.ts'
import { greenfieldClient, pluginKey } from '../../harness/greenfield-client.ts'
import { call } from '../../harness/http-call.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const ask = await greenfieldClient(api, merchant)

const ORDER = {
  amount: '25.00',
  currency: 'eur',
  metadata: { orderId: '15', itemDesc: 'Two shirts', taxIncluded: 2.15 },
  checkout: {
    speedPolicy: null,
    paymentMethods: ['ZEC_CHAIN'],
    expirationMinutes: '30',
    paymentTolerance: 1.5,
    redirectURL: 'https://shop.example/thanks/{InvoiceId}?order={OrderId}',
    redirectAutomatically: true,
    defaultLanguage: 'de-DE',
    unknown: 1,
  },
  obsolete: null,
}

test('an invoice is created by a price and read with all that was given', async () => {
  const { status, body } = await ask('POST invoices', { json: ORDER })
  assert.equal(status, 200)
  assert.deepEqual([body.amount, body.currency, body.paidAmount, body.type], ['25.00', 'EUR', '0', 'Standard'])
  assert.deepEqual([body.status, body.additionalStatus, body.archived], ['New', 'None', false])
  assert.deepEqual([body.storeId, body.checkoutLink], [merchant.account.publicId, `${api.url}/i/${body.id}`])
  assert.deepEqual(body.metadata, ORDER.metadata)
  assert.deepEqual(body.checkout, {
    speedPolicy: 'LowMediumSpeed',
    paymentMethods: ['ZEC-CHAIN'],
    defaultPaymentMethod: 'ZEC-CHAIN',
    lazyPaymentMethods: false,
    expirationMinutes: 30,
    monitoringMinutes: 10_080,
    paymentTolerance: 1.5,
    redirectURL: ORDER.checkout.redirectURL,
    redirectAutomatically: true,
    defaultLanguage: 'de-DE',
  })
  for (const path of [`invoices/${body.id}`, `invoices/${body.id}/`, `/api/v1/invoices/${body.id}`])
    assert.deepEqual((await ask(`GET ${path}`)).body, body, path)
})

test('metadata comes back as the bytes that were sent', async () => {
  const metadata = '{"n":10000000000000000001,"price":1.50,"a":{"$ref":"#"},"text":"\\u00e9\\/"}'
  const created = await ask('POST invoices', { raw: `{"amount":1,"currency":"EUR","metadata":${metadata}}` })
  assert.ok(created.text.includes(`"metadata":${metadata}`), created.text)
  const changed = `{"orderId":7.50,"b":[1.0]}`
  const put = await ask(`PUT invoices/${created.body.id}`, { raw: `{"metadata":${changed}}` })
  assert.ok(put.text.includes(`"metadata":${changed}`))
  assert.equal((await ask('GET invoices?orderId=7.50')).body[0].id, created.body.id)
})

test('amounts may be numbers, in any notation, and are priced as they are written', async () => {
  const amountOf = async (amount: string) =>
    (await ask('POST invoices', { raw: `{"amount":${amount},"currency":"BTC"}` })).body.amount
  assert.deepEqual(await Promise.all(['0.10', '"0.10"', '2.5e-7', '1.25E+1'].map(amountOf)), [
    '0.10',
    '0.10',
    '0.00000025',
    '12.5',
  ])
})

test('without an amount the buyer chooses it', async () => {
  const { body } = await ask('POST invoices', { json: { amount: null, currency: 'EUR', checkout: null } })
  assert.deepEqual([body.type, body.amount, body.currency], ['TopUp', '0', 'ZEC'])
})

test('what is wrong is listed by its path, all at once', async () => {
  const checkout = { expirationMinutes: 0, paymentMethods: ['BTC-CHAIN'], speedPolicy: 'Fast', paymentTolerance: 101 }
  const { status, body } = await ask('POST invoices', { json: { amount: '1', currency: 'XX', checkout } })
  assert.equal(status, 422)
  assert.deepEqual(
    body.map(({ path }: { path: string }) => path),
    [
      'currency',
      ...['paymentMethods', 'expirationMinutes', 'speedPolicy', 'paymentTolerance'].map(name => `checkout.${name}`),
    ],
  )
  const pathOf = async (json: object) => (await ask('POST invoices', { json })).body[0].path
  assert.equal(await pathOf({ amount: '0', currency: 'EUR' }), 'amount')
  assert.equal(await pathOf({ amount: '', currency: 'EUR' }), 'amount')
  assert.equal(await pathOf({ amount: '5' }), 'currency')
  assert.equal(
    await pathOf({ amount: '5', currency: 'EUR', metadata: { orderId: 'x'.repeat(129) } }),
    'metadata.orderId',
  )
  assert.equal(
    await pathOf({ amount: '5', currency: 'EUR', checkout: { redirectURL: 'ftp://a' } }),
    'checkout.redirectURL',
  )
})

test('a speed policy raises the confirmations of the account and never lowers them', async () => {
  const policyOf = async (speedPolicy: string) => {
    const { body } = await ask('POST invoices', { json: { ...ORDER, checkout: { speedPolicy } } })
    return [body.checkout.speedPolicy, (await api.invoices.read(body.id)).confirmations]
  }
  assert.deepEqual(await policyOf('HighSpeed'), ['LowMediumSpeed', 3])
  assert.deepEqual(await policyOf('lowspeed'), ['LowSpeed', 6])
})

test('the payment method of an invoice names its address and what is due', async () => {
  const { body } = await ask('POST invoices', { json: ORDER })
  const { body: methods } = await ask(`GET invoices/${body.id}/payment-methods?accounted=True`)
  const invoice = await api.invoices.read(body.id)
  const [{ destination, paymentLink, rate, amount, due, payments, ...others }] = methods
  assert.deepEqual([destination, rate], [invoice.address, invoice.rate?.price])
  assert.match(paymentLink, /^zcash:/)
  assert.equal(amount, due)
  assert.deepEqual(payments, [])
  assert.deepEqual(others, {
    paymentMethodId: 'ZEC-CHAIN',
    currency: 'ZEC',
    paymentMethodPaid: '0',
    totalPaid: '0',
    paymentMethodFee: '0',
    activated: true,
    additionalData: {},
  })
})

test('an open invoice that is marked as invalid is canceled, and one that is marked as settled keeps its status on the chain', async () => {
  const { body: first } = await ask('POST invoices', { json: ORDER })
  const { body: invalid } = await ask(`POST invoices/${first.id}/status`, { json: { status: 'Invalid' } })
  assert.deepEqual([invalid.status, invalid.additionalStatus], ['Invalid', 'Marked'])
  assert.deepEqual(invalid.availableStatusesForManualMarking, ['Settled'])
  assert.deepEqual(
    [(await api.invoices.read(first.id)).status, (await api.invoices.read(first.id)).markedAs],
    ['expired', null],
  )

  const { body: second } = await ask('POST invoices', { json: ORDER })
  const { body: settled } = await ask(`POST invoices/${second.id}/status`, { json: { status: 'settled' } })
  assert.deepEqual([settled.status, settled.additionalStatus, settled.paidAmount], ['Settled', 'Marked', '0'])
  const stored = await api.invoices.read(second.id)
  assert.deepEqual([stored.status, stored.markedAs], ['pending', 'settled'])
  assert.equal((await ask(`POST invoices/${second.id}/status`, { json: { status: 'Paid' } })).body[0].path, 'status')
  const { body: own } = await call(api, `GET /v1/invoices/${second.id}`, { token: merchant.sessionToken })
  assert.deepEqual([own.status, own.marked_as, own.marked_at], ['pending', 'settled', api.clock.secs])
  const { body: anyone } = await call(api, `GET /v1/invoices/${second.id}`)
  assert.equal(anyone.marked_as, undefined)
})

test('lists are filtered by order, status, time and text, and leave archived invoices out', async () => {
  const other = await api.merchant()
  const token = await pluginKey(api, other)
  const path = `/api/v1/stores/${other.account.publicId}/invoices`
  const sell = async (orderId: string) => {
    api.clock.advance(60)
    const metadata = { orderId, buyerName: `Buyer of ${orderId}` }
    return (await ask(`POST ${path}`, { token, json: { ...ORDER, metadata } })).body.id as string
  }
  const [a, b, c] = [await sell('a'), await sell('b'), await sell('c')]
  await ask(`POST ${path}/${a}/status`, { token, json: { status: 'Invalid' } })
  await ask(`POST ${path}/${b}/status`, { token, json: { status: 'Settled' } })
  const listed = async (query: string) => {
    const { body } = await ask(`GET ${path}?${query}`, { token })
    return body.map(({ id }: { id: string }) => ({ [a]: 'a', [b]: 'b', [c]: 'c' })[id]).join('')
  }
  assert.equal(await listed(''), 'cba')
  assert.equal(await listed('take=1&skip=1'), 'b')
  assert.equal(await listed('orderId=a&orderId=c'), 'ca')
  assert.equal(await listed('orderId[]=a'), 'a')
  assert.equal(await listed('status=settled&status=Invalid'), 'ba')
  assert.equal(await listed('status=New&orderId=a'), '')
  assert.equal(await listed('textSearch=buyer+of+B'), 'b')
  const { createdAt } = await api.invoices.read(b)
  assert.equal(await listed(`startDate=${createdAt}&endDate=${createdAt}`), 'b')
  assert.equal((await ask(`DELETE ${path}/${b}`, { token })).text, '')
  assert.equal(await listed(''), 'ca')
  assert.equal(await listed('includeArchived=true'), 'cba')
  assert.equal((await ask(`POST ${path}/${b}/unarchive`, { token, raw: 'null' })).body.archived, false)
  const { status, body } = await ask(`GET ${path}?take=5000&status=Paid`, { token })
  assert.deepEqual([status, body.map((error: { path: string }) => error.path)], [422, ['take', 'skip', 'status']])
})

test("clients' requests are taken as they come", async () => {
  const { body } = await ask('POST invoices', { json: ORDER })
  assert.equal((await ask('GET invoices', { headers: { 'x-accept-version': '2.0.0' } })).status, 200)
  const archived = await ask(`DELETE invoices/${body.id}`, { raw: '{}' })
  assert.deepEqual([archived.status, archived.text, archived.headers.get('content-type')], [200, '', null])
  assert.equal((await ask(`POST invoices/${body.id}/payment-methods/zec/activate`, { raw: 'null' })).status, 200)
  assert.equal((await ask('POST invoices', { raw: '{"amount":' })).status, 400)
})

test('errors have the codes of BTCPay and name the permission', async () => {
  const unknown = await ask('GET invoices/unknown')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'invoice-not-found'])
  const foreign = await ask(`GET /api/v1/stores/${(await api.merchant()).account.publicId}/invoices`)
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'store-not-found'])
  const wrong = await ask('GET invoices', { token: 'wrong-key-wrong-key' })
  assert.deepEqual([wrong.status, wrong.body.code], [401, 'unauthenticated'])
  const { status, body } = await ask('GET invoices', {
    token: await pluginKey(api, merchant, ['btcpay.store.cancreateinvoice']),
  })
  assert.deepEqual(
    [status, body.code, body.missingPermission],
    [403, 'missing-permission', 'btcpay.store.canviewinvoices'],
  )
  assert.match(body.message, /"btcpay\.store\.canviewinvoices"/)
  const absent = await ask('GET lightning/BTC/info')
  assert.deepEqual([absent.status, absent.body.code], [404, 'not-available'])
})

test("another account's invoice is unknown, also without a store in the path", async () => {
  const { body } = await ask('POST invoices', { json: ORDER })
  const token = await pluginKey(api, await api.merchant())
  for (const line of ['GET', 'PUT', 'DELETE'].map(method => `${method} /api/v1/invoices/${body.id}`))
    assert.equal(
      (await ask(line, { token, ...(line.startsWith('PUT') && { json: { metadata: { a: 1 } } }) })).status,
      404,
      line,
    )
  assert.equal(
    (await ask(`POST /api/v1/invoices/${body.id}/status`, { token, json: { status: 'Settled' } })).status,
    404,
  )
})

test('metadata has a bound, and a password is no credential', async () => {
  const posData = 'x'.repeat(17_000)
  const { status, body } = await ask('POST invoices', { json: { ...ORDER, metadata: { posData } } })
  assert.deepEqual([status, body[0].path], [422, 'metadata'])
  const basic = { authorization: `Basic ${Buffer.from('merchant@example.org:secret').toString('base64')}` }
  assert.equal((await ask('GET invoices', { headers: basic })).status, 401)
  const { status: without } = await call(
    api,
    `GET /api/v1/invoices/${(await ask('POST invoices', { json: ORDER })).body.id}`,
  )
  assert.equal(without, 401, 'the id alone shows nothing of the order')
})

test('a body that is lost or no object makes no invoice', async () => {
  const { body: before } = await ask('GET invoices?take=250')
  for (const raw of ['', '[]', 'null', '"x"', '5'])
    assert.equal((await ask('POST invoices', { raw })).body.code, 'invalid-json', raw)
  assert.equal((await ask('GET invoices?take=250')).body.length, before.length)
})

test('names may begin with a capital, as BTCPay reads them', async () => {
  const json = { Amount: '1.50', Currency: 'EUR', Metadata: { orderId: 'C-1' } }
  const { body } = await ask('POST invoices', { json })
  assert.deepEqual([body.amount, body.metadata], ['1.50', { orderId: 'C-1' }])
  const raw = '{"Amount":1.50,"Currency":"EUR"}'
  assert.equal((await ask('POST invoices', { raw })).body.amount, '1.50', 'a number as it is written')
})

test('text that a database cannot keep is refused, on PostgreSQL too', async () => {
  const nul = String.fromCharCode(0)
  const pathOf = async (json: object) => (await ask('POST invoices', { json: { ...ORDER, ...json } })).body[0].path
  assert.equal(await pathOf({ checkout: { redirectURL: `https://shop.example/${nul}` } }), 'checkout.redirectURL')
  assert.equal(await pathOf({ metadata: { orderId: `a${nul}` } }), 'metadata.orderId')
  assert.equal((await ask(`GET invoices?orderId=a${encodeURIComponent(nul)}`)).body[0].path, 'orderId')
})
