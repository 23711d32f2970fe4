import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi()
after(() => api.close())

const as = (user: Merchant) => (line: string, json?: unknown) =>
  call(api, line, { token: user.sessionToken, ...(json !== undefined && { json }) })

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

  const use = () => call(api, 'POST /v1/invoices', { token: key, json: { amount_zat: 1 } })
  assert.equal((await use()).status, 200)
  const revoked = await send(`DELETE /v1/account/api-keys/${record.id}`)
  assert.deepEqual([revoked.status, revoked.text], [204, ''])
  assert.equal((await send('GET /v1/account/api-keys')).body[0].revoked_at, api.clock.secs)
  const refused = await use()
  assert.deepEqual([refused.status, refused.body.message], [401, 'bad api key'])
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
