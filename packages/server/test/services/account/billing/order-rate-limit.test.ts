import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMonth, startOfNextMonth } from '../../../../src/domain/time.ts'
import { startTestApi, type TestApi } from '../../../harness/api.ts'
import { describePostgres } from '../../../harness/databases.ts'
import { call } from '../../../harness/http-call.ts'

const LIMIT = 50
const CONCURRENT = 200

/** @param apis APIs of separate processes on one database */
async function sendConcurrently(apis: readonly TestApi[]): Promise<void> {
  const [api] = apis
  assert.ok(api)
  const { account, apiKey } = await api.merchant({ plan: 'Free' })
  const create = (index: number) => {
    const door = apis[index % apis.length]
    assert.ok(door)
    return call(door, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 1 + index } })
  }
  const responses = await Promise.all(Array.from({ length: CONCURRENT }, (_, index) => create(index)))

  const created = responses.filter(({ status }) => status === 200)
  const refused = responses.filter(({ status }) => status === 402)
  assert.deepEqual([created.length, refused.length], [LIMIT, CONCURRENT - LIMIT])
  for (const { body } of refused)
    assert.deepEqual(body, {
      code: 'monthly_invoice_limit_reached',
      message: 'monthly invoice limit reached for the Free plan',
      limit: LIMIT,
      used: LIMIT,
      plan: 'Free',
      resets_at: startOfNextMonth(api.clock.secs),
    })
  const listed = await api.invoices.list(account, { limit: 200 })
  assert.deepEqual(new Set(listed.map(({ publicId }) => publicId)), new Set(created.map(({ body }) => body.id)))
  assert.equal(await api.store.read(rows => rows.usage.used(account.id, formatMonth(api.clock.secs))), LIMIT)
}

test('of 200 concurrent requests with 50 left, exactly 50 create invoices', async t => {
  const api = await startTestApi()
  t.after(() => api.close())
  await sendConcurrently([api])
})

test('of requests to two processes on one SQLite file, exactly 50 create invoices', async t => {
  const api = await startTestApi()
  t.after(() => api.close())
  const other = await startTestApi({ databaseUrl: api.databaseUrl })
  t.after(() => other.close())
  await sendConcurrently([api, other])
})

describePostgres('on PostgreSQL', server => {
  test('of requests to one process and to two, exactly 50 create invoices', async t => {
    const api = await startTestApi({ databaseUrl: await server().migratedDatabase() })
    t.after(() => api.close())
    await sendConcurrently([api])
    const other = await startTestApi({ databaseUrl: api.databaseUrl })
    t.after(() => other.close())
    await sendConcurrently([api, other])
  })
})
