import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY_SECS } from '../../../../src/domain/time.ts'
import { startTestApi, type TestApi } from '../../../harness/api.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { call } from '../../../harness/http-call.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const ORDER = { order_id: '1001', description: 'T-shirt, grün' }

const create = (json: object, headers: Record<string, string> = {}, { apiKey } = merchant, on: TestApi = api) =>
  call(on, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 5, ...json }, headers })
const list = async (query: string, { sessionToken } = merchant) =>
  (await call(api, `GET /v1/account/invoices${query}`, { token: sessionToken })).body

test('order and description come back in every body of the invoice', async () => {
  const created = (await create(ORDER)).body
  const read = (await call(api, `GET /v1/invoices/${created.id}`)).body
  const [listed] = await list('?limit=1')
  for (const body of [created, read, listed])
    assert.deepEqual({ order_id: body.order_id, description: body.description }, ORDER)
  const event = api.store.read(async tx => tx.invoices.byPublicId(created.id))
  assert.equal((await event)?.orderId, '1001')
})

test('an invoice without them has no such member in any body', async () => {
  const created = (await create({})).body
  const read = (await call(api, `GET /v1/invoices/${created.id}`)).body
  const [listed] = await list('?limit=1')
  for (const body of [created, read, listed])
    for (const name of ['order_id', 'description', 'unique_order']) assert.ok(!(name in body), name)
})

test('128 and 200 characters fit; blank, longer, invisible and wrong-typed text is refused by name', async () => {
  const fits = { order_id: 'x'.repeat(128), description: 'ü'.repeat(200) }
  assert.equal((await create(fits)).body.description, fits.description)
  const wrong = (max: number) => ['', ' ', 'x'.repeat(max + 1), 'a\nb', 'a\u202eb', 'a\0', 7, null, {}]
  for (const [name, max] of [
    ['order_id', 128],
    ['description', 200],
  ] as const)
    for (const value of wrong(max)) {
      const { status, body } = await create({ [name]: value })
      assert.deepEqual([status, body.code], [400, `invalid_${name}`], JSON.stringify(value))
      assert.match(body.detail, /\S/, JSON.stringify(value))
    }
})

test('unique_order without an order is refused', async () => {
  const { status, body } = await create({ unique_order: true })
  assert.deepEqual([status, body.code, body.detail], [400, 'invalid_unique_order', 'needs order_id'])
})

test('a second invoice of a unique order is 409 with the first one, as long as that is open or paid', async () => {
  const unique = { order_id: 'unique-1', unique_order: true }
  const first = (await create(unique)).body
  const second = await create(unique)
  assert.deepEqual(
    [second.status, second.body.code, second.body.message, second.body.invoice_id],
    [409, 'order_exists', 'order already has an invoice', first.id],
  )
  assert.equal((await create({ order_id: 'unique-1' })).status, 200, 'not unique')
  assert.equal((await create(unique, {}, await api.merchant())).status, 200, 'of another shop')
  const close = (status: 'paid' | 'expired' | 'underpaid') =>
    api.store.write(async tx => {
      const invoices = await tx.invoices.list(
        (await api.accounts.findByEmail(merchant.account.email)).id,
        { limit: 200 },
        { orderId: 'unique-1' },
      )
      await tx.invoices.updateStates(invoices.map(invoice => ({ ...invoice, status })))
    })
  await close('paid')
  assert.equal((await create(unique)).body.invoice_id, first.id)
  for (const status of ['expired', 'underpaid'] as const) {
    await close(status)
    assert.equal((await create(unique)).status, 200, status)
  }
})

test('a repeated key returns the first invoice of a unique order, and not 409', async () => {
  const unique = { order_id: 'unique-2', unique_order: true }
  const key = { 'idempotency-key': 'unique-2' }
  const first = await create(unique, key)
  assert.deepEqual(await create(unique, key), first)
  assert.equal((await create({ order_id: 'unique-2' }, key)).body.code, 'idempotency_key_reused')
  assert.equal((await create({ ...unique, order_id: 'unique-3' }, key)).body.code, 'idempotency_key_reused')
})

test('a refused second invoice uses no address and does not count', async () => {
  const unique = { order_id: 'unique-4', unique_order: true }
  const usage = async () =>
    (await call(api, 'GET /v1/account', { token: merchant.sessionToken })).body.invoices_this_month.used
  await create(unique)
  const before = await usage()
  for (let i = 0; i < 3; i++) await create(unique)
  assert.equal(await usage(), before)
})

onBothDatabases(engine => {
  test('of many requests for a unique order at the same time, to two processes, one gets an invoice', async t => {
    const { url: databaseUrl } = await engine.createDatabase(t)
    const first = await startTestApi({ databaseUrl })
    t.after(() => first.close())
    // SQLite has one process. In another month the requests do not share the row that counts invoices.
    const clock = new ManualClock(first.clock.secs + 31 * DAY_SECS)
    const second = engine.name === 'SQLite' ? first : await startTestApi({ databaseUrl, clock })
    t.after(() => second.close())
    const shop = await first.merchant()
    for (const order_id of ['1', '2', '3', '4']) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          create({ order_id, unique_order: true }, {}, shop, i % 2 ? first : second),
        ),
      )
      const made = answers.filter(({ status }) => status === 200)
      assert.equal(made.length, 1, JSON.stringify(answers.map(({ status }) => status)))
      for (const { status, body } of answers)
        if (status !== 200) assert.deepEqual([status, body.invoice_id], [409, made[0]?.body.id])
    }
  })
})
