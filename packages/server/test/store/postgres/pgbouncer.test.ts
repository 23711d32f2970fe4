import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { readMigrationState } from '../../../src/store/missing-migrations.ts'
import { openStore, runningProcesses } from '../../../src/store/open.ts'
import { thisProcess } from '../../../src/store/process.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'
import { onPostgres } from '../../harness/databases.ts'
import { missingProgram, startProgram } from '../../harness/programs.ts'
import { until } from '../../harness/until.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/** Starts a pooler in session mode, as Debian configures it, in front of a database. @returns the URL behind it */
async function startPgBouncer(t: TestContext, databaseUrl: string): Promise<string> {
  const { pathname, searchParams } = new URL(databaseUrl)
  const folder = join(temporaryFolder(stackOf(t)), 'pgbouncer')
  mkdirSync(folder)
  const lines = [
    '[databases]',
    `* = host=${searchParams.get('host')} port=5432 user=postgres`,
    '[pgbouncer]',
    'pool_mode = session',
    'auth_type = any',
    'listen_addr =',
    'listen_port = 6432',
    `unix_socket_dir = ${folder}`,
    'admin_users = postgres',
    'logfile =',
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), lines.join('\n'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
    chownSync(folder, id('-u'), id('-g'))
    chmodSync(join(folder, '..'), 0o755)
  }
  const user = isRoot ? ['-u', 'postgres'] : []
  const { output } = startProgram(t, ['pgbouncer', ...user, join(folder, 'pgbouncer.ini')], { env: {} })
  const accepts = () =>
    new Promise<boolean>(resolve => {
      const socket = connect(join(folder, '.s.PGSQL.6432'))
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  await until(`PgBouncer: ${output()}`, accepts)
  return `postgres://postgres@localhost:6432${pathname}?host=${encodeURIComponent(folder)}`
}

onPostgres(engine => {
  test('PgBouncer in session mode: statements, notifications, processes, migrations and the limit of a lock work', {
    skip: missingProgram('pgbouncer'),
    timeout: 60_000,
  }, async t => {
    const { url: direct } = await engine.createDatabase(t)
    const url = await startPgBouncer(t, direct)
    assert.deepEqual((await readMigrationState(url)).missing, [])
    const [one, other] = [await openStore(url, { process: thisProcess(['key']) }), await openStore(url)]
    t.after(() => Promise.all([one.close(), other.close()]))
    const notified = new Promise<void>(resolve => other.listen('deliveries', resolve))
    await one.write(async tx => {
      await tx.chain.setSyncedThrough(1, 1)
      tx.notify('deliveries')
    })
    await notified
    assert.equal(await other.query(tx => tx.chain.syncedThrough()), 1)
    assert.equal((await runningProcesses(url)).length, 1)

    const limited = await openStore(url, { limits: { lockTimeoutMs: 100 } })
    const admin = new pg.Client(direct)
    await admin.connect()
    t.after(() => Promise.all([limited.close(), admin.end()]))
    await admin.query('BEGIN')
    await admin.query('LOCK TABLE watchers')
    const waiting = limited.write(tx => tx.chain.setSyncedThrough(2, 2))
    await assert.rejects(
      waiting,
      ({ code, cause }) => code === 'database_unavailable' && cause.code === LOCK_NOT_AVAILABLE,
    )
  })
})
