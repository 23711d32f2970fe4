import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { loadConfig } from '../../../src/config/settings.ts'
import { startService } from '../../../src/main.ts'
import { openStore } from '../../../src/store/open.ts'
import { stackOf, temporaryFolder, testEnv } from '../../harness/container.ts'
import { onPostgres } from '../../harness/databases.ts'

onPostgres(engine => {
  /** A database behind a folder that gets its socket with `comeUp`. */
  async function absentDatabase(t: TestContext): Promise<{ url: string; comeUp(): void }> {
    const { url } = await engine.createDatabase(t)
    const folder = join(temporaryFolder(stackOf(t)), 'sockets')
    const real = new URL(url).searchParams.get('host') as string
    const later = new URL(url)
    later.searchParams.set('host', folder)
    return { url: later.href, comeUp: () => symlinkSync(real, folder) }
  }

  test('the service waits for a database that comes up after it, and says so', async t => {
    const { url, comeUp } = await absentDatabase(t)
    const reasons: string[] = []
    const env = { ...testEnv, DATA_DIR: temporaryFolder(stackOf(t)), DATABASE_URL: url, ROLES: 'delivery' }
    const service = await startService(loadConfig(env), {
      onWait(reason) {
        reasons.push(reason)
        comeUp()
      },
    })
    await service.close()
    assert.equal(reasons.length, 1)
    assert.match(reasons[0] ?? '', /^DATABASE_URL: the database at .*sockets:5432 cannot be opened: .*ENOENT/)
  })

  test('it waits for a read-only database too', async t => {
    const { url } = await engine.createDatabase(t)
    const name = new URL(url).pathname.slice(1)
    const setReadOnly = async (value: 'on' | 'off') => {
      const admin = new pg.Client(url)
      await admin.connect()
      await admin.query('SET default_transaction_read_only = off')
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
      await admin.end()
    }
    await setReadOnly('on')
    await assert.rejects(openStore(url), { message: /cannot be opened: the database is read-only/ })
    const waited = Promise.withResolvers<void>()
    const opening = openStore(url, { onWait: () => waited.resolve() })
    await waited.promise
    await setReadOnly('off')
    await (await opening).close()
  })

  test('a stop signal ends the wait, and an error that stays is no reason to wait', async t => {
    const { url } = await absentDatabase(t)
    const stop = new AbortController()
    const opening = openStore(url, { onWait: () => stop.abort(), migration: { signal: stop.signal } })
    await assert.rejects(opening, { name: 'AbortError' })
    const { url: present } = await engine.createDatabase(t)
    const unknown = openStore(present.replace(/test_\d+/, 'absent'), { onWait: () => assert.fail('it waits') })
    await assert.rejects(unknown, { message: /database "absent" does not exist$/ })
  })
})
