import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationProgress } from '../../../src/store/migrate.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { makeAccount } from '../../harness/fixtures.ts'
import { migrationOf } from '../../harness/migration.ts'

export function migrationSuite(engine: DatabaseEngine): void {
  test('migrations update a database and keep its data', async t => {
    const database = await engine.createDatabase(t)
    const before = await database.open()
    const account = await makeAccount(before)
    await before.close()
    const more = migrationOf('9000_more', "UPDATE accounts SET plan = 'Pro'")
    const after = await database.open({ migrations: [...MIGRATIONS, more] })
    assert.deepEqual(await after.read(tx => tx.accounts.list(0, 100)), [{ ...account, plan: 'Pro' }])
    await after.write(tx => tx.accounts.setPlan(account.id, 'Free', null))
    await after.close()
    const again = await database.open({ migrations: [...MIGRATIONS, more] })
    assert.deepEqual(await again.read(tx => tx.accounts.list(0, 100)), [account])
  })

  test('a database newer than the code is refused and not changed', async t => {
    const database = await engine.createDatabase(t)
    const newer = migrationOf('9000_newer', 'CREATE TABLE news (id BIGINT)')
    await (await database.open({ migrations: [...MIGRATIONS, newer] })).close()
    await assert.rejects(database.open(), /newer than this zatgate.*9000_newer/)
    await (await database.open({ migrations: [...MIGRATIONS, newer] })).close()
  })

  test('a failed migration rolls back the whole run', async t => {
    const database = await engine.createDatabase(t)
    const half = migrationOf('9000_half', 'CREATE TABLE half (id BIGINT)')
    const broken = migrationOf('9001_broken', 'CREATE TABLE')
    await assert.rejects(database.open({ migrations: [...MIGRATIONS, half, broken] }), /syntax|incomplete/)
    const whole = await database.open({ migrations: [...MIGRATIONS, half] })
    await makeAccount(whole)
  })

  test('stopped migrations leave the database as it was', async t => {
    const database = await engine.createDatabase(t)
    const older = await database.open()
    const account = await makeAccount(older)
    await older.close()
    const first = migrationOf('9000_first', "UPDATE accounts SET plan = 'Pro'")
    const second = migrationOf('9001_second', "UPDATE accounts SET plan = 'Business'")
    const migrations = [...MIGRATIONS, first, second]
    const stop = new AbortController()
    const onProgress = ({ name }: MigrationProgress) => {
      if (name === '9001_second') stop.abort(new Error('stopped'))
    }
    await assert.rejects(
      database.open({ migrations, migration: { onProgress, signal: stop.signal } }),
      /^Error: stopped$/,
    )
    const again = await database.open()
    assert.deepEqual(await again.read(tx => tx.accounts.list(0, 100)), [account])
  })

  test('each migration of an existing database is reported with its number, and those of a new one are not', async t => {
    const database = await engine.createDatabase(t)
    const reports: MigrationProgress[] = []
    const migration = { onProgress: (report: MigrationProgress) => void reports.push(report) }
    await (await database.open({ migration })).close()
    assert.deepEqual(reports, [])
    const first = migrationOf('9000_first', "UPDATE accounts SET plan = 'Pro'")
    const second = migrationOf('9001_second', "UPDATE accounts SET plan = 'Business'")
    await (await database.open({ migrations: [...MIGRATIONS, first, second], migration })).close()
    assert.deepEqual(reports, [
      { name: '9000_first', index: 1, count: 2 },
      { name: '9001_second', index: 2, count: 2 },
    ])
  })

  if (engine.name === 'PGlite') return
  test('processes that start at the same time run the migrations once', async t => {
    const database = await engine.createDatabase(t)
    const stores = await Promise.all([1, 2, 3, 4].map(() => database.open({ limits: { maxConnections: 2 } })))
    const [first, second] = stores
    assert.ok(first && second)
    const account = await makeAccount(first)
    assert.deepEqual(await second.read(tx => tx.accounts.list(0, 100)), [account])
  })
}
