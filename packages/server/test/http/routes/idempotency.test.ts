import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FREE_PLAN } from '../../../src/domain/plan.ts'
import { call, type Merchant, startTestApi, type TestApi, testViewingKey } from '../../support/api.ts'

let api: TestApi
let merchant: Merchant

before(async () => {
  api = await startTestApi()
  merchant = await api.merchant()
})
after(() => api.close())

const create = (key: string, json: unknown, who = merchant, at: TestApi = api) =>
  call(at, 'POST /v1/invoices', { token: who.apiKey, json, headers: { 'idempotency-key': key } })
const used = async (who: Merchant) =>
  (await call(api, 'GET /v1/account', { token: who.sessionToken })).body.invoices_this_month.used

test('the same key and body bring back the same invoice, which counts once', async () => {
  const who = await api.merchant()
  const first = await create('order-1', { amount_zat: 5, expires_in_secs: 60 }, who)
  const again = await create('order-1', { expires_in_secs: 60, amount_zat: 5 }, who)
  assert.deepEqual([first.status, again.status], [200, 200])
  assert.deepEqual(again.body, first.body)
  assert.equal(await used(who), 1)
})

test('the same key with another body is refused', async () => {
  await create('order-2', { amount_zat: 5 })
  for (const other of [{ amount_zat: 6 }, { amount_zat: 5, expires_in_secs: 60 }]) {
    const { status, body } = await create('order-2', other)
    assert.deepEqual([status, body], [409, { code: 'idempotency_key_reused', message: 'idempotency key reused' }])
  }
})

test('forty duplicates at once, on two processes, make one invoice and count once', async t => {
  const other = await startTestApi({ databaseUrl: api.databaseUrl })
  t.after(() => other.close())
  const who = await api.merchant({ viewingKey: testViewingKey(2) })
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => create('at-once', { amount_zat: 9 }, who, i % 2 ? api : other)),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  assert.equal(await used(who), 1)
  const listed = await call(api, 'GET /v1/account/invoices', { token: who.sessionToken })
  assert.equal(listed.body.length, 1)
})

test('duplicates at once with two bodies make one invoice; the other body is refused', async () => {
  const who = await api.merchant()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => create('two-bodies', { amount_zat: 1 + (i % 2) }, who)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(10).fill(200), ...Array(10).fill(409)])
  assert.equal(await used(who), 1)
})

test('keys belong to their account', async () => {
  const [one, two] = [await api.merchant(), await api.merchant()]
  const ids = [
    (await create('mine', { amount_zat: 1 }, one)).body.id,
    (await create('mine', { amount_zat: 1 }, two)).body.id,
  ]
  assert.notEqual(ids[0], ids[1])
})

test('a refused request does not use the key up', async () => {
  const who = await api.merchant({ viewingKey: null })
  assert.equal((await create('later', { amount_zat: 0 }, who)).status, 400)
  assert.equal((await create('later', { amount_zat: 1 }, who)).body.message, 'viewing key not set')
  await api.viewingKeys.set(who.account, testViewingKey(3))
  assert.equal((await create('later', { amount_zat: 1 }, who)).status, 200)
})

test('at the plan limit a known key still brings its invoice back, and a new one is free again after the refusal', async () => {
  const who = await api.merchant({ plan: FREE_PLAN, viewingKey: testViewingKey(4) })
  const first = (await create('first', { amount_zat: 1 }, who)).body
  for (let i = 1; i < 50; i++) await create(`n${i}`, { amount_zat: 1 }, who)
  assert.equal((await create('over', { amount_zat: 1 }, who)).status, 402)
  assert.equal((await create('first', { amount_zat: 1 }, who)).body.id, first.id)
  await api.accounts.setPlan(who.account.email, 'Business', null)
  assert.equal((await create('over', { amount_zat: 2 }, who)).status, 200)
})

test('a key lasts 24 hours to the second', async t => {
  const own = await startTestApi()
  t.after(() => own.close())
  const who = await own.merchant()
  const one = async () => (await create('daily', { amount_zat: 1 }, who, own)).body.id
  const first = await one()
  own.clock.advance(86_399)
  assert.equal(await one(), first)
  own.clock.advance(1)
  const next = await one()
  assert.notEqual(next, first)
  assert.equal(await one(), next)
})

test('the key: 1 and 255 printable characters are taken, else it is refused', async () => {
  for (const key of ['k', 'k'.repeat(255), 'with blanks and ~!"{}'])
    assert.equal((await create(key, { amount_zat: 1 })).status, 200)
  for (const key of ['', 'k'.repeat(256), 'tab\there', 'ü']) {
    const { status, body } = await create(key, { amount_zat: 1 })
    assert.deepEqual([status, body.message], [400, 'invalid Idempotency-Key'], JSON.stringify(key))
  }
})
