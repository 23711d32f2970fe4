import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServices } from '../../../src/container.ts'
import type { Account } from '../../../src/domain/account/account.ts'
import { FREE_PLAN, type Plan } from '../../../src/domain/account/plan.ts'
import type { AppError } from '../../../src/domain/error.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

const LIMIT = 3
const plan = { monthlyInvoiceLimit: null, periodDays: 30, watchedKeyLimit: LIMIT }
const PLANS: readonly Plan[] = [
  { ...plan, name: FREE_PLAN, priceZat: 0n },
  { ...plan, name: 'Large', priceZat: 1n, watchedKeyLimit: 10 },
]
/** A key is watched for the late window and a margin after its last invoice has expired, up to a whole hour. */
const UNWATCHED_AFTER_SECS = 900 + 9 * DAY_SECS + 3_600
const REQUEST = { amountZat: 1_000n, expiresInSecs: 900, idempotencyKey: undefined }

async function openShop(engine: DatabaseEngine, t: TestContext, maxWatchedKeys = 1_000) {
  const clock = new ManualClock()
  const database = await engine.createDatabase(t)
  const { infrastructure, services } = await openTestContainer(t, {
    clock,
    store: await database.open(),
    config: { plans: PLANS, maxWatchedKeys },
  })
  const { accounts, invoices, viewingKeys, scanKeys } = services
  return {
    clock,
    infrastructure,
    services,
    account: (name = 'shop') => accounts.findOrCreate(`${name}@example.org`),
    set: async (account: Account, seed: number) => (await viewingKeys.set(account, testViewingKey(seed))).account,
    invoice: (account: Account) => invoices.create(account, REQUEST),
    watched: async () => (await scanKeys.watchedAt(clock.secs)).keys.length,
  }
}

type Shop = Awaited<ReturnType<typeof openShop>>

/** Sets the keys of these seeds one after the other, with an invoice under each. */
async function useKeys(shop: Shop, account: Account, seeds: readonly number[]): Promise<Account> {
  let current = account
  for (const seed of seeds) {
    current = await shop.set(current, seed)
    await shop.invoice(current)
  }
  return current
}

const refusedWith = (code: string) => (error: AppError) => {
  assert.deepEqual([error.kind, error.code], ['conflict', code])
  return true
}
const tooMany = refusedWith('too_many_watched_keys')
const full = refusedWith('watched_key_capacity_reached')

onBothDatabases(engine => {
  test('an account that changes its key before every invoice has no more keys watched than its plan allows', async t => {
    const shop = await openShop(engine, t)
    const account = await useKeys(shop, await shop.account(), [1, 2, 3])
    await assert.rejects(shop.set(account, 4), (error: AppError) => {
      tooMany(error)
      assert.deepEqual([error.extra.limit, error.extra.plan], [LIMIT, FREE_PLAN])
      assert.match(String(error.extra.detail), /until 20\d\d-/)
      return true
    })
    assert.equal(await shop.watched(), LIMIT)
    await shop.invoice(account)
    await useKeys(shop, account, [1, 2, 3])
    const larger = await shop.services.accounts.setPlan(account.email, 'Large', null)
    await useKeys(shop, larger, [4, 5])
    assert.equal(await shop.watched(), LIMIT + 2)
  })

  test('a key without an invoice is not watched and takes no place once it is replaced', async t => {
    const shop = await openShop(engine, t)
    let account = await shop.account()
    for (let seed = 1; seed <= 2 * LIMIT; seed++) account = await shop.set(account, seed)
    assert.equal(await shop.watched(), 0)
  })

  test('a place is free again when the invoices of a key can no longer be paid', async t => {
    const shop = await openShop(engine, t)
    const account = await useKeys(shop, await shop.account(), [1, 2, 3])
    shop.clock.advance(UNWATCHED_AFTER_SECS)
    assert.equal(await shop.watched(), 0)
    await useKeys(shop, account, [4, 5, 6])
    assert.equal(await shop.watched(), LIMIT)
  })

  test('concurrent changes of the key and creations under all of them watch no more keys than the plan allows', async t => {
    const shop = await openShop(engine, t)
    const account = await shop.account()
    const attacks = Array.from({ length: 12 }, async (_, index) => {
      const withKey = await shop.set(account, index + 1)
      await shop.invoice(withKey)
    })
    const outcomes = await Promise.allSettled(attacks)
    for (const outcome of outcomes) if (outcome.status === 'rejected') tooMany(outcome.reason)
    assert.ok((await shop.watched()) <= LIMIT)
    assert.ok((await shop.watched()) >= 1)
    const [current] = await shop.services.accounts.list()
    await shop.invoice(current!)
    assert.ok((await shop.watched()) <= LIMIT, 'the current key has its own place')
  })

  test('an account above the limit of its plan goes on with its current key and returns to watched ones', async t => {
    const shop = await openShop(engine, t)
    const large = await shop.services.accounts.setPlan((await shop.account()).email, 'Large', null)
    const account = await useKeys(shop, large, [1, 2, 3, 4, 5])
    const unused = await shop.set(account, 6)
    const smaller = await shop.services.accounts.setPlan(account.email, FREE_PLAN, null)
    await shop.invoice({ ...smaller, viewingKeyId: unused.viewingKeyId })
    await shop.set(smaller, 1)
    await assert.rejects(shop.set(smaller, 7), tooMany)
  })

  test('all accounts together have no more keys watched than the setting allows, also when requests come at once', async t => {
    const max = 4
    const shop = await openShop(engine, t, max)
    const accounts = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => shop.set(await shop.account(`shop${index}`), index + 1)),
    )
    const outcomes = await Promise.allSettled(accounts.map(shop.invoice))
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    for (const { reason } of refused) full(reason)
    assert.deepEqual([outcomes.length - refused.length, await shop.watched()], [max, max])
    await assert.rejects(shop.set(await shop.account('late'), 20), full)
    const admitted = accounts.filter((_, index) => outcomes[index]?.status === 'fulfilled')
    await Promise.all(admitted.map(shop.invoice))
  })

  test('a second account with a watched key takes no further place', async t => {
    const shop = await openShop(engine, t, 1)
    await useKeys(shop, await shop.account('one'), [1])
    await useKeys(shop, await shop.account('two'), [1])
    assert.equal(await shop.watched(), 1)
  })

  test('invoices of the operator are never refused', async t => {
    const shop = await openShop(engine, t, 1)
    await useKeys(shop, await shop.account(), [1])
    const { infrastructure, services } = shop
    const operator = await services.viewingKeys.setWithoutNotification(
      await shop.account('operator'),
      testViewingKey(2),
    )
    const { invoices } = createServices(infrastructure, operator)
    const internal = { purpose: 'plan', amountZat: 1n, expiresInSecs: 900, idempotency: null } as const
    await invoices.createInternal(operator, internal, async () => {})
    assert.equal(await shop.watched(), 2)
  })
})
