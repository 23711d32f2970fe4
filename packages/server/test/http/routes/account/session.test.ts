import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi()
after(() => api.close())

const as = (user: Merchant) => (line: string) => call(api, line, { token: user.sessionToken })

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
