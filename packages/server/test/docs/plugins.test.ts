import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PERMISSION_NAMES } from '../../src/domain/account/permission.ts'
import { startTestService } from '../harness/service.ts'
import { Guide, openSandboxShell } from './guide.ts'

const GUIDE = new Guide('docs/plugins.md')
after(() => GUIDE.assertAllUsed())

test('a webhook is made by hand, and its secret is shown', async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const account = await service.service.accounts.findByEmail(service.email)
  const rights = {
    scopes: ['btcpay.store.webhooks.canmodifywebhooks'],
    expiresAt: null,
    addresses: null,
  } as const
  const { key } = await service.service.apiKeys.create(account, 'shop', undefined, rights)
  const shell = openSandboxShell(t, service)
  await shell.run(
    [
      `ZATGATE_URL=${service.url} STORE_ID=${account.publicId}`,
      `PLUGIN_KEY=${key} WEBHOOK_URL=https://shop.example/webhook`,
    ].join('\n'),
  )
  const made = JSON.parse(await shell.run(GUIDE.block('sh webhook')))
  assert.match(made.secret, /^\S{16,}$/)
  assert.deepEqual([made.url, made.authorizedEvents.everything], ['https://shop.example/webhook', true])
})

test('the permissions that the page names exist', () => {
  for (const [, name] of GUIDE.text.matchAll(/`((?:webhooks\.)?can[a-z]+)`/g))
    assert.ok(
      PERMISSION_NAMES.some(known => known === `btcpay.store.${name}`),
      name,
    )
})
