import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSandboxService } from '../harness/service.ts'
import { testViewingKey } from '../harness/viewing-key.ts'
import { visit } from './visit.ts'

const ORDER = { amountZat: 1n, expiresInSecs: 900, idempotencyKey: undefined }

const harness = await startSandboxService()
after(() => harness.close())

test('the page says why a further viewing key is refused, and keeps the present one', async () => {
  const { accounts, invoices, sessions, store, viewingKeys } = harness.service
  let account = await accounts.findOrCreate('changing@example.org')
  for (const seed of [51, 52, 53, 54, 55]) {
    account = (await viewingKeys.set(account, testViewingKey(seed))).account
    await invoices.create(account, ORDER)
  }
  const { token, session } = await sessions.create(account, 'browser')
  await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(session.id, Math.floor(Date.now() / 1000) + 600))
  const cookie = `__Host-zatgate=${token}`
  const form = { viewing_key: testViewingKey(56) }
  const { status, text } = await visit(harness, 'POST /viewing-key', { cookie, form, headers: { origin: harness.url } })
  assert.equal(status, 409)
  assert.match(text, /Too many watched viewing keys: the Free plan watches 5 viewing keys at a time/)
  assert.match(text, /A viewing key is set\./)
  assert.doesNotMatch(text, /Viewing key saved/)
})
