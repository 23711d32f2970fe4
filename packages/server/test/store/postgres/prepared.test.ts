import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '../../../src/store/limits.ts'
import { openStore } from '../../../src/store/open.ts'
import { createPgPool } from '../../../src/store/postgres/driver.ts'
import { describePostgres } from '../../harness/databases.ts'
import { makeAccount } from '../../harness/fixtures.ts'

describePostgres('prepared statements', server => {
  test('a statement is prepared when it runs again, also in the process that has migrated the database', async t => {
    const url = await server().freshDatabase()
    const store = await openStore(url)
    await makeAccount(store)
    await store.close()
    const pool = createPgPool(url, DEFAULT_LIMITS, error => assert.fail(String(error)))
    const client = await pool.connect()
    t.after(async () => {
      client.release(true)
      await pool.close()
    })
    const prepared = async () => {
      const { rows } = await client.query('SELECT statement FROM pg_prepared_statements')
      return rows.map(row => (row as { statement: string }).statement)
    }
    await client.query('SELECT $1::int AS twice', [1])
    await client.query('SELECT $1::int AS once', [1])
    assert.deepEqual(await prepared(), [])
    await client.query('SELECT $1::int AS twice', [2])
    assert.deepEqual(await prepared(), ['SELECT $1::int AS twice'])
  })
})
