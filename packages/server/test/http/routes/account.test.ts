import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseAddress } from '@zatgate/zcash/address'
import { type Merchant, startTestApi, type TestApi } from '../../harness/api.ts'
import { call } from '../../harness/http-call.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

let api: TestApi
let merchant: Merchant

before(async () => {
  api = await startTestApi()
  merchant = await api.merchant()
})
after(() => api.close())

const as = (user: Merchant) => (line: string, json?: unknown) =>
  call(api, line, json === undefined ? { token: user.sessionToken } : { token: user.sessionToken, json })

const SESSION_ENDPOINTS = [
  'GET /v1/account',
  'PATCH /v1/account',
  'PUT /v1/account/viewing-key',
  'GET /v1/account/invoices',
  'GET /v1/account/api-keys',
  'POST /v1/account/api-keys',
  'DELETE /v1/account/api-keys/3fa85f64-5717-4562-b3fc-2c963f66afa6',
  'GET /v1/account/sessions',
  'DELETE /v1/account/sessions/3fa85f64-5717-4562-b3fc-2c963f66afa6',
  'POST /v1/auth/logout',
]

test('every session endpoint rejects a missing token and every kind of bad token with its 401', async () => {
  for (const line of SESSION_ENDPOINTS) {
    const missing = await call(api, line)
    assert.deepEqual([missing.status, missing.body.message], [401, 'missing session token'], line)
    for (const token of [merchant.apiKey, 'x', `${merchant.sessionToken}x`, `zgs_${'a'.repeat(49)}`]) {
      const { status, body } = await call(api, line, { token })
      assert.deepEqual([status, body.code, body.message], [401, 'bad_session_token', 'bad session token'], line)
    }
  }
})

test('the account has exactly the documented fields', async () => {
  const { status, body } = await as(merchant)('GET /v1/account')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    id: merchant.account.publicId,
    email: merchant.account.email,
    network: 'regtest',
    viewing_key_set: true,
    confirmations: 3,
    plan: 'Business',
    plan_expires_at: null,
    invoices_this_month: { used: 0, limit: null, resets_at: 1_801_440_000 },
    created_at: api.clock.secs,
  })
  assert.equal(new Date(1_801_440_000_000).toISOString(), '2027-02-01T00:00:00.000Z')
})

test('confirmations accept both limits, and values beyond them change nothing', async () => {
  const send = as(await api.merchant())
  for (const confirmations of [0, 100]) {
    assert.equal((await send('PATCH /v1/account', { confirmations })).body.confirmations, confirmations)
    assert.equal((await send('GET /v1/account')).body.confirmations, confirmations)
  }
  for (const confirmations of [-1, 101, 1.5, '3', null]) {
    const { status, body } = await send('PATCH /v1/account', { confirmations })
    assert.deepEqual([status, body.message], [400, 'invalid confirmations'])
  }
  assert.equal((await send('PATCH /v1/account', {})).body.message, 'invalid confirmations')
  assert.equal((await send('PATCH /v1/account', { confirmations: 1, plan: 'Pro' })).body.message, 'unknown field plan')
  assert.equal((await send('GET /v1/account')).body.confirmations, 100)
})

test('setting a viewing key returns its first address, and the key is never shown again', async () => {
  const user = await api.merchant({ viewingKey: null })
  const send = as(user)
  assert.equal((await send('GET /v1/account')).body.viewing_key_set, false)
  const key = testViewingKey(9)
  const { status, body, text } = await send('PUT /v1/account/viewing-key', { viewing_key: key })
  assert.equal(status, 200)
  assert.equal(body.viewing_key_set, true)
  assert.equal(parseAddress(body.first_address).network, 'regtest')
  assert.ok(!text.includes(key))
  assert.ok(!(await send('GET /v1/account')).text.includes(key))
})

test('an unusable viewing key is rejected with the reason', async () => {
  const send = as(await api.merchant({ viewingKey: null }))
  for (const viewing_key of ['x', testViewingKey(1).slice(0, -1), 'ur1qqqq', 'u'.repeat(4000), 'secret-extended-key']) {
    const { status, body } = await send('PUT /v1/account/viewing-key', { viewing_key })
    assert.deepEqual([status, body.code, body.message], [400, 'invalid_viewing_key', 'invalid viewing_key'])
    assert.ok(body.detail.length > 5)
  }
  for (const viewing_key of [1, null, '', 'u'.repeat(4001)])
    assert.equal((await send('PUT /v1/account/viewing-key', { viewing_key })).body.message, 'invalid viewing_key')
  assert.equal((await send('GET /v1/account')).body.viewing_key_set, false)
})

test('a further viewing key is refused once the plan has as many watched, and the present one stays', async () => {
  const user = await api.merchant({ plan: 'Free', viewingKey: null })
  const set = (seed: number) => as(user)('PUT /v1/account/viewing-key', { viewing_key: testViewingKey(seed) })
  const create = () => call(api, 'POST /v1/invoices', { token: user.apiKey, json: { amount_zat: 1 } })
  for (const seed of [31, 32, 33, 34, 35]) {
    assert.equal((await set(seed)).status, 200)
    assert.equal((await create()).status, 200)
  }
  const { status, body } = await set(36)
  assert.deepEqual(
    [status, body.code, body.message, body.limit, body.plan],
    [409, 'too_many_watched_keys', 'too many watched viewing keys', 5, 'Free'],
  )
  assert.match(
    body.detail,
    /^the Free plan watches 5 viewing keys at a time, .* wait until 20\d\d-[^ ]+Z at the earliest$/,
  )
  assert.equal((await create()).status, 200)
})

test('an invoice uses the viewing key that is set when it is created', async () => {
  const user = await api.merchant({ viewingKey: testViewingKey(10) })
  const createInvoice = async () =>
    (await call(api, 'POST /v1/invoices', { token: user.apiKey, json: { amount_zat: 1 } })).body.id
  const before = await createInvoice()
  await as(user)('PUT /v1/account/viewing-key', { viewing_key: testViewingKey(11) })
  const [old, now] = await Promise.all([api.invoices.read(before), api.invoices.read(await createInvoice())])
  assert.notEqual(old.viewingKeyId, now.viewingKeyId)
})

test('an API key is shown once, listed by its last four characters, and can be revoked', async () => {
  const user = await api.merchant()
  const send = as(user)
  const created = await send('POST /v1/account/api-keys', { name: 'web shop' })
  assert.equal(created.status, 200)
  const { key, ...record } = created.body
  assert.match(key, /^zg_[0-9A-Za-z]{49}$/)
  assert.deepEqual(record, {
    id: record.id,
    name: 'web shop',
    last4: key.slice(-4),
    created_at: api.clock.secs,
    last_used_at: null,
    revoked_at: null,
  })
  const listed = await send('GET /v1/account/api-keys')
  assert.deepEqual(listed.body[0], record)
  assert.equal(listed.body.length, 2)
  assert.ok(!listed.text.includes(key))

  const revoked = await send(`DELETE /v1/account/api-keys/${record.id}`)
  assert.deepEqual([revoked.status, revoked.text], [204, ''])
  assert.equal((await send('GET /v1/account/api-keys')).body[0].revoked_at, api.clock.secs)
  assert.equal((await call(api, 'POST /v1/invoices', { token: key, json: { amount_zat: 1 } })).status, 401)
})

test('the last use of a key is recorded to the minute', async () => {
  const user = await api.merchant()
  const use = () => call(api, 'POST /v1/invoices', { token: user.apiKey, json: { amount_zat: 1 } })
  const lastUsed = async () => {
    await api.sessions.whenIdle()
    return (await as(user)('GET /v1/account/api-keys')).body[0].last_used_at
  }
  const start = api.clock.secs
  await use()
  assert.equal(await lastUsed(), start)
  api.clock.advance(59)
  await use()
  assert.equal(await lastUsed(), start)
  api.clock.advance(1)
  await use()
  assert.equal(await lastUsed(), start + 60)
})

test("another account's key id and a malformed id are unknown keys", async () => {
  const [one, two] = [await api.merchant(), await api.merchant()]
  const [{ id }] = (await as(one)('GET /v1/account/api-keys')).body
  for (const unknown of [id, 'x', '3fa85f64-5717-4562-b3fc-2c963f66afa6']) {
    const { status, body } = await as(two)(`DELETE /v1/account/api-keys/${unknown}`)
    assert.deepEqual([status, body.message], [404, 'no such api key'])
  }
  assert.equal((await as(one)('GET /v1/account/api-keys')).body[0].revoked_at, null)
})

test('a key name has 1 to 100 characters; blank names and control characters are rejected', async () => {
  const send = as(await api.merchant())
  for (const name of ['x', 'ü'.repeat(100)])
    assert.equal((await send('POST /v1/account/api-keys', { name })).status, 200)
  for (const name of ['', '  ', 'x'.repeat(101), 'a\nb', 5, null]) {
    const { status, body } = await send('POST /v1/account/api-keys', { name })
    assert.deepEqual([status, body.message], [400, 'invalid name'], JSON.stringify(name))
  }
})

test('an account has at most 100 active API keys', async () => {
  const send = as(await api.merchant())
  for (let count = 1; count < 100; count++)
    assert.equal((await send('POST /v1/account/api-keys', { name: 'k' })).status, 200)
  const { status, body } = await send('POST /v1/account/api-keys', { name: 'k' })
  assert.deepEqual([status, body.message], [409, 'too many api keys'])
  const [{ id }] = (await send('GET /v1/account/api-keys?limit=1')).body
  await send(`DELETE /v1/account/api-keys/${id}`)
  assert.equal((await send('POST /v1/account/api-keys', { name: 'k' })).status, 200)
})

test('sessions are listed and ended one by one, and logout ends its own session', async () => {
  const user = await api.merchant()
  const second = await api.sessions.create(user.account, 'a script')
  const listed = (await as(user)('GET /v1/account/sessions')).body
  assert.deepEqual(
    listed.map(({ label }: { label: string }) => label),
    ['a script', 'test'],
  )
  assert.equal(listed[0].expires_at - listed[0].created_at, 30 * 86_400)
  assert.equal((await as(user)(`DELETE /v1/account/sessions/${listed[0].id}`)).status, 204)
  assert.equal((await call(api, 'GET /v1/account', { token: second.token })).body.message, 'bad session token')
  assert.equal((await as(user)(`DELETE /v1/account/sessions/${listed[0].id}`)).body.message, 'no such session')

  const logout = await as(user)('POST /v1/auth/logout')
  assert.deepEqual([logout.status, logout.text], [204, ''])
  assert.equal((await as(user)('GET /v1/account')).body.message, 'bad session token')
  assert.equal((await as(user)('POST /v1/auth/logout')).status, 401)
})

test('a session is valid for exactly 30 days', async t => {
  const own = await startTestApi()
  t.after(() => own.close())
  const { sessionToken: token } = await own.merchant()
  own.clock.advance(30 * 86_400 - 1)
  assert.equal((await call(own, 'GET /v1/account', { token })).status, 200)
  own.clock.advance(1)
  assert.equal((await call(own, 'GET /v1/account', { token })).body.message, 'bad session token')
})

test('an expired plan becomes the Free plan', async () => {
  const user = await api.merchant()
  await api.accounts.setPlan(user.account.email, 'Pro', api.clock.secs + 1)
  const plan = async () => {
    const { body } = await as(user)('GET /v1/account')
    return [body.plan, body.plan_expires_at, body.invoices_this_month.limit]
  }
  assert.deepEqual(await plan(), ['Pro', api.clock.secs + 1, 1000])
  api.clock.advance(1)
  assert.deepEqual(await plan(), ['Free', null, 50])
})

test('an export whose period ends before it starts is rejected', async () => {
  const { status, body } = await as(merchant)('GET /v1/account/export?format=csv&from=20&to=19')
  assert.deepEqual([status, body], [400, { code: 'invalid_to', message: 'invalid to', detail: 'not before from' }])
  assert.equal((await as(merchant)('GET /v1/account/export?format=csv&from=20&to=20')).status, 200)
})
