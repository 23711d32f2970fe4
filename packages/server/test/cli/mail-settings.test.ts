import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withStore } from '../../src/cli/store.ts'
import { loadConfig } from '../../src/config/settings.ts'
import { runCommand } from '../harness/command-line.ts'
import { stackOf, temporaryFolder, testEnv } from '../harness/container.ts'

test('only start and doctor need the settings of the mail server', async t => {
  const { SMTP_URL: _url, MAIL_FROM: _from, ...settings } = testEnv
  const env = { ...settings, DATA_DIR: temporaryFolder(stackOf(t)) }
  await withStore(loadConfig(env, { needsMail: false }), async () => {}, { create: true })
  const lines = ['account create a@example.org', 'session create --email a@example.org', 'account list', 'audit']
  for (const line of [...lines, 'withdrawals list', `backup ${env.DATA_DIR}/copy.db`]) {
    const { code, err } = await runCommand(line.split(' '), env)
    assert.equal(code, 0, `${line}: ${err}`)
  }
  assert.match((await runCommand(['start'], env)).err, /SMTP_URL is not set/)
  const { code, out } = await runCommand(['doctor'], env)
  assert.equal(code, 1)
  assert.match(out, /SMTP_URL is not set/)
})
