import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { runCommand } from '../harness/command-line.ts'
import { stackOf, testEnv } from '../harness/container.ts'
import { readTables } from '../harness/tables.ts'
import { onEveryVersion } from './versions.ts'

onEveryVersion((_version, engine, restore) => {
  // The service of that version may be running.
  test('before the upgrade, doctor reports the missing migrations and changes nothing', async t => {
    const { databaseUrl, dataDir } = await restore(stackOf(t))
    const earlier = await readTables(databaseUrl)
    const missing = MIGRATIONS.length - (earlier.migrations?.length ?? 0)
    const env = { ...testEnv, DATABASE_URL: databaseUrl, DATA_DIR: dataDir }
    const findings = (await runCommand(['doctor', '--json'], env)).json() as {
      check: string
      state: string
      says: string
    }[]
    const { state, says } = findings.find(({ check }) => check === 'database') ?? {}
    assert.equal(state, missing > 0 ? 'warning' : 'ok')
    if (missing > 0) assert.match(says ?? '', new RegExp(`earlier version.* ${missing} migrations? (?:is|are) missing`))
    assert.deepEqual(await readTables(databaseUrl), earlier)
  })

  test('before the upgrade, backup copies the database as it is', async t => {
    const { databaseUrl, dataDir } = await restore(stackOf(t))
    const earlier = await readTables(databaseUrl)
    const file = join(dataDir, 'backup.db')
    const { code, err } = await runCommand(['backup', file], {
      ...testEnv,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
    })
    assert.deepEqual(await readTables(databaseUrl), earlier)
    if (engine === 'postgres') {
      assert.deepEqual([code, err], [1, 'zatgate: use pg_dump to back up a PostgreSQL database\n'])
      return
    }
    assert.equal(code, 0)
    const copy = await readTables(`sqlite:${file}`)
    // A copy has no identity.
    assert.deepEqual({ ...copy, database_identity: null }, { ...earlier, database_identity: null })
  })
})
