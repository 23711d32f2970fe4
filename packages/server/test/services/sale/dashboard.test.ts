import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import { dailyPriceChanges } from '../../../src/domain/sale/daily-price.ts'
import { dailyTotalChanges } from '../../../src/domain/sale/daily-total.ts'
import { startOfDay } from '../../../src/domain/time.ts'
import type { NoteScanner } from '../../../src/ports/note-scanner.ts'
import type { Store, Tx } from '../../../src/ports/store.ts'
import type { Vault } from '../../../src/ports/vault.ts'
import { createRecentResults } from '../../../src/services/recent-results.ts'
import { createDashboard } from '../../../src/services/sale/dashboard.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { makeViewingKey, NOW, openShop } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const ADDRESS = `uregtest1${'q'.repeat(100)}`

onBothDatabases(engine => {
  async function harness(t: TestContext) {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock(NOW)
    const shop = await openShop(store)
    let keysTried = 0
    const noteScanner = {
      diversifierOf: (address: string) => (address === ADDRESS ? new Uint8Array(11) : null),
      diversifierIndexOf: () => {
        keysTried++
        return 7n
      },
    } as Partial<NoteScanner> as NoteScanner
    const vault = { open: (sealed: Uint8Array) => sealed } as Partial<Vault> as Vault
    const params = consensusParams('regtest')
    const open = (over: Store = store) =>
      createDashboard({ store: over, noteScanner, vault, clock, params, lateWatchDays: 7 })
    return { store, clock, shop, open, dashboard: open(), keysTried: () => keysTried }
  }

  test('open invoices are counted up to 1,000', async t => {
    const { store, shop, dashboard, clock } = await harness(t)
    const sell = (invoices: number) =>
      store.write(async tx => {
        for (let i = 0; i < invoices; i++) await tx.invoices.insert(shop.draft())
      })
    await sell(999)
    assert.equal((await dashboard.summary(shop.account)).open.pending, 999)
    await sell(500)
    clock.advance(3)
    assert.equal((await dashboard.summary(shop.account)).open.pending, 1_001)
  })

  test('figures are computed again after three seconds; what the owner has just done is seen at once', async t => {
    const { store, clock, shop, dashboard } = await harness(t)
    const before = await shop.sell({ price: { amount: '2.50', currency: 'EUR' } })
    await dashboard.summary(shop.account)
    const after = { ...before, status: 'paid' as const, paidAt: NOW, receivedZat: 5_000n }
    await store.write(async tx => {
      await tx.invoices.updateStates([after])
      await tx.dashboard.addToDailyTotals(dailyTotalChanges([{ before, after }]))
      await tx.dashboard.addToDailyPrices(dailyPriceChanges([{ before, after }]))
    })
    const recent = await dashboard.summary(shop.account)
    assert.deepEqual([recent.open.pending, recent.recent[0]?.status], [1, 'paid'])
    clock.advance(3)
    const { today, yesterday, week, days, open, currency } = await dashboard.summary(shop.account)
    const paid = {
      receivedZat: 5_000n,
      refundedZat: 0n,
      invoices: 1,
      priced: { invoices: 1, units: 250n, amountZat: 5_000n },
    }
    const { compared, ...soFar } = week
    assert.deepEqual([open.pending, today, soFar, currency], [0, paid, paid, 'EUR'])
    // Today is not over, so it is not compared.
    assert.deepEqual([yesterday.invoices, compared?.current.invoices, compared?.earlier.invoices], [0, 0, 0])
    assert.deepEqual(days.at(-1), { day: startOfDay(NOW), receivedZat: 5_000n, refundedZat: 0n, invoices: 1 })
  })

  test('an account that has the row of another one after a fail-over sees its own figures', async t => {
    const [lost, promoted] = [await harness(t), await harness(t)]
    await lost.shop.sell()
    let current = lost.store
    const read: Store['read'] = work => current.read(work)
    const dashboard = lost.open({ ...lost.store, read })
    assert.equal((await dashboard.summary(lost.shop.account)).open.pending, 1)
    current = promoted.store
    assert.equal(promoted.shop.account.id, lost.shop.account.id)
    assert.equal((await dashboard.summary(promoted.shop.account)).open.pending, 0)
  })

  test('an address is decoded once and tried with the newest 100 keys, a few in a turn of the event loop', async t => {
    const { store, shop, dashboard, keysTried } = await harness(t)
    const invoice = await shop.sell({ diversifierIndex: 7n, address: ADDRESS })
    await store.write(tx => tx.accounts.setViewingKey(shop.account.id, shop.viewingKey.id))
    assert.deepEqual(
      (await dashboard.search(shop.account, `zcash:${ADDRESS.toUpperCase()}?amount=1`)).map(({ id }) => id),
      [invoice.id],
    )
    assert.equal(keysTried(), 1)
    for (let i = 0; i < 120; i++) {
      const { id } = await makeViewingKey(store)
      await store.write(tx => tx.accounts.setViewingKey(shop.account.id, id))
    }
    let turns = 0
    let running = true
    const turn = () => {
      turns++
      if (running) setImmediate(turn)
    }
    turn()
    await Promise.all([dashboard.search(shop.account, ADDRESS), dashboard.search(shop.account, ADDRESS)])
    running = false
    assert.equal(keysTried(), 201)
    assert.ok(turns >= 20, `${turns} turns`)
  })

  test('a search reads little, whatever its text', async t => {
    const { store, shop, open } = await harness(t)
    const invoice = await shop.sell()
    let reads = 0
    const counted =
      <T>(read: (work: (tx: Tx) => Promise<T>) => Promise<T>) =>
      (work: (tx: Tx) => Promise<T>) => {
        reads++
        return read(work)
      }
    const dashboard = open({ ...store, read: counted(store.read) as Store['read'] })
    for (const text of [`${'?'.repeat(2 ** 20)}\n`, 'zcash:'.repeat(2 ** 17), `u1${'!'.repeat(2 ** 20)}`, 'abc', ''])
      assert.deepEqual(await dashboard.search(shop.account, text), [])
    assert.equal(reads, 0)
    assert.equal((await dashboard.search(shop.account, ` ${invoice.publicId} `)).length, 1)
  })
})

test('results are shared while they are recent, and failures are not kept', async () => {
  const clock = new ManualClock(NOW)
  const results = createRecentResults<number>(clock, { maxAgeMs: 3_000, maxKeys: 2 })
  let computed = 0
  const compute = async () => ++computed
  assert.deepEqual(await Promise.all([results.get('a', compute), results.get('a', compute)]), [1, 1])
  clock.advance(2)
  assert.equal(await results.get('a', compute), 1)
  clock.advance(1)
  assert.equal(await results.get('a', compute), 2)
  assert.equal(await results.get('b', compute), 3)
  assert.equal(await results.get('c', compute), 4)
  assert.equal(await results.get('a', compute), 5, 'the oldest key is forgotten')
  await assert.rejects(results.get('d', () => Promise.reject(new Error('failed'))))
  assert.equal(await results.get('d', compute), 6)
  clock.advance(-10)
  assert.equal(await results.get('d', compute), 7, 'one from the future is not recent')
})
