import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openTestContainer } from '../../harness/container.ts'
import { sqliteStore } from '../../harness/databases.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

async function start(t: TestContext) {
  const { store } = await sqliteStore(t)
  const clock = new ManualClock()
  const { accounts } = (await openTestContainer(t, { store, clock })).services
  const startProcess = (billingViewingKey: string, confirmations = 3) =>
    openTestContainer(t, { store, clock, config: { billingViewingKey, confirmations } })
  const open = async (...settings: Parameters<typeof startProcess>) => (await startProcess(...settings)).operator!
  return { store, clock, accounts, startProcess, open }
}

test('any number of starts and processes creates one operator account', async t => {
  const { accounts, open } = await start(t)
  const opened = await Promise.all(Array.from({ length: 5 }, () => open(testViewingKey(9))))
  assert.equal(new Set(opened.map(({ id }) => id)).size, 1)
  assert.equal((await accounts.list()).length, 1)
})

test('key and confirmations follow the current settings', async t => {
  const { store, open } = await start(t)
  const first = await open(testViewingKey(9), 3)
  const second = await open(testViewingKey(8), 10)
  assert.equal(second.id, first.id)
  assert.notEqual(second.viewingKeyId, first.viewingKeyId)
  const kept = await store.read(tx => tx.accounts.byId(first.id))
  assert.deepEqual([kept?.viewingKeyId, kept?.confirmations], [second.viewingKeyId, 10])
  assert.equal((await store.read(tx => tx.viewingKeys.list())).length, 2)
})

test('no one can sign in as the operator, and no mail is sent for it', async t => {
  const { store, clock, accounts, open } = await start(t)
  await open(testViewingKey(9))
  await assert.rejects(accounts.findOrCreate('operator'), { code: 'invalid_email' })
  await assert.rejects(accounts.findByEmail('operator'), { code: 'no_such_account' })
  assert.deepEqual(await store.write(tx => tx.mails.claimNotices(clock.secs, 10, () => 0)), [])
})

test('an expired billing key stops the start with its date, and after a later expiry nothing can be bought', async t => {
  const { clock, accounts, startProcess } = await start(t)
  const expiresAt = clock.secs + 3_600
  const key = testViewingKey(9, { time: BigInt(expiresAt) })
  const { operator, services } = await startProcess(key)
  const { billing } = services
  assert.deepEqual(operator?.viewingKeyExpiry, { time: expiresAt, height: null })
  const buyer = await accounts.findOrCreate('buyer@example.org')
  await billing.subscribe(buyer, 'Pro', 'once')
  clock.advance(3_601)
  await assert.rejects(billing.subscribe(buyer, 'Pro', undefined), {
    code: 'billing_not_configured',
    extra: { detail: "the operator's viewing key expires" },
  })
  assert.equal((await billing.subscribe(buyer, 'Pro', 'once')).purpose, 'plan')
  await assert.rejects(
    startProcess(key),
    /^Error: BILLING_VIEWING_KEY is wrong: expired on 20\d\d-.*Z: export a new key/,
  )
})

test('an invalid key stops the start with the name of its setting', async t => {
  const { open } = await start(t)
  await assert.rejects(open('uviewregtest1nonsense'), /^Error: BILLING_VIEWING_KEY is wrong: /)
})
