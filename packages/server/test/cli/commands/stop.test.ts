import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../../../src/config/settings.ts'
import { DEFAULT_LIMITS } from '../../../src/store/limits.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { runCommand, stopAtProgress } from '../../harness/command-line.ts'
import { startTestService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const CLEAR = '\r\u001b[K'

async function createDatabase(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-stop-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const env = { DATA_DIR: dir }
  const file = loadConfig(env).databaseUrl.slice('sqlite:'.length)
  await (await openSqliteStore(file, MIGRATIONS, DEFAULT_LIMITS, () => {})).close()
  const database = new DatabaseSync(file)
  t.after(() => database.close())
  return { dir, env, database }
}

test('a backup that is stopped leaves no file, and says so in one line', async t => {
  const { dir, env, database } = await createDatabase(t)
  database.exec('CREATE TABLE filler (data BLOB); INSERT INTO filler VALUES (randomblob(12000000))')
  const copies = mkdtempSync(join(dir, 'copies-'))
  const file = join(copies, 'copy.db')
  const { code, out, err } = await runCommand(['backup', file], env, stopAtProgress())
  assert.deepEqual([code, out], [130, ''])
  assert.match(err, /backup: 3\d% \(4\.1 of 12\.\d MB\)/)
  assert.equal(err.split(CLEAR).at(-1), `zatgate: stopped: no backup was written to ${file}\n`)
  assert.deepEqual(readdirSync(copies), [])
})

test('a rescan that is stopped says where to go on', async t => {
  const at = await startTestService()
  t.after(() => at.close())
  at.sandbox.chain.mine(250)
  const { height } = at.sandbox.chain
  const tip = async () => (await at.service.store.read(tx => tx.chain.tip()))?.height
  await until('the blocks to be read', async () => (await tip()) === height)
  const { code, err } = await runCommand(['rescan', '--from', '1'], at.env, stopAtProgress())
  assert.equal(code, 130)
  assert.ok(err.includes(`(100 of ${height} blocks)`), err)
  assert.equal(
    err.split(CLEAR).at(-1),
    'zatgate: stopped before block 101: the payments found so far are recorded; to go on: zatgate rescan --from 101\n',
  )
  const rest = await runCommand(['rescan', '--from', '101'], at.env)
  assert.deepEqual([rest.out, rest.err], [`blocks 101 to ${height} read again: 0 invoices changed\n`, ''])
})
