import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import { SQLITE } from '../../../src/store/dialect.ts'
import { statementsOf } from '../../../src/store/migration-plan.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import { SqliteConnection } from '../../../src/store/sqlite/driver.ts'
import { openDb } from '../../../src/store/transaction/open-db.ts'

test('every migration executes exactly the statements of its plan', async () => {
  const executed: string[] = []
  class SpyingConnection extends SqliteConnection {
    override executeQuery<R>(query: CompiledQuery) {
      executed.push(query.sql.trim())
      return super.executeQuery<R>(query)
    }
  }
  const db = openDb<unknown>(new SpyingConnection(new DatabaseSync(':memory:', { readBigInts: true })), SQLITE)
  for (const [name, up] of MIGRATIONS) {
    executed.length = 0
    await up(db, SQLITE)
    assert.deepEqual(await statementsOf(up, SQLITE), executed, name)
  }
})
