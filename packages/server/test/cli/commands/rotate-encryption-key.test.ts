import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { encryptionKeyId } from '../../../src/adapters/crypto/vault.ts'
import { type Env, loadConfig } from '../../../src/config/settings.ts'
import { openContainer } from '../../../src/container.ts'
import { openStore } from '../../../src/store/open.ts'
import { thisProcess } from '../../../src/store/process.ts'
import { runCommand } from '../../harness/command-line.ts'
import { onBothDatabases } from '../../harness/databases.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const [OLD, NEW] = [key(1), key(2)]

onBothDatabases(engine => {
  /** A new database and the settings of a process on it. */
  async function prepare(t: TestContext) {
    const { url } = await engine.createDatabase(t)
    const dir = mkdtempSync(join(tmpdir(), 'zatgate-rotate-'))
    t.after(() => rmSync(dir, { recursive: true, force: true }))
    return (ENCRYPTION_KEY: string): Env => ({
      DATA_DIR: dir,
      DATABASE_URL: url,
      NETWORK: 'regtest',
      LIGHTWALLETD_URL: 'http://127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@example.org',
      LOG_LEVEL: 'silent',
      ENCRYPTION_KEY,
    })
  }

  async function serving(env: Env): Promise<AsyncDisposableStack> {
    const stack = new AsyncDisposableStack()
    const config = loadConfig(env)
    const process = thisProcess(config.encryptionKeys.map(encryptionKeyId))
    await openContainer(config, { process }, stack)
    return stack
  }

  const rotate = (env: Env) => runCommand(['rotate-encryption-key', '--json'], env)

  test('a rotation is refused while a running process lacks the new key, which it names, and changes nothing', async t => {
    const settings = await prepare(t)
    {
      await using _running = await serving(settings(OLD))
      const { code, err } = await rotate(settings(`${NEW},${OLD}`))
      assert.equal(code, 1)
      assert.match(
        err,
        /^zatgate: process \d+ on \S+ does not have the new key: restart it with the same ENCRYPTION_KEY=new,old, then run this command again\n$/,
      )
      assert.ok(!err.includes(OLD) && !err.includes(NEW))
    }
    assert.equal((await rotate(settings(`${NEW},${OLD}`))).code, 0, 'the process has ended')
  })

  test('a rotation runs beside processes that have the new key, and beside other commands', async t => {
    const settings = await prepare(t)
    await using _running = await serving(settings(`${NEW},${OLD}`))
    const command = await openStore(settings(OLD).DATABASE_URL as string)
    assert.deepEqual((await rotate(settings(`${NEW},${OLD}`))).json(), { secrets: 0 })
    await command.close()
  })
})
