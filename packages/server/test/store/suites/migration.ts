import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Migration } from '../../../src/store/migrations/index.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import type { Engine } from '../databases.ts'
import { makeAccount } from '../fixtures.ts'

const statement =
  (text: string): Migration[1] =>
  async db => {
    await sql.raw(text).execute(db)
  }

export function migrationSuite(engine: Engine): void {
  test('a database is brought up to date, and keeps what it holds', async t => {
    const database = await engine.fresh(t)
    const before = await database.open()
    const account = await makeAccount(before)
    await before.close()
    const more: Migration = ['9000_more', statement("UPDATE accounts SET plan = 'Pro'")]
    const after = await database.open({ migrations: [...MIGRATIONS, more] })
    assert.deepEqual(await after.read(rows => rows.accounts.list()), [{ ...account, plan: 'Pro' }])
    await after.write(rows => rows.accounts.setPlan(account.id, 'Free', null))
    await after.close()
    const again = await database.open({ migrations: [...MIGRATIONS, more] })
    assert.deepEqual(await again.read(rows => rows.accounts.list()), [account])
  })

  test('a database newer than the code is refused, and left as it is', async t => {
    const database = await engine.fresh(t)
    const newer: Migration = ['9000_newer', statement('CREATE TABLE news (id BIGINT)')]
    await (await database.open({ migrations: [...MIGRATIONS, newer] })).close()
    await assert.rejects(database.open(), /newer than this zatgate.*9000_newer/)
    await (await database.open({ migrations: [...MIGRATIONS, newer] })).close()
  })

  test('a migration that fails leaves nothing of the run behind', async t => {
    const database = await engine.fresh(t)
    const half: Migration = ['9000_half', statement('CREATE TABLE half (id BIGINT)')]
    const broken: Migration = ['9001_broken', statement('CREATE TABLE')]
    await assert.rejects(database.open({ migrations: [...MIGRATIONS, half, broken] }), /syntax|incomplete/)
    const whole = await database.open({ migrations: [...MIGRATIONS, half] })
    await makeAccount(whole)
  })

  if (engine.name === 'pglite') return
  test('processes that start at once migrate once', async t => {
    const database = await engine.fresh(t)
    const stores = await Promise.all([1, 2, 3, 4].map(() => database.open({ limits: { connections: 2 } })))
    const [first, second] = stores
    assert.ok(first && second)
    const account = await makeAccount(first)
    assert.deepEqual(await second.read(rows => rows.accounts.list()), [account])
  })
}
