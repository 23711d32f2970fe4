import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { closeServer, listen } from '@zatgate/sandbox/http/listen'
import { checkBackup, checkPublicUrl } from '../../../src/cli/commands/doctor-outside.ts'
import { run } from '../../../src/cli/main.ts'
import { loadConfig } from '../../../src/config/settings.ts'
import { startTestApi } from '../../harness/api.ts'
import { stackOf, temporaryFolder, testEnv } from '../../harness/container.ts'

test('doctor tries the public URL', async t => {
  const api = await startTestApi()
  t.after(() => api.close())
  const other = createServer((_request, response) => response.end('<h1>It works!</h1>'))
  const port = await listen(other, 0)
  t.after(() => closeServer(other))
  const find = (PUBLIC_URL: string) => checkPublicUrl(loadConfig({ ...testEnv, PUBLIC_URL }))
  assert.deepEqual(await find(api.url), [{ check: 'public URL', state: 'ok', says: `zatgate answers at ${api.url}` }])
  const [foreign] = await find(`http://127.0.0.1:${port}`)
  assert.equal(foreign?.state, 'warning')
  assert.match(foreign?.says ?? '', /does not lead to zatgate: status 200, and not the answer of zatgate$/)
  const [absent] = await find('http://127.0.0.1:1')
  assert.equal(absent?.state, 'warning')
  assert.deepEqual(await checkPublicUrl(loadConfig({ ...testEnv, PUBLIC_URL: api.url, ROLES: 'watcher' })), [])
})

test('doctor warns when no recent backup lies where the guide puts it', async t => {
  const folder = temporaryFolder(stackOf(t))
  const env = { ...testEnv, NETWORK: 'test' }
  const config = loadConfig({ ...env, DATA_DIR: folder })
  const now = 1_800_000_000
  assert.equal((await checkBackup(config, now)).says, `there is no backup in ${join(folder, 'backups')}`)
  mkdirSync(join(folder, 'backups'))
  const file = join(folder, 'backups', '2027-01-15.db')
  writeFileSync(file, '')
  utimesSync(file, now - 3 * 86_400, now - 3 * 86_400)
  const states = [await checkBackup(config, now), await checkBackup(config, now - 86_400)].map(({ state }) => state)
  assert.deepEqual(states, ['warning', 'ok'])
  const postgres = loadConfig({ ...env, DATABASE_URL: 'postgres://localhost/shop' })
  for (const other of [postgres, loadConfig({ ...testEnv, DATA_DIR: folder })])
    assert.equal((await checkBackup(other, now)).state, 'skipped')
})

test('doctor says nothing about what is in a database that it cannot open', async () => {
  const env = { ...testEnv, DATABASE_URL: 'postgres://127.0.0.1:1/shop' }
  const stdout = new PassThrough().setEncoding('utf8')
  assert.equal(await run(['doctor', '--json'], { env, stdout, stderr: process.stderr }), 1)
  const checks = (JSON.parse(stdout.read()) as { check: string; state: string }[]).map(
    ({ check, state }) => `${check} ${state}`,
  )
  assert.ok(checks.includes('database wrong'))
  assert.deepEqual(
    checks.filter(check =>
      /^(recorded chain|watcher|watched keys|rows set aside|address counters|backup) /.test(check),
    ),
    [],
  )
})
