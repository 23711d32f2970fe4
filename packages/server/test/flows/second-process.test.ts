import assert from 'node:assert/strict'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { spawnGuarded } from '../../../sandbox/test/recorded/guarded-process.ts'
import { runCommand } from '../harness/command-line.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { COMMAND, processEnv, startProcess } from '../harness/service-process.ts'

/** Runs `zatgate start` until it exits. @returns the exit code and what it wrote to standard error */
async function failedStart(folder: string, settings: Record<string, string>) {
  const log = join(folder, 'second.log')
  const started = spawnGuarded(process.execPath, [COMMAND, 'start'], {
    env: processEnv(settings),
    errors: openSync(log, 'w'),
  })
  return { code: await started.exited, err: readFileSync(log, 'utf8') }
}

test('one sandbox runs in a folder: a second start names the first, commands work beside it, and a kill frees it', async t => {
  const folder = temporaryFolder(stackOf(t))
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', SANDBOX_PORT: '0', AUTO_MINE_SECS: '0', LOG_LEVEL: 'error' }
  const first = await startProcess(env)
  const second = await failedStart(folder, env)
  assert.equal(second.code, 1)
  assert.match(
    second.err,
    /^zatgate: process \d+ on \S+ uses \S+\/data\/sandbox: stop it, or set DATA_DIR to another folder\n$/,
  )
  assert.equal((await runCommand(['account', 'list', '--json'], env)).code, 0)
  await first.kill()
  const next = await startProcess(env)
  assert.equal(await next.stop(), 0)
})

test('one service runs on a SQLite file, also from another folder', async t => {
  const folder = temporaryFolder(stackOf(t))
  const database = join(folder, 'shop.db')
  const env = (name: string) => ({
    DATA_DIR: join(folder, name),
    DATABASE_URL: `sqlite:${database}`,
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: 'http://127.0.0.1:1',
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@example.org',
    PORT: '0',
    LOG_LEVEL: 'silent',
  })
  const first = await startProcess(env('one'))
  const { code, err } = await failedStart(folder, env('two'))
  assert.equal(code, 1)
  assert.match(
    err,
    /^zatgate: process \d+ on \S+ uses \S+\/shop\.db: stop it, or set DATABASE_URL or DATA_DIR to another place\n$/,
  )
  assert.equal(await first.stop(), 0)
})
