import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import type { Header } from '../../../src/domain/chain/chain.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { ChainSyncHarness, closeNoteScanner } from '../../harness/chain-sync.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { type PoisonRow, poisonRow } from '../../harness/poison.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

after(closeNoteScanner)

const AMOUNT = 1_000_000n

/** Five merchants with an invoice each. The payment rows of one of them can be made unwritable. */
async function open(engine: DatabaseEngine, t: TestContext, servers = 1) {
  const { url } = await engine.createDatabase(t)
  const harness = await ChainSyncHarness.start({ servers, container: { databaseUrl: url } })
  t.after(() => harness.close())
  harness.sandbox.mine(5)
  await harness.syncFully()
  const invoices: Invoice[] = []
  for (const seed of [31, 32, 33, 34, 35]) {
    const { accounts, viewingKeys, invoices: sales } = harness.services
    const { account } = await viewingKeys.set(await accounts.findOrCreate(`m${seed}@example.com`), testViewingKey(seed))
    invoices.push(await sales.create(account, { amountZat: AMOUNT, expiresInSecs: 900, idempotencyKey: undefined }))
  }
  const { setAsides, retryInvoices } = harness.services
  return {
    harness,
    invoices,
    /** @returns the ids of the transactions */
    payAll: (): string[] =>
      invoices.map(({ address }) => harness.wallet.pay({ uri: formatPaymentUri({ address, amount: AMOUNT }) }).id),
    poison: (position: number, on: PoisonRow['on']) =>
      poisonRow(url, { table: 'payments', column: 'invoice_id', value: String(invoices[position]?.id), on }),
    entries: () => harness.query(tx => tx.setAside.list(20)),
    kinds: async () => (await setAsides.countByKind()).map(({ kind, rows }) => [kind, rows]),
    statuses: () => Promise.all(invoices.map(invoice => harness.status(invoice))),
    async retry(): Promise<void> {
      while (await retryInvoices());
      for (let turn = 0; turn < 20; turn++)
        if ((await harness.chainSync.readMissedBlocks(harness.signal)) !== 'again') return
      assert.fail('the missed blocks are read without end')
    },
  }
}

onBothDatabases(engine => {
  for (const position of [0, 4]) {
    const others = (status: string, own: string) => [0, 1, 2, 3, 4].map(index => (index === position ? own : status))

    test(`a payment that cannot be inserted, at place ${position}, stops no block, and is found when it is repaired`, async t => {
      const { harness, payAll, poison, entries, kinds, statuses, retry } = await open(engine, t)
      const { sandbox, clock } = harness
      const repair = await poison(position, 'INSERT')
      const before = await harness.tip()
      payAll()
      sandbox.mine(1)
      await harness.sync()
      sandbox.mine(3, { empty: true })
      await harness.sync()
      await retry()
      assert.equal(await harness.tip(), sandbox.height)
      assert.deepEqual(await statuses(), others('paid', 'pending'))
      assert.deepEqual(await kinds(), [['scan_key', 1]])
      const [entry] = await entries()
      assert.deepEqual([entry?.fromHeight, entry?.failures, entry?.error], [before + 1, 1, 'poison'])

      clock.advance(60)
      await retry()
      assert.deepEqual(
        (await entries()).map(({ fromHeight, failures }) => [fromHeight, failures]),
        [[before + 1, 2]],
      )
      await harness.expire()
      assert.deepEqual(await statuses(), others('paid', 'pending'), 'it does not expire')

      await repair()
      clock.advance(3_600)
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
      await harness.syncFully()
      await retry()
      assert.deepEqual(await kinds(), [])
    })

    test(`a payment that cannot be moved from the mempool into its block, at place ${position}, stops no block`, async t => {
      const { harness, payAll, poison, statuses, retry } = await open(engine, t)
      const { sandbox, clock } = harness
      payAll()
      await harness.sync()
      assert.deepEqual(await statuses(), others('detected', 'detected'))
      const repair = await poison(position, 'UPDATE')
      sandbox.mine(1)
      await harness.sync()
      sandbox.mine(3, { empty: true })
      await harness.sync()
      await retry()
      assert.equal(await harness.tip(), sandbox.height)
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      await harness.expire()
      await repair()
      clock.advance(3_600)
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })

    test(`a mempool payment that cannot be inserted, at place ${position}, hides no other, and the sync goes on`, async t => {
      const { harness, payAll, poison, kinds, entries, statuses, retry } = await open(engine, t)
      const { sandbox, clock } = harness
      const repair = await poison(position, 'INSERT')
      payAll()
      await harness.streamMempool()
      await harness.syncFully()
      await retry()
      assert.deepEqual(await statuses(), others('detected', 'pending'))
      assert.deepEqual(await kinds(), [['scan_key', 1]])
      const syncedThrough = await harness.query(tx => tx.chain.syncedThrough())
      clock.advance(10)
      await harness.syncFully()
      assert.ok((await harness.query(tx => tx.chain.syncedThrough())) > syncedThrough)
      assert.deepEqual(
        (await entries()).map(({ failures }) => failures),
        [1],
        'it is not tried in each sync',
      )
      await repair()
      clock.advance(3_600)
      await retry()
      await harness.sync()
      assert.deepEqual(await statuses(), others('detected', 'detected'))
      sandbox.mine(4)
      await harness.sync()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })

    test(`a mempool payment that cannot be updated, at place ${position}, keeps no snapshot from being recorded`, async t => {
      const { harness, invoices, payAll, poison, statuses } = await open(engine, t)
      payAll()
      await harness.streamMempool()
      const repair = await poison(position, 'UPDATE')
      await harness.expire()
      assert.deepEqual(await statuses(), others('detected', 'detected'))
      const tip = await harness.tip()
      assert.ok((await harness.query(tx => tx.chain.syncedThrough())) >= (invoices[0] as Invoice).expiresAt)
      await repair()
      harness.sandbox.mine(1)
      await harness.sync()
      assert.equal(await harness.tip(), tip + 1)
    })

    test(`a mined payment that cannot be updated, at place ${position}, stops no reorganisation`, async t => {
      const { harness, payAll, poison, kinds, statuses, retry } = await open(engine, t)
      const { sandbox, clock } = harness
      payAll()
      sandbox.mine(1)
      await harness.sync()
      const repair = await poison(position, 'UPDATE')
      sandbox.mine(1, { empty: true })
      await harness.sync()
      sandbox.reorg({ depth: 2, remine: true, blocks: 5 })
      await harness.syncFully()
      await retry()
      assert.equal(await harness.tip(), sandbox.height)
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      assert.deepEqual(await kinds(), [
        ['invoice', 1],
        ['scan_key', 1],
      ])
      await repair()
      clock.advance(3_600)
      await retry()
      clock.advance(3_600)
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
      await harness.syncFully()
      await retry()
      assert.deepEqual(await kinds(), [])
    })

    test(`a payment that cannot be updated, at place ${position}, does not count after its block is replaced by one without it`, async t => {
      const { harness, payAll, poison, statuses, retry } = await open(engine, t)
      const { sandbox, clock } = harness
      payAll()
      sandbox.mine(1)
      await harness.sync()
      const repair = await poison(position, 'UPDATE')
      const tip = await harness.tip()
      sandbox.reorg({ depth: 1, blocks: 6 })
      await harness.syncFully()
      await retry()
      assert.equal(await harness.tip(), tip + 5)
      assert.equal((await statuses())[position], 'detected', 'it is not confirmed by blocks of another chain')
      await repair()
      clock.advance(3_600)
      await retry()
      clock.advance(3_600)
      await retry()
      const [own, other] = [(await statuses())[position], (await statuses())[(position + 1) % 5]]
      assert.equal(own, other)
      assert.notEqual(own, 'paid')
    })

    test(`a mined payment that cannot be updated, at place ${position}, does not keep the chain from being restarted`, async t => {
      const { harness, payAll, poison, statuses, retry } = await open(engine, t)
      const { sandbox, clock } = harness
      const base = await harness.recordedChain.position()
      payAll()
      sandbox.mine(1)
      await harness.sync()
      const repair = await poison(position, 'UPDATE')
      await harness.recordedChain.restartAt(base?.tip as Header)
      sandbox.mine(3, { empty: true })
      await harness.sync()
      await retry()
      assert.equal(await harness.tip(), sandbox.height)
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      await repair()
      clock.advance(3_600)
      await retry()
      clock.advance(3_600)
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })

    test(`a payment that cannot be inserted, at place ${position}, stops no rescan`, async t => {
      const { harness, payAll, poison, kinds, statuses, retry } = await open(engine, t)
      const { sandbox, clock } = harness
      const { scanKeys } = harness.services
      harness.startServices({}, { scanKeys: { ...scanKeys, watchedAt: async () => ({ keys: [], leftOut: [] }) } })
      payAll()
      sandbox.mine(1)
      sandbox.mine(3, { empty: true })
      await harness.sync()
      harness.startServices()
      const repair = await poison(position, 'INSERT')
      await harness.rescan(1)
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'pending'))
      assert.deepEqual(await kinds(), [['scan_key', 1]])
      await repair()
      clock.advance(3_600)
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })

    test(`with two servers, a mined payment that cannot be updated, at place ${position}, keeps no other from being paid after a reorganisation`, async t => {
      const { harness, payAll, poison, statuses, retry } = await open(engine, t, 2)
      const { sandbox, clock } = harness
      payAll()
      sandbox.mine(1)
      await harness.sync()
      const repair = await poison(position, 'UPDATE')
      sandbox.reorg({ depth: 1, remine: true, blocks: 5 })
      for (let i = 0; i < 3; i++) await harness.syncFully()
      await retry()
      assert.equal(await harness.tip(), sandbox.height)
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      await repair()
      for (let i = 0; i < 3; i++) {
        clock.advance(3_600)
        await retry()
        await harness.syncFully()
      }
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })

    test(`a payment that has vanished from the mempool and cannot be updated, at place ${position}, stops no reorganisation`, async t => {
      const { harness, payAll, poison, statuses, retry } = await open(engine, t)
      const { sandbox } = harness
      const txid = payAll()[position]!
      await harness.syncFully()
      sandbox.evict(txid)
      sandbox.mine(2)
      await harness.syncFully()
      const repair = await poison(position, 'UPDATE')
      sandbox.reorg({ depth: 2, remine: true, blocks: 5 })
      await harness.syncFully()
      await retry()
      assert.equal(await harness.tip(), sandbox.height)
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      await repair()
      await harness.syncUntilVanishedAreDropped()
      await retry()
      assert.deepEqual(await statuses(), others('paid', 'pending'))
    })

    test(`with two servers, a rescanned payment that cannot be updated, at place ${position}, keeps no other from being paid`, async t => {
      const { harness, payAll, poison, statuses } = await open(engine, t, 2)
      const { sandbox, clock } = harness
      const { scanKeys } = harness.services
      const noKeys = async () => ({ keys: [], leftOut: [] })
      harness.startServices({}, { scanKeys: { ...scanKeys, watchedAt: noKeys, forComparison: noKeys } })
      payAll()
      sandbox.mine(4)
      await harness.sync()
      harness.startServices()
      await harness.rescan(1)
      const repair = await poison(position, 'UPDATE')
      for (let i = 0; i < 3; i++) await harness.sync()
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      await repair()
      clock.advance(3_600)
      for (let i = 0; i < 3; i++) await harness.sync()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })

    test(`with two servers, a payment that cannot be updated below the missed blocks of its key, at place ${position}, keeps no other from being paid`, async t => {
      const { harness, invoices, poison, statuses, retry } = await open(engine, t, 2)
      const { sandbox, chainSync, signal, clock } = harness
      const payHalf = () => {
        for (const { address } of invoices)
          harness.wallet.pay({ uri: formatPaymentUri({ address, amount: AMOUNT / 2n }) })
      }
      payHalf()
      sandbox.mine(1)
      await chainSync.sync(signal)
      payHalf()
      await chainSync.sync(signal)
      const repair = await poison(position, 'UPDATE')
      sandbox.mine(1)
      await chainSync.sync(signal)
      sandbox.mine(4, { empty: true })
      for (let i = 0; i < 3; i++) {
        await harness.sync()
        await retry()
        clock.advance(200)
      }
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      await repair()
      for (let i = 0; i < 4; i++) {
        clock.advance(3_600)
        await retry()
        await harness.syncFully()
        await harness.sync()
      }
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })
  }
})
