import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FREE_PLAN } from '../../src/domain/account/plan.ts'
import { type Merchant, startTestApi, type TestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const create = (key: string, json: unknown, user = merchant, target: TestApi = api) =>
  call(target, 'POST /v1/invoices', { token: user.apiKey, json, headers: { 'idempotency-key': key } })
const used = async (user: Merchant) =>
  (await call(api, 'GET /v1/account', { token: user.sessionToken })).body.invoices_this_month.used

test('the same key and body return the same invoice, which counts once', async () => {
  const user = await api.merchant()
  const first = await create('order-1', { amount_zat: 5, expires_in_secs: 60 }, user)
  const again = await create('order-1', { expires_in_secs: 60, amount_zat: 5 }, user)
  assert.deepEqual([first.status, again.status], [200, 200])
  assert.deepEqual(again.body, first.body)
  assert.equal(await used(user), 1)
})

test('an omitted time and the default one written out are the same body', async () => {
  const first = await create('order-default', { amount_zat: 5 })
  const again = await create('order-default', { amount_zat: 5, expires_in_secs: 900 })
  assert.deepEqual([again.status, again.body], [200, first.body])
  await create('order-written', { amount_zat: 5, expires_in_secs: 900 })
  assert.equal((await create('order-written', { amount_zat: 5 })).status, 200)
})

test('the same key with another body is rejected', async () => {
  await create('order-2', { amount_zat: 5 })
  for (const other of [{ amount_zat: 6 }, { amount_zat: 5, expires_in_secs: 60 }]) {
    const { status, body } = await create('order-2', other)
    assert.deepEqual([status, body], [409, { code: 'idempotency_key_reused', message: 'idempotency key reused' }])
  }
})

test('40 concurrent duplicates on two processes create one invoice that counts once', async t => {
  const other = await startTestApi({ databaseUrl: api.databaseUrl })
  t.after(() => other.close())
  const user = await api.merchant({ viewingKey: testViewingKey(2) })
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, i) => create('at-once', { amount_zat: 9 }, user, i % 2 ? api : other)),
  )
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(responses.map(({ body }) => body.id)).size, 1)
  assert.equal(await used(user), 1)
  const listed = await call(api, 'GET /v1/account/invoices', { token: user.sessionToken })
  assert.equal(listed.body.length, 1)
})

test('concurrent duplicates with two bodies create one invoice, and the other body is rejected', async () => {
  const user = await api.merchant()
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => create('two-bodies', { amount_zat: 1 + (i % 2) }, user)),
  )
  assert.deepEqual(responses.map(({ status }) => status).sort(), [...Array(10).fill(200), ...Array(10).fill(409)])
  assert.equal(await used(user), 1)
})

test('idempotency keys are separate for each account', async () => {
  const [one, two] = [await api.merchant(), await api.merchant()]
  const ids = [
    (await create('mine', { amount_zat: 1 }, one)).body.id,
    (await create('mine', { amount_zat: 1 }, two)).body.id,
  ]
  assert.notEqual(ids[0], ids[1])
})

test('a rejected request does not use up the key', async () => {
  const user = await api.merchant({ viewingKey: null })
  assert.equal((await create('later', { amount_zat: 0 }, user)).status, 400)
  assert.equal((await create('later', { amount_zat: 1 }, user)).body.message, 'viewing key not set')
  await api.viewingKeys.set(user.account, testViewingKey(3))
  assert.equal((await create('later', { amount_zat: 1 }, user)).status, 200)
})

test('at the plan limit a known key still returns its invoice, and a rejected key can be used again', async () => {
  const user = await api.merchant({ plan: FREE_PLAN, viewingKey: testViewingKey(4) })
  const first = (await create('first', { amount_zat: 1 }, user)).body
  for (let i = 1; i < 50; i++) await create(`n${i}`, { amount_zat: 1 }, user)
  assert.equal((await create('over', { amount_zat: 1 }, user)).status, 402)
  assert.equal((await create('first', { amount_zat: 1 }, user)).body.id, first.id)
  await api.accounts.setPlan(user.account.email, 'Business', null)
  assert.equal((await create('over', { amount_zat: 2 }, user)).status, 200)
})

test('a key lasts exactly 24 hours', async t => {
  const own = await startTestApi()
  t.after(() => own.close())
  const user = await own.merchant()
  const createDaily = async () => (await create('daily', { amount_zat: 1 }, user, own)).body.id
  const first = await createDaily()
  own.clock.advance(86_399)
  assert.equal(await createDaily(), first)
  own.clock.advance(1)
  const next = await createDaily()
  assert.notEqual(next, first)
  assert.equal(await createDaily(), next)
})

test('a key has 1 to 255 printable characters, otherwise it is rejected', async () => {
  for (const key of ['k', 'k'.repeat(255), 'with blanks and ~!"{}'])
    assert.equal((await create(key, { amount_zat: 1 })).status, 200)
  for (const key of ['', 'k'.repeat(256), 'tab\there', 'ü']) {
    const { status, body } = await create(key, { amount_zat: 1 })
    assert.deepEqual([status, body.message], [400, 'invalid Idempotency-Key'], JSON.stringify(key))
  }
})
