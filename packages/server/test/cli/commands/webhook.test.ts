import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { withStore } from '../../../src/cli/store.ts'
import { loadConfig } from '../../../src/config/settings.ts'
import { Guide } from '../../docs/guide.ts'
import { runCommand } from '../../harness/command-line.ts'
import { insertFailed } from '../../harness/failed-delivery.ts'
import { makeAccount } from '../../harness/fixtures.ts'

test('webhooks resend, as the guide writes it, queues the failed events of an account again, once', async t => {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-webhooks-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const env = { DATA_DIR: dir }
  let email = ''
  await withStore(
    loadConfig(env),
    async store => {
      const account = await makeAccount(store)
      email = account.email
      const times = { createdAt: 1, updatedAt: 1 }
      const webhook = { accountId: account.id, url: 'https://a.example/', sealedSecret: Uint8Array.of(1), ...times }
      await store.write(tx => tx.webhooks.insert(webhook))
      await insertFailed(store, account.id, ['{"n":1}', '{"n":2}'])
    },
    { create: true },
  )
  const [, ...args] = new Guide('docs/webhooks.md')
    .block('sh resend')
    .trim()
    .replace('shop@example.com', email)
    .split(' ')
  const first = await runCommand(args, env)
  assert.deepEqual([first.code, first.out], [0, '2 failed events queued again; the running service sends them\n'])
  assert.deepEqual((await runCommand([...args, '--json'], env)).json(), { email, resent: 0, left: 0 })
  const unknown = await runCommand(['webhooks', 'resend', 'none@example.org'], env)
  assert.equal(unknown.code, 1)
  assert.equal((await runCommand(['webhooks', 'resend'], env)).code, 2)
})
