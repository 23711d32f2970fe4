import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { formatCredential } from '../../../../src/domain/account/credential.ts'
import { newSession } from '../../../../src/domain/account/session.ts'
import { RECENT_AUTHENTICATION_SECS } from '../../../../src/domain/account/sign-in.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'
import { testViewingKey } from '../../../harness/viewing-key.ts'

const api = await startTestApi()
after(() => api.close())

/** The changes for which the dashboard asks for a recent code. `{key}` is an API key of the account. */
const SENSITIVE: readonly [line: string, json?: unknown][] = [
  ['PUT /v1/account/viewing-key', { viewing_key: testViewingKey(3) }],
  ['PUT /v1/account/webhook', { url: 'https://shop.example/webhook' }],
  ['POST /v1/account/webhook/rotate-secret'],
  ['DELETE /v1/account/webhook'],
  ['POST /v1/account/api-keys', { name: 'thief' }],
  ['DELETE /v1/account/api-keys/{key}'],
  ['PATCH /v1/account', { confirmations: 0 }],
  ['POST /v1/account/withdrawals', { amount_zat: 50_000_000, fiat_currency: 'EUR', payout_to: 'DE00 thief' }],
]

/** The token that a browser gets when it signs in now. */
async function browserToken({ account }: Merchant): Promise<string> {
  const token = formatCredential('session', crypto.getRandomValues(new Uint8Array(32)))
  const fields = { publicId: randomUUID(), accountId: account.id, label: 'Firefox', origin: 'browser' } as const
  await api.store.write(async tx => {
    const { id } = await tx.sessions.insert(newSession(token, fields, api.clock.secs))
    await tx.signIn.setRecentlyAuthenticatedUntil(id, api.clock.secs + RECENT_AUTHENTICATION_SECS)
  })
  return token
}

async function sendAll(user: Merchant, token: string) {
  const [key] = await api.apiKeys.list(user.account, { limit: 1 })
  const responses = []
  for (const [line, json] of SENSITIVE) {
    const path = line.replace('{key}', key?.publicId ?? '')
    responses.push(await call(api, path, json === undefined ? { token } : { token, json }))
  }
  return responses
}

test('a stale browser token is refused as a bearer for every change that needs a code in the dashboard', async () => {
  const user = await api.merchant()
  const token = await browserToken(user)
  api.clock.advance(RECENT_AUTHENTICATION_SECS)
  const keys = await api.apiKeys.list(user.account, { limit: 10 })
  for (const { status, body } of await sendAll(user, token)) {
    assert.deepEqual([status, body.code, body.message], [403, 'recent_sign_in_required', 'recent sign-in required'])
  }
  assert.deepEqual(await api.apiKeys.list(user.account, { limit: 10 }), keys)
  assert.equal((await call(api, 'GET /v1/account/webhook', { token })).status, 404)
})

test('the code is judged before the body and after the token', async () => {
  const user = await api.merchant()
  const token = await browserToken(user)
  api.clock.advance(RECENT_AUTHENTICATION_SECS)
  assert.equal((await call(api, 'POST /v1/account/api-keys', { token, json: { nonsense: 1 } })).status, 403)
  assert.equal((await call(api, 'POST /v1/account/api-keys', { json: { name: 'x' } })).status, 401)
})

test('a browser token works within ten minutes of its code, and for reading at any time', async () => {
  const user = await api.merchant()
  const token = await browserToken(user)
  api.clock.advance(RECENT_AUTHENTICATION_SECS - 1)
  for (const { status } of await sendAll(user, token)) assert.ok([200, 204].includes(status), String(status))
  api.clock.advance(1)
  assert.equal((await call(api, 'GET /v1/account/api-keys', { token })).status, 200)
  assert.equal((await call(api, 'PATCH /v1/account', { token, json: { confirmations: 4 } })).status, 200, 'more')
  assert.equal((await call(api, 'PATCH /v1/account', { token, json: { confirmations: 3 } })).status, 403, 'fewer')
})

test('a token issued for a script needs no code', async () => {
  const user = await api.merchant()
  api.clock.advance(RECENT_AUTHENTICATION_SECS * 10)
  for (const { status } of await sendAll(user, user.sessionToken))
    assert.ok([200, 204].includes(status), String(status))
})
