import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestApi } from '../harness/api.ts'
import { findPostgres, NO_POSTGRES } from '../harness/postgres.ts'
import { startReplicatedDatabase } from '../harness/standby.ts'

const READ_ONLY = 'the database is read-only: a standby, or default_transaction_read_only is on'

describe('a read-only standby', { skip: findPostgres() === null && NO_POSTGRES }, () => {
  test('gets no request: 503 while connections lead to it, and the service recovers when they no longer do', {
    timeout: 60_000,
  }, async t => {
    const database = await startReplicatedDatabase(t)
    const api = await startTestApi({ databaseUrl: database.url })
    t.after(() => api.close())
    const { apiKey } = await api.merchant()
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const create = () =>
      fetch(`${api.url}/v1/invoices`, { method: 'POST', headers, body: JSON.stringify({ amount_zat: 1_000_000 }) })
    const answer = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]
    const databaseCheck = async () => {
      api.clock.advance(1)
      const response = await fetch(`${api.url}/readyz`)
      const { checks } = (await response.json()) as { checks: { name: string; reason: string | null }[] }
      return [response.status, checks.find(({ name }) => name === 'database')?.reason]
    }
    const sold = await create()
    assert.equal(sold.status, 200)
    const { id } = (await sold.json()) as { id: string }
    await database.cutOff()

    database.leadToStandby()
    for (let attempt = 0; attempt < 20; attempt++)
      assert.deepEqual(await answer(await create()), [503, 'database_unavailable'])
    assert.deepEqual(await answer(await fetch(`${api.url}/v1/invoices/${id}`, { headers })), [
      503,
      'database_unavailable',
    ])
    assert.deepEqual(await databaseCheck(), [503, READ_ONLY])

    database.leadBack()
    for (let attempt = 0; attempt < 20; attempt++) assert.equal((await create()).status, 200)
    assert.equal((await databaseCheck())[1], undefined)
  })
})
