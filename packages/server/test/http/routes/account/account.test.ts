import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseAddress } from '@zatgate/zcash/address'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'
import { testViewingKey } from '../../../harness/viewing-key.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const as = (user: Merchant) => (line: string, json?: unknown) =>
  call(api, line, json === undefined ? { token: user.sessionToken } : { token: user.sessionToken, json })

test('the account has exactly the documented fields', async () => {
  const { status, body } = await as(merchant)('GET /v1/account')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    id: merchant.account.publicId,
    email: merchant.account.email,
    network: 'regtest',
    viewing_key_set: true,
    confirmations: 3,
    tolerance_bps: 0,
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
