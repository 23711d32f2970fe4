import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { withMigrations } from '../../src/cli/migration.ts'
import { StoppedError } from '../../src/cli/stop-signal.ts'
import type { Migration } from '../../src/store/migrations/index.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { openDatabase, sqliteEngine } from '../harness/databases.ts'
import { migrationOf } from '../harness/migration.ts'
import { readTables } from '../harness/tables.ts'

const MORE = [
  ...MIGRATIONS,
  migrationOf('9000_first', 'CREATE TABLE one (id INTEGER) STRICT'),
  migrationOf('9001_second', 'CREATE TABLE two (id INTEGER) STRICT', 'CREATE TABLE three (id INTEGER) STRICT'),
]

test('the migrations of an existing database are printed, one line each', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-migration-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const lines: string[] = []
  const migrate = async (migrations: readonly Migration[]) =>
    (
      await withMigrations(
        line => void lines.push(line),
        migration => openDatabase(`sqlite:${join(folder, 'zatgate.db')}`, { migrations, migration }),
      )
    ).close()
  await migrate(MIGRATIONS)
  assert.deepEqual(lines, [])
  await migrate(MORE)
  assert.deepEqual(lines, ['migration 9000_first (1 of 2)', 'migration 9001_second (2 of 2)'])
})

test('a stop signal rolls all migrations back, and the command says so', async t => {
  const { url, open } = await sqliteEngine.createDatabase(t)
  await (await open()).close()
  const earlier = await readTables(url)
  const stopInSecond = (line: string) => {
    if (line.includes('second')) process.emit('SIGINT', 'SIGINT')
  }
  await assert.rejects(
    withMigrations(stopInSecond, migration => open({ migrations: MORE, migration })),
    new StoppedError('stopped in the migration 9001_second: it was rolled back, and the database is as before', 130),
  )
  assert.deepEqual(await readTables(url), earlier)
})
