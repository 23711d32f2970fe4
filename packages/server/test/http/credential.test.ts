import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'

const api = await startTestApi()
after(() => api.close())

const KEY_WANTED = 'POST /v1/invoices takes an API key, which begins with zg_ or zgk_'
const TOKEN_WANTED = 'GET /v1/account takes a session token, which begins with zgs_'
const SEND = 'send it as Authorization: Bearer'

test('the error names the kind of credential that was sent, and the one that the endpoint takes', async () => {
  const { apiKey, sessionToken } = await api.merchant()
  const changed = (text: string) => text.slice(0, -1) + (text.endsWith('x') ? 'y' : 'x')
  const viewingKey = `uview1${'qpzry9x8'.repeat(20)}`
  const mistyped = 'but incomplete or mistyped: copy it again'
  const unknown = 'this is no credential of this service'
  const create = 'POST /v1/invoices'
  const read = 'GET /v1/account'
  const cases: [line: string, authorization: string | undefined, message: string, detail: string][] = [
    [create, `Bearer ${sessionToken}`, 'bad api key', `this is a session token; ${KEY_WANTED}`],
    [read, `Bearer ${apiKey}`, 'bad session token', `this is an API key; ${TOKEN_WANTED}`],
    [create, `Bearer whsec_${'A'.repeat(44)}`, 'bad api key', `this is a webhook secret; ${KEY_WANTED}`],
    [read, `Bearer ${viewingKey}`, 'bad session token', `this is a viewing key; ${TOKEN_WANTED}`],
    [read, 'Bearer sk_live_abc', 'bad session token', `${unknown}; ${TOKEN_WANTED}`],
    [create, undefined, 'missing api key', `${SEND}; ${KEY_WANTED}`],
    [create, 'Bearer', 'missing api key', `${SEND}; ${KEY_WANTED}`],
    [create, apiKey, 'missing api key', `${SEND}; ${KEY_WANTED}`],
    [create, `Basic ${apiKey}`, 'missing api key', `${SEND}; ${KEY_WANTED}`],
    [read, `Basic ${apiKey}`, 'missing session token', `${SEND}; ${TOKEN_WANTED}`],
    [create, `Bearer ${changed(apiKey)}`, 'bad api key', `this is an API key, ${mistyped}; ${KEY_WANTED}`],
    [create, `Bearer ${apiKey.slice(0, -3)}`, 'bad api key', `this is an API key, ${mistyped}; ${KEY_WANTED}`],
    [create, `Bearer ${apiKey}x`, 'bad api key', `this is an API key, ${mistyped}; ${KEY_WANTED}`],
    [create, `Bearer zg_${'a'.repeat(49)}`, 'bad api key', `this is an API key, ${mistyped}; ${KEY_WANTED}`],
    [read, `Bearer ${sessionToken}"`, 'bad session token', `this is a session token, ${mistyped}; ${TOKEN_WANTED}`],
    [read, `Bearer "${sessionToken}"`, 'bad session token', `${unknown}; ${TOKEN_WANTED}`],
  ]
  for (const [line, authorization, message, detail] of cases) {
    const json = line.startsWith('POST') ? { json: { amount_zat: 1 } } : {}
    const response = await call(api, line, { ...json, headers: authorization === undefined ? {} : { authorization } })
    const shown = authorization?.slice(0, 12)
    assert.equal(response.status, 401, shown)
    assert.equal(response.headers.get('www-authenticate'), 'Bearer', shown)
    assert.deepEqual(response.body, { code: message.replaceAll(' ', '_'), message, detail }, shown)
    for (const secret of [apiKey, sessionToken, viewingKey])
      assert.ok(!JSON.stringify(response.body).includes(secret.slice(5, 20)), shown)
  }
})

test('a revoked key is refused as an unknown one', async () => {
  const { account, apiKey } = await api.merchant()
  const [key] = await api.apiKeys.list(account, { limit: 1 })
  await api.apiKeys.revoke(account, key?.publicId ?? '')
  const { body } = await call(api, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 1 } })
  assert.deepEqual(body, {
    code: 'bad_api_key',
    message: 'bad api key',
    detail: `the key is unknown or revoked; ${KEY_WANTED}`,
  })
})
