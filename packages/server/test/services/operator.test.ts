import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { consensusParams } from '../../src/domain/network-upgrade.ts'
import { DEFAULT_PLANS } from '../../src/domain/plan.ts'
import { createAccounts } from '../../src/services/account.ts'
import { createBilling } from '../../src/services/billing.ts'
import { createInvoices } from '../../src/services/invoice.ts'
import { ensureOperatorAccount } from '../../src/services/operator.ts'
import { createViewingKeys } from '../../src/services/viewing-key.ts'
import { testViewingKey } from '../harness/api.ts'
import { silentLog } from '../harness/log.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { createPlainNoteScanner } from '../harness/plain-note-scanner.ts'
import { sqliteStore } from '../harness/sqlite.ts'

async function start(t: TestContext) {
  const { store } = await sqliteStore(t)
  const clock = new ManualClock()
  const random = systemRandom
  const network = 'regtest'
  const vault = createVault([Buffer.alloc(32, 1)], random)
  const viewingKeys = createViewingKeys({ store, noteScanner: createPlainNoteScanner(), vault, clock, random, network })
  const accounts = createAccounts({ store, clock, random, network, plans: DEFAULT_PLANS, confirmations: 3 })
  const open = (billingViewingKey: string, confirmations = 3) =>
    ensureOperatorAccount({ store, viewingKeys, clock, random, network, confirmations, billingViewingKey })
  return { store, clock, accounts, open }
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

test('nobody can sign in as the operator, and no mail is sent for it', async t => {
  const { store, clock, accounts, open } = await start(t)
  await open(testViewingKey(9))
  await assert.rejects(accounts.findOrCreate('operator'), { code: 'invalid_email' })
  await assert.rejects(accounts.findByEmail('operator'), { code: 'no_such_account' })
  assert.deepEqual(await store.write(tx => tx.mails.claimDue(clock.secs, 10, () => 0)), [])
})

test('an expired billing key stops the start with its date, and after a later expiry nothing can be bought', async t => {
  const { store, clock, accounts, open } = await start(t)
  const expiresAt = clock.secs + 3_600
  const key = testViewingKey(9, { time: BigInt(expiresAt) })
  const operator = await open(key)
  assert.deepEqual(operator.viewingKeyExpiry, { time: expiresAt, height: null })
  const random = systemRandom
  const addresses = { reserve: async () => ({ index: 1n, address: 'uregtest1…' }), release: () => {} }
  const plans = DEFAULT_PLANS
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays: 7 })
  const params = consensusParams('regtest')
  const billing = createBilling({ store, clock, params, plans, invoices, operator, log: silentLog })
  const buyer = await accounts.findOrCreate('buyer@example.org')
  await billing.subscribe(buyer, 'Pro', 'once')
  clock.advance(3_601)
  await assert.rejects(billing.subscribe(buyer, 'Pro', undefined), {
    code: 'billing_not_configured',
    extra: { detail: "the operator's viewing key expires" },
  })
  assert.equal((await billing.subscribe(buyer, 'Pro', 'once')).purpose, 'plan')
  await assert.rejects(open(key), /^Error: BILLING_VIEWING_KEY is wrong: expired on 20\d\d-.*Z: export a new key/)
})

test('an invalid key stops the start with the name of its setting', async t => {
  const { open } = await start(t)
  await assert.rejects(open('uviewregtest1nonsense'), /^Error: BILLING_VIEWING_KEY is wrong: /)
})
