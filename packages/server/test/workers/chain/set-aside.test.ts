import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Account } from '../../../src/domain/account/account.ts'
import { createChainSync } from '../../../src/workers/chain/sync.ts'
import { closeNoteScanner } from '../../harness/chain-sync.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { run } from '../../harness/poison.ts'
import { AMOUNT, openChainSync } from '../../harness/set-aside.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

after(closeNoteScanner)

/** Three merchants; the key of one can be broken in the database. */
async function open(engine: DatabaseEngine, t: TestContext, servers = 1) {
  const chain = await openChainSync(engine, t, servers)
  const { harness, url } = chain
  const merchants: Account[] = []
  for (const seed of [31, 32, 33]) merchants.push(await chain.merchant(seed))
  assert.notEqual(harness.account.viewingKeyId, null)
  const bytes = (hex: string) => (engine.name === 'SQLite' ? `x'${hex}'` : `'\\x${hex}'`)
  const setSealed = (account: Account, sealed: Uint8Array) =>
    run(url, [
      `UPDATE viewing_keys SET sealed = ${bytes(Buffer.from(sealed).toString('hex'))} WHERE id = ${account.viewingKeyId}`,
    ])
  return {
    ...chain,
    merchants,
    /** @returns a function that repairs the key */
    async breakKey(account: Account) {
      const row = await harness.query(tx => tx.viewingKeys.byId(account.viewingKeyId as number))
      await setSealed(account, Uint8Array.of(1, 2, 3))
      harness.startServices()
      return () => setSealed(account, row?.sealed as Uint8Array)
    },
  }
}

onBothDatabases(engine => {
  for (const position of [0, 1, 2])
    test(`a key that does not open, at place ${position}: others are paid and expire, its invoices wait and are paid when it opens`, async t => {
      const { harness, merchants, sell, pay, breakKey, readMissed, kinds, statuses } = await open(engine, t)
      const { clock, sandbox } = harness
      await harness.syncFully()
      const paid = []
      for (const merchant of merchants) paid.push(await sell(merchant))
      const unpaid = []
      for (const merchant of merchants) unpaid.push(await sell(merchant))
      const repair = await breakKey(merchants[position] as Account)
      for (const invoice of paid) pay(invoice)
      sandbox.mine(1)
      await harness.sync()
      sandbox.mine(3, { empty: true })
      await harness.sync()
      assert.equal(await harness.tip(), sandbox.height, 'blocks go on')
      const others = (status: string, own: string) => merchants.map((_, index) => (index === position ? own : status))
      assert.deepEqual(await statuses(paid), others('paid', 'pending'))
      assert.deepEqual(await kinds(), [['scan_key', 1]])
      const { id } = merchants[position] as Account
      const seen = await harness.services.setAsides.countByKindOf(id)
      assert.equal(seen.length, 1, 'its owner sees it')

      await harness.expire()
      assert.deepEqual(await statuses(unpaid), others('expired', 'pending'))
      assert.notEqual(await harness.chainSync.readMissedBlocks(harness.signal), 'again')
      assert.deepEqual(await kinds(), [['scan_key', 1]], 'it still does not open')

      await repair()
      clock.advance(300)
      await readMissed()
      assert.deepEqual(
        await statuses(paid),
        merchants.map(() => 'paid'),
      )
      await harness.invoiceExpiry.expireDue(100)
      assert.deepEqual(await statuses(unpaid), others('expired', 'pending'), 'no complete sync has the key yet')
      await harness.syncFully()
      await readMissed()
      assert.deepEqual(await kinds(), [])
      await harness.invoiceExpiry.expireDue(100)
      assert.deepEqual(
        await statuses(unpaid),
        merchants.map(() => 'expired'),
      )
    })

  test('entering the same key again repairs it: the missed payment is found, and invoices can be created', async t => {
    const { harness, merchants, sell, pay, breakKey, readMissed, kinds, statuses } = await open(engine, t)
    await harness.syncFully()
    const [merchant] = merchants as [Account]
    const invoice = await sell(merchant)
    await breakKey(merchant)
    pay(invoice)
    harness.sandbox.mine(4)
    await harness.sync()
    assert.deepEqual(await kinds(), [['scan_key', 1]])
    await harness.services.viewingKeys.set(merchant, testViewingKey(31))
    await readMissed()
    await harness.syncFully()
    await readMissed()
    assert.deepEqual(await statuses([invoice]), ['paid'])
    assert.deepEqual(await kinds(), [])
    await sell(merchant)
  })

  test('a payment in the mempool is seen as soon as the key opens, although its transaction was read before', async t => {
    const { harness, merchants, sell, pay, breakKey, readMissed, statuses } = await open(engine, t)
    await harness.syncFully()
    const invoices = [await sell(merchants[0] as Account), await sell(merchants[1] as Account)]
    const repair = await breakKey(merchants[0] as Account)
    for (const invoice of invoices) pay(invoice)
    await harness.sync()
    assert.deepEqual(await statuses(invoices), ['pending', 'detected'])
    await repair()
    harness.clock.advance(60)
    await readMissed()
    await harness.sync()
    assert.deepEqual(await statuses(invoices), ['detected', 'detected'])
  })

  for (const [what, expiresIn] of [
    ['leaves the mempool', 40],
    ['expires', 2],
  ] as const)
    test(`a payment of a key that does not open is not dropped when its transaction ${what}: a block may contain it`, async t => {
      const { harness, merchants, sell, breakKey, readMissed, statuses } = await open(engine, t)
      const { sandbox, clock } = harness
      await harness.syncFully()
      const invoices = [await sell(merchants[0] as Account), await sell(merchants[1] as Account)]
      for (const invoice of invoices) harness.pay(invoice, AMOUNT, { expiryHeight: sandbox.height + expiresIn })
      await harness.sync()
      assert.deepEqual(await statuses(invoices), ['detected', 'detected'])
      const repair = await breakKey(merchants[0] as Account)
      sandbox.mine(1)
      sandbox.mine(3, { empty: true })
      await harness.sync()
      await harness.syncUntilVanishedAreDropped()
      await harness.syncUntilVanishedAreDropped()
      assert.deepEqual(await statuses(invoices), ['detected', 'paid'])
      await repair()
      clock.advance(300)
      await readMissed()
      assert.deepEqual(await statuses(invoices), ['paid', 'paid'])
    })

  test('blocks that are replaced while the key is set aside are read for it again', async t => {
    const { harness, merchants, sell, pay, breakKey, readMissed, statuses } = await open(engine, t)
    const { sandbox, clock } = harness
    sandbox.mine(5)
    await harness.syncFully()
    const invoice = await sell(merchants[0] as Account)
    const repair = await breakKey(merchants[0] as Account)
    await harness.sync()
    sandbox.mine(4, { empty: true })
    await harness.sync()
    sandbox.reorg({ depth: 6, blocks: 0 })
    pay(invoice)
    sandbox.mine(1)
    sandbox.mine(8, { empty: true })
    await harness.sync()
    await harness.sync()
    await repair()
    clock.advance(60)
    await readMissed()
    assert.deepEqual(await statuses([invoice]), ['paid'])
  })

  test('an invoice of a key that does not open stays open when a reorganisation evaluates it after its end', async t => {
    const { harness, merchants, sell, pay, breakKey, statuses } = await open(engine, t)
    const { sandbox, clock } = harness
    sandbox.mine(5)
    await harness.syncFully()
    const invoices = [
      await sell(merchants[0] as Account, 5n * AMOUNT),
      await sell(merchants[1] as Account, 5n * AMOUNT),
    ]
    for (const invoice of invoices) pay(invoice)
    sandbox.mine(1)
    await harness.sync()
    await breakKey(merchants[0] as Account)
    sandbox.mine(1, { empty: true })
    clock.advance(900)
    await harness.syncFully()
    sandbox.reorg({ depth: 3, remine: true, blocks: 4 })
    await harness.sync()
    await harness.sync()
    assert.deepEqual(await statuses(invoices), ['pending', 'underpaid'])
  })

  test('when a key opens while a batch of blocks is scanned without it, the batch is read again', async t => {
    const { harness, merchants, sell, pay, breakKey, readMissed, statuses } = await open(engine, t)
    const { sandbox, clock } = harness
    await harness.syncFully()
    const invoice = await sell(merchants[0] as Account)
    const repair = await breakKey(merchants[0] as Account)
    await harness.sync()
    pay(invoice)
    sandbox.mine(1)
    sandbox.mine(3, { empty: true })
    const { scanKeys } = harness.services
    let isRepaired = false
    const raced: typeof scanKeys = {
      ...scanKeys,
      async watchedAt(time) {
        const watched = await scanKeys.watchedAt(time)
        if (!isRepaired) {
          isRepaired = true
          await repair()
          clock.advance(60)
          await readMissed()
        }
        return watched
      },
    }
    harness.startServices({}, { scanKeys: raced })
    await harness.sync()
    await harness.sync()
    assert.deepEqual(await statuses([invoice]), ['paid'])
  })

  test('a key that stops opening before two servers are compared does not hold the payments of others', async t => {
    const { harness, merchants, sell, pay, breakKey, readMissed, statuses } = await open(engine, t, 2)
    await harness.syncFully()
    const invoices = []
    for (const merchant of merchants) invoices.push(await sell(merchant))
    for (const invoice of invoices) pay(invoice)
    harness.sandbox.mine(1)
    await harness.chainSync.sync(harness.signal)
    const repair = await breakKey(merchants[0] as Account)
    harness.sandbox.mine(3)
    for (let syncs = 0; syncs < 3; syncs++) await harness.sync()
    assert.deepEqual(await statuses(invoices), ['detected', 'paid', 'paid'])
    assert.deepEqual(harness.metrics.problems, [])
    await repair()
    harness.clock.advance(300)
    await readMissed()
    for (let syncs = 0; syncs < 3; syncs++) await harness.sync()
    assert.deepEqual(await statuses(invoices), ['paid', 'paid', 'paid'])
  })

  test('an outage of the chain server is no failure of the keys whose blocks are read', async t => {
    const { harness, merchants, sell, pay, breakKey, readMissed, statuses } = await open(engine, t)
    await harness.syncFully()
    const [merchant] = merchants as [Account]
    const invoice = await sell(merchant)
    const repair = await breakKey(merchant)
    pay(invoice)
    harness.sandbox.mine(4)
    await harness.sync()
    await repair()
    harness.clock.advance(60)
    const { chain } = harness
    const unreachable = Promise.reject(new Error('unreachable'))
    unreachable.catch(() => {})
    async function* noBlocks(): AsyncGenerator<never> {
      yield await unreachable
    }
    const down = createChainSync({ ...harness.deps, chain: { ...chain, tip: () => unreachable, blocks: noBlocks } })
    for (let runs = 0; runs < 20; runs++) await assert.rejects(down.readMissedBlocks(harness.signal), /unreachable/)
    const [entry] = await harness.query(tx => tx.setAside.list(1))
    assert.equal(entry?.failures, 1)
    await readMissed()
    assert.deepEqual(await statuses([invoice]), ['paid'])
  })

  test('a key that fails before the first recorded block has missed no block below it', async t => {
    const { harness, merchants, sell, breakKey } = await open(engine, t)
    await sell(merchants[0] as Account)
    await breakKey(merchants[0] as Account)
    harness.sandbox.mine(1_050, { empty: true })
    await harness.scanKeys.watchedAt(harness.clock.secs)
    assert.equal((await harness.query(tx => tx.setAside.list(1)))[0]?.fromHeight, 1)
    await harness.sync()
    const first = (await harness.recordedChain.position())?.oldest
    assert.ok(first !== undefined && first > 1)
    assert.equal((await harness.query(tx => tx.setAside.list(1)))[0]?.fromHeight, first)
  })

  test('keys that wait for a complete sync, and one whose blocks cannot be read, keep no other from being read', async t => {
    const { harness, merchants, sell, pay, breakKey, statuses } = await open(engine, t)
    await harness.syncFully()
    const [unread, merchant] = merchants as [Account, Account]
    await sell(unread)
    const invoice = await sell(merchant)
    const repairs = [await breakKey(unread), await breakKey(merchant)]
    pay(invoice)
    harness.sandbox.mine(4)
    await harness.sync()
    for (const repair of repairs) await repair()
    harness.clock.advance(60)
    const { store } = harness
    await store.write(async tx => {
      const entries = await tx.setAside.list(2)
      const first = entries.find(({ rowId }) => rowId === unread.viewingKeyId)
      const own = await tx.viewingKeys.byId(harness.account.viewingKeyId as number)
      assert.ok(first && own)
      await tx.setAside.put({ ...first, fromHeight: -1, nextAttemptAt: 0 })
      for (let key = 0; key < 10; key++)
        await tx.setAside.put({ ...first, reference: `00${key}`, rowId: own.id, fromHeight: null, nextAttemptAt: 1 })
    })
    const { missedBlocks } = harness.services
    harness.startServices(
      {},
      { missedBlocks: { ...missedBlocks, removeIfSynced: async () => false, remove: async () => {} } },
    )
    await harness.chainSync.readMissedBlocks(harness.signal)
    assert.deepEqual(await statuses([invoice]), ['paid'])
  })
})
