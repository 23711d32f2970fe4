import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../../src/store/open.ts'
import { onPostgres } from '../../harness/databases.ts'
import { until } from '../../harness/until.ts'

/** The key of the advisory lock: "zatg" in ASCII. */
const MIGRATION_LOCK = 0x7a617467

onPostgres(engine => {
  test('a process that migrates waits for another one, and changes nothing meanwhile', async t => {
    const { url } = await engine.createDatabase(t)
    const other = new pg.Client(url)
    await other.connect()
    const count = async (from: string) => Number((await other.query(`SELECT count(*) FROM ${from}`)).rows[0].count)
    await other.query('DROP SCHEMA public CASCADE')
    await other.query('CREATE SCHEMA public')
    await other.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`)
    let isOpen = false
    const opening = openStore(url).then(store => {
      isOpen = true
      return store
    })
    const waits = "pg_locks WHERE locktype = 'advisory' AND NOT granted"
    t.after(async () => {
      await other.end()
      await (await opening).close()
    })
    await until('the process to wait or to end', async () => isOpen || (await count(waits)) === 1)
    assert.ok(!isOpen, 'it has migrated without the lock')
    assert.equal(await count("information_schema.tables WHERE table_schema = 'public'"), 0)
    await other.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`)
    await opening
    assert.equal(await count('invoices'), 0)
  })
})
