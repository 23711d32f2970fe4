import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { start as startSandbox } from '@zatgate/sandbox/start'
import { createLogger } from '../../src/adapters/system/logger.ts'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import { startService } from '../../src/main.ts'
import { onPostgres } from '../harness/databases.ts'

function environment(t: TestContext, env: Env): Env {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-start-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return {
    DATA_DIR: join(dir, 'data'),
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: 'http://127.0.0.1:1',
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@example.org',
    LOG_LEVEL: 'silent',
    PORT: '0',
    ...env,
  }
}

const failure = (t: TestContext, env: Env, message: RegExp) =>
  assert.rejects(startService(loadConfig(environment(t, env))), { message })

async function usedPort(t: TestContext): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return String((server.address() as { port: number }).port)
}

test('a port that another program uses is reported as PORT, and an address of another machine as HOST', async t => {
  const port = await usedPort(t)
  await failure(t, { PORT: port }, new RegExp(`^PORT is ${port}, which another program uses on 127\\.0\\.0\\.1$`))
  await failure(t, { HOST: '192.0.2.1' }, /^HOST is 192\.0\.2\.1, which is not an address of this machine$/)
  await failure(t, { HOST: 'host.invalid' }, /^HOST is host\.invalid, which is not an address of this machine$/)
})

test('a used port of the sandbox is reported as SANDBOX_PORT', async t => {
  const port = await usedPort(t)
  const env: Env = { ...environment(t, {}), SANDBOX_PORT: port, NETWORK: '', LIGHTWALLETD_URL: '' }
  const options = { config: loadConfig(env), env, logger: createLogger('silent'), json: true, migration: {} }
  await assert.rejects(startSandbox(options), {
    message: `SANDBOX_PORT is ${port}, which another program uses on 127.0.0.1`,
  })
})

test('a data folder of another user is reported as DATA_DIR in the sandbox', async t => {
  const env: Env = { ...environment(t, {}), NETWORK: '', LIGHTWALLETD_URL: '' }
  const dir = env.DATA_DIR as string
  mkdirSync(dir, { recursive: true, mode: 0o500 })
  const options = { config: loadConfig(env), env, logger: createLogger('silent'), json: true, migration: {} }
  // Root may write everywhere.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chmodSync(join(dir, '..'), 0o755)
  if (isRoot) process.seteuid?.(65_534)
  try {
    await assert.rejects(startSandbox(options), (error: Error) => {
      assert.ok(error.message.startsWith(`DATA_DIR: ${dir} cannot be written by this user: `), error.message)
      return true
    })
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})

test('a database that cannot be reached is reported as DATABASE_URL with its host, and never its password', async t => {
  const url = 'postgres://shop:secret-password@127.0.0.1:1/shop'
  await failure(
    t,
    { DATABASE_URL: url },
    /^DATABASE_URL: the database at 127\.0\.0\.1:1 cannot be opened: .*ECONNREFUSED/,
  )
  await assert.rejects(startService(loadConfig(environment(t, { DATABASE_URL: url }))), (error: Error) => {
    assert.ok(!error.message.includes('secret'))
    return true
  })
  await failure(
    t,
    { DATABASE_URL: 'postgres://db.invalid/shop?sslmode=disable' },
    /^DATABASE_URL: .* at db\.invalid:5432 .*ENOTFOUND|EAI_AGAIN/,
  )
})

test('a SQLite file that cannot be opened is reported as DATABASE_URL, and a folder as DATA_DIR', async t => {
  const dir = environment(t, {}).DATA_DIR as string
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'file')
  writeFileSync(file, 'this is a text of more than sixteen bytes, and not a database')
  await failure(
    t,
    { DATABASE_URL: `sqlite:${file}` },
    /^DATABASE_URL: the database .*file cannot be opened: file is not a database$/,
  )
  await failure(
    t,
    { DATABASE_URL: `sqlite:${file}/shop.db` },
    /^DATABASE_URL: the database .* cannot be opened: .*(EEXIST|ENOTDIR)/,
  )
  await failure(t, { DATA_DIR: `${file}/data` }, /^DATA_DIR: .*file\/data cannot be created: .*(EEXIST|ENOTDIR)/)
})

test('the data folder is readable by its user only', async t => {
  const env = environment(t, {})
  const service = await startService(loadConfig(env))
  assert.equal(statSync(env.DATA_DIR as string).mode & 0o777, 0o700)
  await service.close()
})

onPostgres(engine => {
  test('an unknown database is reported as DATABASE_URL', async t => {
    const { url } = await engine.createDatabase(t)
    const absent = url.replace(/test_\d+/, 'absent')
    await failure(
      t,
      { DATABASE_URL: absent },
      /^DATABASE_URL: the database .* cannot be opened: database "absent" does not exist$/,
    )
  })
})
