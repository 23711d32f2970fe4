import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { viewingKeySealContext } from '../../src/domain/account/viewing-key.ts'
import { endpointSecretSealContext } from '../../src/domain/notify/endpoint.ts'
import { webhookSecretSealContext } from '../../src/domain/notify/webhook.ts'
import { payoutSealContext } from '../../src/domain/payout/withdrawal.ts'
import type { Store } from '../../src/ports/store.ts'
import { createSecrets } from '../../src/services/encryption-key.ts'
import { openTestContainer } from '../harness/container.ts'
import { onBothDatabases, openEmptyStore } from '../harness/databases.ts'
import { makeAccount, NOW, openShop } from '../harness/fixtures.ts'
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

test('both secrets of an endpoint are re-encrypted, and those of a removed one stay deleted', async t => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  const clock = new ManualClock()
  const { services, infrastructure } = await openTestContainer(t, { clock, config: { encryptionKeys: [old] } })
  const { store } = infrastructure
  const account = await makeAccount(store)
  const create = () => services.endpoints.create(account, { url: 'https://a.example' })
  const [{ endpoint, secret }, removed] = [await create(), await create()]
  const rotated = await services.endpoints.rotateSecret(account, endpoint.publicId)
  await services.endpoints.remove(account, removed.endpoint.publicId)

  const both = createVault([fresh, old], systemRandom)
  assert.equal(await createSecrets({ store, vault: both }).reseal(), 1)
  const vault = createVault([fresh], systemRandom)
  await createSecrets({ store, vault }).check()
  const [sealed, ...more] = await store.read(tx => tx.endpoints.listAfter(0, 10))
  assert.deepEqual(more, [])
  const open = (bytes: Uint8Array) => Buffer.from(vault.open(bytes, endpointSecretSealContext(account.id))).toString()
  assert.deepEqual([open(sealed!.sealedSecret), open(sealed!.earlierSealedSecret!)], [rotated, secret])
  await assert.rejects(createSecrets({ store, vault: createVault([old], systemRandom) }).check())
})

test('one secret that does not decrypt does not stop the start, but all of them do', async t => {
  const key = randomBytes(32)
  const harness = await createWebhookHarness(t, { clock: new ManualClock(), config: { encryptionKeys: [key] } })
  const { store } = harness
  const accounts = [await harness.account(), await harness.account()] as const
  for (const account of accounts) await harness.webhooks.set(account, 'https://a.example')
  const secrets = createSecrets({ store, vault: createVault([key], systemRandom) })
  assert.equal(await secrets.check(), 0)
  const { sealedSecret } = await harness.webhooks.read(accounts[0])
  await store.write(tx => tx.webhooks.reseal(accounts[0].id, sealedSecret, Uint8Array.of(1)))
  assert.equal(await secrets.check(), 1)
  await assert.rejects(createSecrets({ store, vault: createVault([randomBytes(32)], systemRandom) }).check())
})

const WITHDRAWAL = {
  publicId: randomUUID(),
  amountZat: 5n,
  fiatCurrency: 'EUR',
  fiatAmount: '1.00',
  rate: '20',
  createdAt: NOW,
}

onBothDatabases(engine => {
  test('secrets that are deleted while the encryption key is replaced stay deleted', async t => {
    const store = await openEmptyStore(engine, t)
    const [old, fresh] = [randomBytes(32), randomBytes(32)]
    const before = createVault([old], systemRandom)
    const shop = await openShop(store)
    const { viewingKey } = shop
    const { id: invoiceId } = await shop.sell({ purpose: 'withdrawal', watchUntil: NOW })
    const sealedKey = before.seal(Uint8Array.of(1), viewingKeySealContext(viewingKey.id))
    const sealedPayoutTo = before.seal(Uint8Array.of(2), payoutSealContext(invoiceId))
    await store.write(async tx => {
      await tx.viewingKeys.reseal(viewingKey.id, viewingKey.sealed, sealedKey)
      await tx.withdrawals.insert({ ...WITHDRAWAL, invoiceId, accountId: shop.account.id, sealedPayoutTo })
    })
    let deleted = false
    const deleting: Store = {
      ...store,
      async write(work) {
        if (!deleted) {
          deleted = true
          await store.write(async tx => {
            assert.equal(await tx.viewingKeys.prune(NOW + 86_400, 9), 1)
            assert.equal(await tx.withdrawals.reseal(invoiceId, sealedPayoutTo, new Uint8Array(0)), true)
          })
        }
        return store.write(work)
      },
    }
    await createSecrets({ store: deleting, vault: createVault([fresh, old], systemRandom) }).reseal()
    assert.equal((await store.read(tx => tx.viewingKeys.byId(viewingKey.id)))?.sealed.length, 0)
    assert.equal((await store.read(tx => tx.withdrawals.byInvoice(invoiceId)))?.sealedPayoutTo.length, 0)
  })
})
