import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseAddress } from '@zatgate/zcash/address'
import { parsePaymentUri } from '@zatgate/zcash/zip321'
import fc from 'fast-check'
import { FREE_PLAN } from '../../../../src/domain/account/plan.ts'
import { startOfNextMonth } from '../../../../src/domain/time.ts'
import { startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'
import { testViewingKey } from '../../../harness/viewing-key.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const create = (json: unknown, headers: Record<string, string> = {}, { apiKey } = merchant) =>
  call(api, 'POST /v1/invoices', { token: apiKey, json, headers })
const read = (id: string) => call(api, `GET /v1/invoices/${id}`)
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a created invoice has exactly the documented fields and types', async () => {
  const { status, body } = await create({ amount_zat: 150_000_000 })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body).sort(), ['address', 'amount_zat', 'expires_at', 'id', 'status', 'zip321_uri'])
  assert.match(body.id, UUID_V4)
  assert.equal(body.amount_zat, 150_000_000)
  assert.equal(body.status, 'pending')
  assert.equal(body.expires_at, api.clock.secs + 900)
})

test('the address belongs to the network and has only one Orchard receiver', async () => {
  const { address } = (await create({ amount_zat: 1 })).body
  const { network, typecodes, orchard } = parseAddress(address)
  assert.deepEqual([network, typecodes, orchard?.length], ['regtest', [3], 43])
})

test('the payment URI is strict ZIP 321 with the exact amount, and its memo is the invoice id', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2_100_000_000_000_000 }), async amount => {
      const { id, address, zip321_uri } = (await create({ amount_zat: amount })).body
      const parsed = parsePaymentUri(zip321_uri)
      assert.equal(parsed.address, address)
      assert.equal(parsed.amount, BigInt(amount))
      assert.equal(Buffer.from(parsed.memo ?? []).toString(), id)
      assert.match(zip321_uri, /\?amount=\d+(\.\d*[1-9])?&memo=[\w-]+$/)
    }),
    { numRuns: 30 },
  )
})

test('a read invoice has the documented fields, with null for missing values', async () => {
  const created = (await create({ amount_zat: 7, expires_in_secs: 60 })).body
  const { status, body } = await read(created.id)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    id: created.id,
    status: 'pending',
    amount_zat: 7,
    address: created.address,
    zip321_uri: created.zip321_uri,
    expires_at: api.clock.secs + 60,
    txid: null,
    received_zat: 0,
    overpaid_zat: 0,
    swap: null,
  })
})

test('an id in upper case is the same id', async () => {
  const { id } = (await create({ amount_zat: 7 })).body
  assert.equal((await read(id.toUpperCase())).body.id, id)
})

test('an unknown id and a malformed id get the same 404', async () => {
  const ids = ['0', 'abc', '3fa85f64-5717-4562-b3fc-2c963f66afa6', 'x'.repeat(5000), '%00', 'ü', "'; --"]
  for (const id of ids) {
    const { status, body } = await read(encodeURIComponent(id))
    assert.deepEqual([status, body], [404, { code: 'no_such_invoice', message: 'no such invoice' }], id)
  }
})

test('amount_zat accepts both limits; values beyond them and non-integers are rejected', async () => {
  for (const amount of [1, 2_100_000_000_000_000]) assert.equal((await create({ amount_zat: amount })).status, 200)
  for (const wrong of [0, -1, 2_100_000_000_000_001, 1.5, '1', true, null, [1], {}, 1e300]) {
    const { status, body } = await create({ amount_zat: wrong })
    assert.deepEqual(
      [status, body.code, body.message],
      [400, 'invalid_amount_zat', 'invalid amount_zat'],
      String(wrong),
    )
  }
  assert.equal((await create({})).body.message, 'invalid amount_zat')
})

test('expires_in_secs accepts both limits; nothing is clamped', async () => {
  for (const secs of [60, 86_400]) {
    const { body } = await create({ amount_zat: 1, expires_in_secs: secs })
    assert.equal(body.expires_at, api.clock.secs + secs)
  }
  for (const wrong of [59, 86_401, 0, -60, 60.5, '60', null]) {
    const { status, body } = await create({ amount_zat: 1, expires_in_secs: wrong })
    assert.deepEqual([status, body.message], [400, 'invalid expires_in_secs'], String(wrong))
  }
})

test('an unknown field is rejected by name, and the error names the documented ones', async () => {
  const { schemas } = (await call(api, 'GET /openapi.json')).body.components
  const documented = Object.keys(schemas.CreateInvoiceRequest.properties)
  assert.ok(documented.includes('amount_zat') && documented.includes('order_id'))
  const detail = `one of ${documented.join(', ')}`
  for (const name of ['memo', 'amount', '__proto__', 'constructor', 'ünï']) {
    const raw = `{"amount_zat": 5, ${JSON.stringify(name)}: 1}`
    const { status, body } = await call(api, 'POST /v1/invoices', {
      token: merchant.apiKey,
      raw,
      headers: { 'content-type': 'application/json' },
    })
    const shown = name.replace(/[^\x20-\x7e]/g, '?')
    assert.deepEqual([status, body], [400, { code: 'unknown_field', message: `unknown field ${shown}`, detail }])
  }
})

test('the scheme of the Authorization header is case-insensitive', async () => {
  const headers = { authorization: `bearer ${merchant.apiKey}` }
  assert.equal((await call(api, 'POST /v1/invoices', { json: { amount_zat: 1 }, headers })).status, 200)
})

test('checks run in order: API key, body, viewing key, plan limit', async () => {
  const bare = await api.merchant({ plan: FREE_PLAN, viewingKey: null })
  const createWith = (json: unknown, apiKey: string) => create(json, {}, { ...bare, apiKey })
  assert.equal((await createWith({ amount_zat: 0 }, 'nonsense')).body.message, 'bad api key')
  const unread = await call(api, 'POST /v1/invoices', { raw: '{', headers: { 'content-type': 'text/plain' } })
  assert.equal(unread.body.message, 'missing api key')
  assert.equal((await createWith({ amount_zat: 0 }, bare.apiKey)).body.message, 'invalid amount_zat')
  const keyless = await createWith({ amount_zat: 1 }, bare.apiKey)
  assert.deepEqual(
    [keyless.status, keyless.body],
    [400, { code: 'viewing_key_not_set', message: 'viewing key not set' }],
  )
})

test('the last invoice within the plan limit is created, the next is rejected with the numbers, and rejections do not count', async () => {
  const free = await api.merchant({ plan: FREE_PLAN, viewingKey: testViewingKey(5) })
  const createFree = () => create({ amount_zat: 1 }, {}, free)
  for (let made = 0; made < 49; made++) assert.equal((await createFree()).status, 200)
  assert.equal((await create({ amount_zat: 0 }, {}, free)).status, 400)
  assert.equal((await createFree()).status, 200)
  for (const _ of [1, 2]) {
    const { status, body } = await createFree()
    assert.equal(status, 402)
    assert.deepEqual(body, {
      code: 'monthly_invoice_limit_reached',
      message: 'monthly invoice limit reached for the Free plan',
      limit: 50,
      used: 50,
      plan: 'Free',
      resets_at: startOfNextMonth(api.clock.secs),
    })
  }
})

test('a new calendar month in UTC resets the invoice count', async t => {
  const own = await startTestApi({ plans: [{ name: FREE_PLAN, monthlyInvoiceLimit: 1, priceZat: 0n, periodDays: 30 }] })
  t.after(() => own.close())
  const free = await own.merchant({ plan: FREE_PLAN })
  const createStatus = async () =>
    (await call(own, 'POST /v1/invoices', { token: free.apiKey, json: { amount_zat: 1 } })).status
  assert.deepEqual([await createStatus(), await createStatus()], [200, 402])
  const { resets_at } = (await call(own, 'GET /v1/account', { token: free.sessionToken })).body.invoices_this_month
  own.clock.advance(resets_at - own.clock.secs - 1)
  assert.equal(await createStatus(), 402)
  own.clock.advance(1)
  assert.deepEqual([await createStatus(), await createStatus()], [200, 402])
})

test('no address is used twice, even by two accounts with the same viewing key', async () => {
  const shared = testViewingKey(7)
  const pair = await Promise.all([api.merchant({ viewingKey: shared }), api.merchant({ viewingKey: shared })])
  const first = (
    await call(api, 'PUT /v1/account/viewing-key', { token: pair[0].sessionToken, json: { viewing_key: shared } })
  ).body.first_address
  const bodies = await Promise.all(Array.from({ length: 120 }, (_, i) => create({ amount_zat: 1 }, {}, pair[i % 2])))
  const addresses = new Set(bodies.map(({ body }) => body.address))
  assert.equal(addresses.size, 120)
  assert.ok(!addresses.has(first), 'no invoice uses the first address, which is for comparison')
})
