import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContainer } from '../../harness/container.ts'
import { sqliteStore } from '../../harness/databases.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

test('a new invoice wakes the endpoints of its account at once', async t => {
  const { store } = await sqliteStore(t)
  const { services } = await openTestContainer(t, { store })
  const { accounts, endpoints, invoices, viewingKeys } = services
  const { account } = await viewingKeys.set(await accounts.findOrCreate('shop@example.org'), testViewingKey())
  await endpoints.create(account, { url: 'https://a.example/' })
  let notifications = 0
  t.after(store.listen('events', () => void notifications++))
  await invoices.create(account, { amountZat: 5_000n, expiresInSecs: 900, idempotencyKey: undefined })
  assert.equal(notifications, 1)
})
