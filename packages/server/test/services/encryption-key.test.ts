import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { webhookSecretSealContext } from '../../src/domain/webhook.ts'
import { createSecrets } from '../../src/services/encryption-key.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { createWebhookHarness } from '../harness/webhook.ts'

test('webhook secrets are re-encrypted with the newest encryption key and keep their values', async t => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  const harness = await createWebhookHarness(t, { clock: new ManualClock(), config: { encryptionKeys: [old] } })
  const accounts = [await harness.account(), await harness.account()]
  const secrets = await Promise.all(
    accounts.map(async account => (await harness.webhooks.set(account, 'https://a.example')).secret),
  )

  const both = createVault([fresh, old], systemRandom)
  assert.equal(await createSecrets({ store: harness.store, vault: both }).reseal(), 2)

  const vault = createVault([fresh], systemRandom)
  await createSecrets({ store: harness.store, vault }).check()
  for (const [index, account] of accounts.entries()) {
    const { sealedSecret } = await harness.webhooks.read(account)
    assert.equal(Buffer.from(vault.open(sealedSecret, webhookSecretSealContext(account.id))).toString(), secrets[index])
    assert.throws(() => vault.open(sealedSecret, webhookSecretSealContext(account.id + 1)))
  }
  await assert.rejects(createSecrets({ store: harness.store, vault: createVault([old], systemRandom) }).check())
})
