import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SCOPE_NAMES, type Scope } from '../../../../src/domain/account/api-key.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } })
const merchant = await api.merchant()
after(() => api.close())

const createKey = (json: object, user: Merchant = merchant) =>
  call(api, 'POST /v1/account/api-keys', { token: user.sessionToken, json: { name: 'shop', ...json } })

async function keyWith(scopes: readonly Scope[], user: Merchant = merchant): Promise<string> {
  return (await createKey({ scopes }, user)).body.key
}

const create = (token: string, json: object = {}) =>
  call(api, 'POST /v1/invoices', { token, json: { amount_zat: 5, ...json } })
const read = (id: string, token: string) => call(api, `GET /v1/invoices/${id}`, { token })
const cancel = (id: string, token: string) => call(api, `POST /v1/invoices/${id}/cancel`, { token })

test('a scoped key says what it may do, where it is created and listed', async () => {
  const scopes = ['invoices:write', 'invoices:create']
  const { status, body } = await createKey({ scopes })
  assert.deepEqual([status, body.scopes], [200, scopes])
  assert.match(body.key, /^zgk_[0-9A-Za-z]{49}$/)
  const { body: rows } = await call(api, 'GET /v1/account/api-keys', { token: merchant.sessionToken })
  assert.deepEqual(rows[0].scopes, scopes)
  assert.ok(!('scopes' in rows.at(-1)), 'a key without scopes is as it was')
})

test('unknown, repeated and missing scopes are refused', async () => {
  for (const scopes of [[], ['invoices:delete'], ['invoices:read', 'invoices:read'], 'invoices:read', null]) {
    const { status, body } = await createKey({ scopes })
    assert.deepEqual([status, body.code], [400, 'invalid_scopes'], JSON.stringify(scopes))
  }
})

test('a scoped key does what its scopes name, and nothing else', async () => {
  const { body: invoice } = await create(merchant.apiKey, { description: 'a hat', tolerance_bps: 7 })
  const actions = {
    'invoices:create': (key: string) => create(key),
    'invoices:write': (key: string) => cancel(invoice.id, key),
  }
  for (const scope of ['invoices:create', 'invoices:write'] as const) {
    const others = await keyWith(SCOPE_NAMES.filter(name => name !== scope))
    const { status, body } = await actions[scope](others)
    assert.deepEqual([status, body.code], [403, 'missing_scope'])
    assert.equal(body.detail, `the key needs the scope ${scope}`)
    assert.equal((await actions[scope](await keyWith([scope]))).status, 200)
  }
  const all = await keyWith(SCOPE_NAMES)
  assert.equal((await read(invoice.id, all)).body.tolerance_bps, 7)
  const like = await read(invoice.id, await keyWith(['invoices:create']))
  assert.deepEqual(
    [like.status, 'tolerance_bps' in like.body],
    [200, false],
    'without the scope it reads like everyone',
  )
  const account = await call(api, 'GET /v1/account', { token: all })
  assert.deepEqual([account.status, account.body.code], [401, 'bad_session_token'])
  assert.match(account.body.detail, /^this is a scoped API key; GET \/v1\/account takes a session token/)
})

test('a scoped key reads an invoice of another account like everyone, and cannot cancel it', async () => {
  const { body: invoice } = await create(merchant.apiKey, { tolerance_bps: 7 })
  const foreign = await keyWith(SCOPE_NAMES, await api.merchant())
  assert.ok(!('tolerance_bps' in (await read(invoice.id, foreign)).body))
  assert.equal((await cancel(invoice.id, foreign)).status, 404)
  assert.equal((await read(invoice.id, merchant.apiKey)).body.status, 'pending')
})

test('a revoked, mistyped or unknown scoped key is refused, also where everyone may read', async () => {
  const { body: invoice } = await create(merchant.apiKey)
  const { body: made } = await createKey({ scopes: SCOPE_NAMES })
  await call(api, `DELETE /v1/account/api-keys/${made.id}`, { token: merchant.sessionToken })
  for (const key of [made.key, `${made.key.slice(0, -1)}_`])
    for (const answer of [await create(key), await read(invoice.id, key), await cancel(invoice.id, key)])
      assert.deepEqual([answer.status, answer.body.code], [401, 'bad_api_key'])
})

test('a webhook of an invoice needs a scoped key, a webhook of the account, and an address that it may have', async () => {
  const user = await api.merchant()
  const key = await keyWith(['invoices:create'], user)
  const own = { webhook_url: 'https://shop.example/one-order' }
  const refused = async (token: string, json: object) => {
    const { status, body } = await create(token, json)
    return [status, body.code]
  }
  assert.deepEqual(await refused(user.apiKey, own), [403, 'missing_scope'])
  assert.deepEqual(await refused(key, own), [409, 'webhook_not_set'])
  const set = await call(api, 'PUT /v1/account/webhook', {
    token: user.sessionToken,
    json: { url: 'https://shop.example/all' },
  })
  assert.equal(set.status, 200)
  for (const webhook_url of [
    'http://shop.example/',
    'https://a:b@shop.example/',
    'shop.example',
    'https://a.example/#x',
  ])
    assert.deepEqual(await refused(key, { webhook_url }), [400, 'invalid_webhook_url'], webhook_url)
  const { status, body } = await create(key, own)
  assert.deepEqual([status, body.webhook_url], [200, own.webhook_url])
  assert.equal((await read(body.id, user.sessionToken)).body.webhook_url, own.webhook_url)
  assert.ok(!('webhook_url' in (await call(api, `GET /v1/invoices/${body.id}`)).body))
})
