import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../../../harness/api.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const create = (json: object) => call(api, 'POST /v1/invoices', { token: merchant.apiKey, json })
const createRaw = (raw: string) =>
  call(api, 'POST /v1/invoices', { token: merchant.apiKey, raw, headers: { 'content-type': 'application/json' } })
const read = (id: string, token?: string, query = '') =>
  call(api, `GET /v1/invoices/${id}${query}`, token === undefined ? {} : { token })
const cancel = (id: string, token = merchant.sessionToken) => call(api, `POST /v1/invoices/${id}/cancel`, { token })

/** The bodies of api.md: exactly these members, in this order. */
const PLAIN = {
  created: ['id', 'address', 'amount_zat', 'zip321_uri', 'status', 'expires_at'],
  read: 'id status amount_zat address zip321_uri expires_at txid received_zat overpaid_zat swap'.split(' '),
  listed: 'id status amount_zat received_zat overpaid_zat address txid created_at expires_at paid_at'.split(' '),
}

test('a request that uses none of the members of a sale gets the bodies of the first version, and a link', async () => {
  const { body, headers } = await create({ amount_zat: 5, expires_in_secs: 60 })
  assert.deepEqual(Object.keys(body), PLAIN.created)
  assert.deepEqual(Object.keys((await read(body.id)).body), PLAIN.read)
  const { body: rows } = await call(api, 'GET /v1/account/invoices?limit=1', { token: merchant.sessionToken })
  assert.deepEqual(Object.keys(rows[0]), PLAIN.listed)
  assert.equal(headers.get('link'), `<${api.url}/i/${body.id}>; rel="payment"`)
  assert.match(body.zip321_uri, /^zcash:[a-z0-9]+\?amount=0\.00000005&memo=[\w-]+$/)
})

test('with any member of a sale, or when asked for, the response has the address of the checkout', async () => {
  for (const json of [{ order_id: '1' }, { tolerance_bps: 0 }, { unique_order: false }, { checkout: true }]) {
    const { body, headers } = await create({ amount_zat: 5, ...json })
    assert.equal(body.checkout_url, `${api.url}/i/${body.id}`, JSON.stringify(json))
    assert.equal(headers.get('link'), null)
  }
  assert.equal((await create({ amount_zat: 5, checkout: false })).body.checkout_url, undefined)
})

const GIVEN = {
  tolerance_bps: 50,
  confirmations: 1,
  success_url: 'https://shop.example/thanks?o={order_id}',
  cancel_url: 'https://shop.example/cart',
  auto_redirect: true,
  locale: 'pt-BR',
}

test('what was given comes back to the merchant and to no one else', async () => {
  const { body } = await create({ amount_zat: 5, ...GIVEN })
  const { body: own } = await read(body.id, merchant.sessionToken)
  const { body: rows } = await call(api, 'GET /v1/account/invoices?limit=1', { token: merchant.sessionToken })
  for (const shown of [body, own, rows[0]])
    assert.deepEqual(Object.fromEntries(Object.keys(GIVEN).map(name => [name, shown[name]])), GIVEN)
  const other = await api.merchant()
  for (const token of [undefined, merchant.apiKey, other.sessionToken, other.apiKey, 'nonsense'])
    assert.deepEqual(Object.keys((await read(body.id, token)).body), PLAIN.read, String(token?.slice(0, 4)))
})

test('a session token that has ended is refused, also where everyone may read', async () => {
  const { body } = await create({ amount_zat: 5 })
  const gone = await api.merchant()
  await api.sessions.endAll(gone.account)
  const { status, body: error } = await read(body.id, gone.sessionToken)
  assert.deepEqual([status, error.code], [401, 'bad_session_token'])
})

test('links lead to https, or to this machine while the service is on it; other texts are refused by name', async () => {
  for (const field of ['success_url', 'cancel_url']) {
    const made = await create({ amount_zat: 5, [field]: 'http://localhost:3001/done' })
    assert.equal(made.status, 200, 'this service listens on this machine')
    for (const url of [
      'http://shop.example/',
      '/done',
      'javascript:alert(1)',
      'https://a:b@shop.example/',
      '',
      'x'.repeat(2049),
    ]) {
      const { status, body } = await create({ amount_zat: 5, [field]: url })
      assert.deepEqual([status, body.code], [400, `invalid_${field}`], url.slice(0, 30))
    }
  }
  assert.equal((await create({ amount_zat: 5, auto_redirect: true })).body.code, 'invalid_auto_redirect')
  for (const locale of ['x', 'de_DE', 'deutsch!', 7, 'x'.repeat(36)])
    assert.equal((await create({ amount_zat: 5, locale })).body.code, 'invalid_locale', String(locale))
})

test('a public service takes https alone', async t => {
  const hosted = await startTestApi({ settings: { publicUrl: 'https://pay.example' } })
  t.after(() => hosted.close())
  const { apiKey } = await hosted.merchant()
  const json = { amount_zat: 5, success_url: 'http://localhost:3001/done' }
  assert.equal((await call(hosted, 'POST /v1/invoices', { token: apiKey, json })).body.code, 'invalid_success_url')
})

/** Texts that a parser would change or refuse. */
const METADATA = [
  '{}',
  '{"total": 25.00, "id": 9007199254740993, "e": 1e400, "minus": -0.0}',
  '{ "b":1,\n\t"a":2 , "b": 3 }',
  '{"__proto__":{"admin":true},"constructor":{"prototype":{}},"$ref":"#/x"}',
  '{"ü":"\\u00fc","nul":"\\u0000","lone":"\\ud800","emoji":"😀"}',
  `${'{"a":'.repeat(15)}{}${'}'.repeat(15)}`,
]

onBothDatabases(engine => {
  test('metadata comes back byte for byte: created, read, listed and exported', async t => {
    const database = await engine.createDatabase(t)
    const on = await startTestApi({ databaseUrl: database.url })
    t.after(() => on.close())
    const { apiKey, sessionToken } = await on.merchant()
    const headers = { 'content-type': 'application/json' }
    for (const metadata of METADATA) {
      const raw = `{"amount_zat":5,"metadata":${metadata},"order_id":"1"}`
      const created = await call(on, 'POST /v1/invoices', { token: apiKey, raw, headers })
      assert.equal(created.status, 200, created.text)
      const { id } = created.body
      const own = await call(on, `GET /v1/invoices/${id}`, { token: sessionToken })
      const listed = await call(on, 'GET /v1/account/invoices?limit=1', { token: sessionToken })
      const exported = await call(on, 'GET /v1/account/export?format=json', { token: sessionToken })
      for (const { text } of [created, own, listed, exported]) assert.ok(text.includes(`"metadata":${metadata}`), text)
      assert.ok(!(await call(on, `GET /v1/invoices/${id}`)).text.includes('metadata'))
    }
  })
})

test('metadata is an object of at most 16 KiB of UTF-8, at most 16 deep', async () => {
  const ofBytes = (bytes: number) => `{"e":"${'é'.repeat((bytes - 8) / 2)}"}`
  assert.equal((await createRaw(`{"amount_zat":5,"metadata":${ofBytes(16_384)}}`)).status, 200)
  const deep = `${'{"a":'.repeat(16)}{}${'}'.repeat(16)}`
  for (const metadata of [ofBytes(16_386), deep, '[]', '"x"', '1', 'null', 'true']) {
    const { status, body } = await createRaw(`{"amount_zat":5,"metadata":${metadata}}`)
    assert.deepEqual([status, body.code], [400, 'invalid_metadata'], metadata.slice(0, 20))
  }
})

test('a pending invoice is canceled once and for all; it is expired, and says when', async () => {
  const { id } = (await create({ amount_zat: 5, order_id: 'c-1', unique_order: true })).body
  const { status, body } = await cancel(id)
  assert.deepEqual([status, body.status, typeof body.canceled_at], [200, 'expired', 'number'])
  assert.deepEqual((await cancel(id)).body, body)
  assert.deepEqual([(await read(id)).body.status, (await read(id)).body.canceled_at], ['expired', undefined])
  assert.equal((await read(id, undefined, '?include=missing')).body.missing_zat, undefined)
  assert.equal((await create({ amount_zat: 5, order_id: 'c-1', unique_order: true })).status, 200, 'the order is free')
})

test('an invoice is canceled by a session of its account alone', async () => {
  const { id } = (await create({ amount_zat: 5 })).body
  const other = await api.merchant()
  assert.deepEqual([(await cancel(id, other.sessionToken)).status, (await read(id)).body.status], [404, 'pending'])
  assert.equal((await cancel(id, merchant.apiKey)).status, 401)
  assert.equal((await cancel('nonsense')).status, 404)
})

test('an expired invoice cannot be canceled', async () => {
  const { id } = (await create({ amount_zat: 5 })).body
  const invoice = await api.invoices.read(id)
  const closed = { ...invoice, status: 'expired' as const }
  await api.store.write(tx => tx.invoices.updateStates([closed]))
  const { status, body } = await cancel(id)
  assert.deepEqual([status, body.code, body.detail], [409, 'invoice_not_cancelable', 'the invoice is expired'])
})

test('include=missing adds the rest and its payment request', async () => {
  const { id, address } = (await create({ amount_zat: 5 })).body
  const { body } = await read(id, undefined, '?include=missing')
  assert.equal(body.missing_zat, 5)
  assert.match(body.missing_uri, new RegExp(`^zcash:${address}\\?amount=0\\.00000005&memo=`))
  assert.equal((await read(id, undefined, '?include=all')).body.code, 'invalid_include')
})

test('an open amount has no amount in its payment request, and no swap', async () => {
  const { body } = await create({ open_amount: true, min_amount_zat: 1_000 })
  assert.deepEqual([body.amount_zat, body.open_amount, body.min_amount_zat], [0, true, 1_000])
  assert.match(body.zip321_uri, /^zcash:[a-z0-9]+\?memo=[\w-]+$/)
})

test('new sales without a tolerance have that of the account, except with an open amount', async t => {
  const on = await startTestApi()
  t.after(() => on.close())
  const { apiKey, sessionToken } = await on.merchant()
  const sell = async (json: object) => (await call(on, 'POST /v1/invoices', { token: apiKey, json })).body
  const before = await sell({ amount_zat: 1_000 })
  const changed = await call(on, 'PATCH /v1/account', { token: sessionToken, json: { tolerance_bps: 100 } })
  assert.deepEqual([changed.status, changed.body.tolerance_bps, changed.body.confirmations], [200, 100, 3])
  assert.equal(before.tolerance_bps, undefined)
  assert.equal((await sell({ amount_zat: 1_000 })).tolerance_bps, 100)
  assert.equal((await sell({ amount_zat: 1_000, tolerance_bps: 0 })).tolerance_bps, 0)
  assert.equal((await sell({ open_amount: true })).tolerance_bps, undefined)
  for (const [json, code] of [
    [{}, 'invalid_confirmations'],
    [{ tolerance_bps: 10_001 }, 'invalid_tolerance_bps'],
    [{ tolerance_bps: -1 }, 'invalid_tolerance_bps'],
  ] as const)
    assert.equal((await call(on, 'PATCH /v1/account', { token: sessionToken, json })).body.code, code)
})
