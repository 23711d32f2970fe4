import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../../src/config/settings.ts'
import { startService } from '../../../src/main.ts'
import { startTestApi } from '../../harness/api.ts'
import { stackOf, temporaryFolder, testEnv } from '../../harness/container.ts'

async function ready(url: string): Promise<{ status: number; body: { ready: boolean; checks: unknown[] } }> {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, body: (await response.json()) as { ready: boolean; checks: unknown[] } }
}

const UNSEEN = [
  { name: 'database', ok: true },
  { name: 'migrations', ok: true },
  { name: 'chain', ok: true },
  { name: 'watcher', ok: false, reason: 'chain and mempool have not been read yet' },
]

test('GET /readyz lists each check, with status 503 only for what the process itself needs', async t => {
  const all = await startTestApi()
  t.after(() => all.close())
  assert.deepEqual(await ready(all.url), { status: 503, body: { ready: false, checks: UNSEEN } })
  const api = await startTestApi({ env: { ROLES: 'api' } })
  t.after(() => api.close())
  assert.deepEqual(await ready(api.url), { status: 200, body: { ready: true, checks: UNSEEN } })
})

test('HEALTH_PORT serves the health checks and nothing else, also without the role api', async t => {
  const env = { ...testEnv, DATA_DIR: temporaryFolder(stackOf(t)), ROLES: 'delivery', HEALTH_PORT: '0' }
  const service = await startService(loadConfig(env))
  t.after(() => service.close())
  const url = `http://127.0.0.1:${service.healthPort}`
  assert.equal((await ready(url)).status, 200)
  assert.equal(await (await fetch(`${url}/healthz`)).text(), 'ok')
  assert.equal((await fetch(`${url}/v1/plans`)).status, 404)
  const taken = { ...env, DATA_DIR: temporaryFolder(stackOf(t)), HEALTH_PORT: String(service.healthPort) }
  await assert.rejects(startService(loadConfig(taken)), /^Error: HEALTH_PORT is \d+, which another program uses/)
})
