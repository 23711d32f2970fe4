import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startTestApi } from '../harness/api.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { call } from '../harness/http-call.ts'

const run = promisify(execFile)

test('redocly lint finds no problem and no warning in the document', async t => {
  const api = await startTestApi()
  t.after(() => api.close())
  const folder = temporaryFolder(stackOf(t))
  const { body } = await call(api, 'GET /openapi.json')
  // The test service has the address that the linter takes for one left over from development.
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify({ ...body, servers: [{ url: 'https://pay.example' }] }))
  writeFileSync(join(folder, 'redocly.yaml'), 'telemetry: "off"\nextends: [recommended]\n')
  const packageFile = createRequire(import.meta.url).resolve('@redocly/cli/package.json')
  const cli = join(dirname(packageFile), 'bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const { stdout, stderr } = await run(process.execPath, [cli, 'lint', file, '--format=json'], { cwd: folder, env })
  const { totals, problems } = JSON.parse(stdout)
  assert.deepEqual([totals.errors, totals.warnings, problems], [0, 0, []], stderr)
})
