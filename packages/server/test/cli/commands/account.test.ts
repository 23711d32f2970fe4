import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Env } from '../../../src/config/settings.ts'
import { runCommand } from '../../harness/command-line.ts'
import { testEnv } from '../../harness/container.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

const DAY_SECS = 86_400

function open(t: TestContext, env: Env = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-cli-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return (...args: readonly string[]) => runCommand(args, { ...env, DATA_DIR: dir })
}

test('a command does not prepare the database as the start does: it creates no account of the operator', async t => {
  const command = open(t, { ...testEnv, BILLING_VIEWING_KEY: testViewingKey(2) })
  await command('account', 'create', 'shop@example.org')
  const emails = (await command('account', 'list', '--json')).json().map(({ email }: { email: string }) => email)
  assert.deepEqual(emails, ['shop@example.org'])
  assert.equal((await command('session', 'create', '--email', 'shop@example.org')).code, 0)
  assert.deepEqual((await command('withdrawals', 'list', '--json')).json(), [])
})

test('account email changes the email of an account, and refuses invalid and taken ones', async t => {
  const command = open(t)
  await command('account', 'create', 'shop@example.org')
  await command('account', 'create', 'other@example.org')
  const changed = await command('account', 'email', 'shop@example.org', 'new@example.org')
  assert.equal(changed.out, 'the account of shop@example.org is now that of new@example.org\n')
  const taken = await command('account', 'email', 'new@example.org', 'other@example.org')
  assert.equal(taken.code, 1)
  assert.match(taken.err, /^zatgate: email taken: another account has this address/)
  assert.match((await command('account', 'email', 'new@example.org', 'x')).err, /invalid email: an address such as/)
  const { email, kind, by } = (await command('audit', '--json')).json()[0] as Record<string, string>
  assert.deepEqual([kind, by], ['email_changed', 'operator'], email)
})

test('account delete names the earliest time and how to keep the account, and account keep does so', async t => {
  const command = open(t)
  await command('account', 'create', 'shop@example.org')
  const { due_at: dueAt } = (await command('account', 'delete', 'shop@example.org', '--json')).json()
  assert.ok(Math.abs(dueAt - (Date.now() / 1000 + 7 * DAY_SECS)) < 3_600)
  const again = await command('account', 'delete', 'shop@example.org')
  assert.match(
    again.out,
    /^shop@example\.org will be deleted on \d{4}-.* or later\nto keep it: zatgate account keep shop@example\.org\n$/,
  )
  assert.equal((await command('account', 'keep', 'shop@example.org')).out, 'shop@example.org is not deleted\n')
  const kinds = (await command('audit', '--json')).json().map(({ kind }: { kind: string }) => kind)
  assert.deepEqual(kinds, ['deletion_canceled', 'deletion_requested'])
  assert.equal((await command('account', 'delete', 'none@example.org')).code, 1)
})
