import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MAX_DATE_SECS } from '../../../../src/domain/time.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi({ settings: { trustProxy: 1 } })
const merchant = await api.merchant()
after(() => api.close())

const createKey = (json: object, user: Merchant = merchant) =>
  call(api, 'POST /v1/account/api-keys', { token: user.sessionToken, json: { name: 'till', ...json } })

const create = (token: string, client = '192.0.2.1') =>
  call(api, 'POST /v1/invoices', { token, json: { amount_zat: 5 }, headers: { 'x-forwarded-for': client } })

const scopes = ['invoices:create']

test('a scoped key ends when it was said to, and the error says so', async () => {
  const expires_at = api.clock.secs + 100
  const { status, body } = await createKey({ scopes, expires_at })
  assert.deepEqual([status, body.expires_at, body.addresses], [200, expires_at, null])
  api.clock.advance(99)
  assert.equal((await create(body.key)).status, 200)
  api.clock.advance(1)
  const ended = await create(body.key)
  assert.deepEqual([ended.status, ended.body.code], [401, 'bad_api_key'])
  assert.match(ended.body.detail, /^the key ended at \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
})

test('the end is in the future, before the year 10000; null is never', async () => {
  for (const expires_at of [api.clock.secs, 0, -1, MAX_DATE_SECS + 1, 1.5, '2030-01-01', true]) {
    const { status, body } = await createKey({ scopes, expires_at })
    assert.deepEqual([status, body.code], [400, 'invalid_expires_at'], JSON.stringify(expires_at))
  }
  for (const expires_at of [api.clock.secs + 1, MAX_DATE_SECS, null])
    assert.equal((await createKey({ scopes, expires_at })).body.expires_at, expires_at)
})

test('a key with addresses works from them, by the proxy that is trusted, and the error names the one of the client', async () => {
  const { status, body } = await createKey({ scopes, addresses: ['192.0.2.77/24', '2001:DB8::1', '192.0.2.0/24'] })
  assert.deepEqual([status, body.addresses], [200, ['192.0.2.0/24', '2001:db8::1/128']])
  for (const client of ['192.0.2.9', '198.51.100.1, 192.0.2.9', '2001:db8:0::1', '::ffff:192.0.2.9'])
    assert.equal((await create(body.key, client)).status, 200, client)
  for (const client of ['198.51.100.1', '192.0.2.9, 198.51.100.1', '2001:db8::2']) {
    const refused = await create(body.key, client)
    assert.deepEqual([refused.status, refused.body.code], [403, 'address_not_allowed'])
    assert.match(refused.body.detail, new RegExp(`came from ${client.split(', ').at(-1)},`))
  }
})

test('addresses are 1 to 20 blocks', async () => {
  const many = Array.from({ length: 21 }, (_, i) => `192.0.2.${i}`)
  for (const addresses of [[], many, ['192.0.2.1', 'shop.example'], [5], '192.0.2.1', ['1'.repeat(60)]]) {
    const { status, body } = await createKey({ scopes, addresses })
    assert.deepEqual([status, body.code], [400, 'invalid_addresses'], JSON.stringify(addresses))
  }
  assert.equal((await createKey({ scopes, addresses: many.slice(1) })).body.addresses.length, 20)
})

test('a key without scopes has no end and no addresses', async () => {
  for (const [field, value] of Object.entries({ expires_at: api.clock.secs + 9, addresses: ['192.0.2.1'] })) {
    const { status, body } = await createKey({ [field]: value })
    assert.deepEqual([status, body.code], [400, `invalid_${field}`])
    assert.match(body.detail, /only with scopes/)
  }
  const { body } = await createKey({})
  assert.deepEqual(['scopes' in body, 'expires_at' in body, 'addresses' in body], [false, false, false])
})

test('end and addresses stand in the list of keys and in the audit log', async () => {
  const user = await api.merchant()
  const limits = { scopes: ['refunds:write'], expires_at: api.clock.secs + 86_400, addresses: ['203.0.113.7/32'] }
  await createKey(limits, user)
  const [{ scopes: has, expires_at, addresses }] = (
    await call(api, 'GET /v1/account/api-keys', { token: user.sessionToken })
  ).body
  assert.deepEqual({ scopes: has, expires_at, addresses }, limits)
  const [entry] = await api.auditLog.list({ accountId: user.account.id }, 1)
  assert.match(entry?.detail ?? '', /^till \(refunds:write; ends \d{4}-.* UTC; from 203\.0\.113\.7\/32\)$/)
})

test('a refused use is no last use', async () => {
  const user = await api.merchant()
  const { body } = await createKey({ scopes, addresses: ['203.0.113.7'] }, user)
  const lastUse = async () => {
    await api.apiKeys.whenIdle()
    return (await call(api, 'GET /v1/account/api-keys', { token: user.sessionToken })).body[0].last_used_at
  }
  await create(body.key)
  assert.equal(await lastUse(), null)
  await create(body.key, '203.0.113.7')
  assert.equal(await lastUse(), api.clock.secs)
})

test('ended keys make room for others, can be revoked, and are deleted after 90 days', async () => {
  const user = await api.merchant()
  for (let count = 1; count < 100; count++)
    assert.equal((await createKey({ scopes, expires_at: api.clock.secs + 60 }, user)).status, 200)
  assert.equal((await createKey({}, user)).status, 409)
  api.clock.advance(60)
  assert.equal((await createKey({}, user)).status, 200)
  const keys = () => call(api, 'GET /v1/account/api-keys?limit=200', { token: user.sessionToken })
  const ended = (await keys()).body[1]
  const revoked = await call(api, `DELETE /v1/account/api-keys/${ended.id}`, { token: user.sessionToken })
  assert.deepEqual([revoked.status, (await keys()).body[1].revoked_at], [204, api.clock.secs])
  const prune = async () => {
    while (await api.cleanup.pruneEndedApiKeys());
    return api.store.read(tx => tx.apiKeys.list(user.account.id, { limit: 200 }))
  }
  api.clock.advance(90 * 86_400)
  assert.equal((await prune()).length, 101)
  api.clock.advance(1)
  assert.equal((await prune()).length, 2)
})
