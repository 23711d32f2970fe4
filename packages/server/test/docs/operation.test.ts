import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { commandBlocks } from '../harness/guide.ts'
import { findPostgres } from '../harness/postgres.ts'
import { missingProgram } from '../harness/programs.ts'
import { joined, startSandboxService } from '../harness/service.ts'
import { openShell } from '../harness/shell.ts'
import { readTables } from '../harness/tables.ts'
import { until } from '../harness/until.ts'
import { recordedVersions } from '../upgrade/fixture.ts'
import { onVersions, type Restore } from '../upgrade/versions.ts'

const BACKUP = commandBlocks('docs/backup.md')
const UPGRADES = commandBlocks('docs/upgrades.md')

/** The name in the documents of a backup that was made some days ago. */
const EARLIER = '/backups/zatgate-2026-11-24'

/** The operator's machine: the database of an earlier version, a chain, and folders instead of those in the documents. */
async function openMachine(t: TestContext, restore: Restore) {
  const stack = stackOf(t)
  const { facts, databaseUrl, dataDir } = await restore(stack)
  const folder = temporaryFolder(stack)
  const sandbox = stack.adopt(await startSandbox({ dataDir }), it => it.close())
  sandbox.chain.mine(1)
  const env = { ...joined(sandbox), DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: facts.encryptionKey }
  const restoredUrl = databaseUrl.replace(/(?<=\/test_\d+)/, '_restored')
  const run = (blocks: ReadonlyMap<string, string>, name: string, url = '') => {
    const made = join(folder, readdirSync(folder).find(file => file.startsWith('zatgate-')) ?? '')
    const shell = openShell(t, {
      folder,
      env,
      programs: [findPostgres() ?? ''].filter(Boolean),
      replace: {
        [`${EARLIER}.db`]: made,
        [`${EARLIER}.dump`]: made,
        '/backups': folder,
        '/tmp/zatgate-backup': join(folder, 'tried'),
        ' data/': ` ${dirname(databaseUrl.slice('sqlite:'.length))}/`,
        'postgres://zatgate@db.example.com/zatgate_restored?sslmode=verify-full': restoredUrl,
        zatgate_restored: new URL(restoredUrl).pathname.slice(1),
        'http://127.0.0.1:3000': url,
      },
    })
    return shell.run(blocks.get(name) ?? assert.fail(`there is no block ${name}`))
  }
  const start = (url: string) =>
    startSandboxService({ databaseUrl: url, sandbox, env: { ENCRYPTION_KEY: facts.encryptionKey } })
  return { facts, env, databaseUrl, restoredUrl, run, start }
}

const skip = missingProgram('bash') || missingProgram('curl')

onVersions(recordedVersions().slice(0, 1), (_version, engine, restore) => {
  test('as pasted from the guides: back up, check, upgrade, and go back to the backup', { skip }, async t => {
    const { facts, databaseUrl, restoredUrl, run, start } = await openMachine(t, restore)
    const earlier = await readTables(databaseUrl)
    await run(BACKUP, `${engine}-backup`)
    const isEarlier = (earlier.migrations?.length ?? 0) < MIGRATIONS.length
    const says = isEarlier
      ? /the database is of an earlier version: \d+ migrations? (?:is|are) missing/
      : /^ok +database/m
    assert.match(await run(UPGRADES, 'check'), says)
    assert.deepEqual(await readTables(databaseUrl), earlier)

    const upgraded = await start(databaseUrl)
    const ready = async () => run(UPGRADES, 'ready', upgraded.url).catch(() => null)
    assert.equal(JSON.parse(await until('the new version', ready, 30_000)).ready, true)
    await upgraded.close()

    await run(BACKUP, `${engine}-restore`)
    const url = engine === 'sqlite' ? databaseUrl : restoredUrl
    assert.deepEqual(await readTables(url), earlier)
    if (engine === 'sqlite') assert.match(await run(BACKUP, 'sqlite-try'), /second@example\.org/)
    assert.match(await run(BACKUP, 'restored'), /viewing keys whose address counter was advanced: 3/)
    const again = await start(url)
    assert.equal((await again.service.invoices.read(facts.invoices.unreported ?? '')).status, 'paid')
    await again.close()
  })
})

test('every block of the guides runs in these tests', () => {
  const names = ['sqlite-backup', 'postgres-backup', 'sqlite-restore', 'postgres-restore', 'restored', 'sqlite-try']
  assert.deepEqual([...BACKUP.keys()].sort(), names.sort())
  assert.deepEqual([...UPGRADES.keys()], ['check', 'ready'])
})
