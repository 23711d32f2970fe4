import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/settings.ts'
import { startService } from '../../src/main.ts'
import { stackOf, temporaryFolder, testEnv } from '../harness/container.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

const BANNERS = {
  merchant: /We can’t see the Zcash network right now\. Payments still count, and will appear once we can\./,
  buyer: /We can’t see the Zcash network right now\. Your payment is safe and will appear once we can\./,
}

test('overview and checkout say that the chain is not seen, while it is not', async t => {
  const settings = loadConfig({ ...testEnv, DATA_DIR: temporaryFolder(stackOf(t)), ROLES: 'api' })
  const now = Math.floor(Date.now() / 1000)
  for (const [agoSecs, isShown] of [
    [300, true],
    [5, false],
  ] as const) {
    const service = await startService(settings)
    const { accounts, invoices, sessions, store, viewingKeys } = service
    await store.write(tx => tx.chain.setSyncedThrough(now - agoSecs, now))
    const found = await accounts.findOrCreate('shop@example.org')
    const { account } = await viewingKeys.set(found, testViewingKey(1))
    const order = { amountZat: 1n, expiresInSecs: undefined, idempotencyKey: undefined }
    const { publicId } = await invoices.create(account, order)
    const { token } = await sessions.create(account, 'test')
    const read = async (path: string) =>
      (await fetch(service.url + path, { headers: { cookie: `__Host-zatgate=${token}` } })).text()
    assert.equal(BANNERS.merchant.test(await read('/overview')), isShown)
    for (const path of [`/i/${publicId}`, `/i/${publicId}/embed`])
      assert.equal(BANNERS.buyer.test(await read(path)), isShown, path)
    await service.close()
  }
})
