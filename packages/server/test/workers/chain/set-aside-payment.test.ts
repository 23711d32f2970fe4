import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Header } from '../../../src/domain/chain/chain.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { closeNoteScanner } from '../../harness/chain-sync.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { type PoisonRow, poisonRow } from '../../harness/poison.ts'
import { AMOUNT, openChainSync } from '../../harness/set-aside.ts'

after(closeNoteScanner)

type Chain = Awaited<ReturnType<typeof open>>

/** Five merchants with an invoice each. The payment rows of the one at a position can be made unwritable. */
async function open(engine: DatabaseEngine, t: TestContext, position: number, servers = 1) {
  const chain = await openChainSync(engine, t, servers)
  const { harness, url } = chain
  harness.sandbox.mine(5)
  await harness.syncFully()
  const invoices: Invoice[] = []
  for (const seed of [31, 32, 33, 34, 35]) invoices.push(await chain.sell(await chain.merchant(seed)))
  const invoiceId = String(invoices[position]?.id)
  return {
    ...chain,
    invoices,
    /** The tip before any payment. */
    base: (await harness.recordedChain.position())?.tip as Header,
    /** @returns the ids of the transactions */
    payAll: (amount = AMOUNT): string[] => invoices.map(invoice => chain.pay(invoice, amount)),
    poison: (on: PoisonRow['on']) => poisonRow(url, { table: 'payments', column: 'invoice_id', value: invoiceId, on }),
    entries: () => harness.query(tx => tx.setAside.list(20)),
    statuses: () => chain.statuses(invoices),
    async retry(): Promise<void> {
      await chain.retryInvoices()
      await chain.readMissed()
    },
  }
}

/** Pays every invoice in a block that chain sync has recorded. */
async function payInBlock({ harness, sandbox, payAll }: Chain): Promise<void> {
  payAll()
  sandbox.mine(1)
  await harness.sync()
}

/** Pays every invoice in blocks that chain sync has recorded without a key. */
async function payUnseen({ harness, sandbox, payAll }: Chain): Promise<void> {
  const noKeys = async () => ({ keys: [], leftOut: [] })
  const { scanKeys } = harness.services
  harness.startServices({}, { scanKeys: { ...scanKeys, watchedAt: noKeys, forComparison: noKeys } })
  payAll()
  sandbox.mine(4)
  await harness.sync()
  harness.startServices()
}

/** While the payment of one invoice cannot be written, the others are paid; so is the one after the repair. */
interface Case {
  readonly title: (place: string) => string
  readonly servers?: number
  readonly before?: (chain: Chain) => Promise<void>
  readonly unwritable?: PoisonRow['on']
  readonly meanwhile: (chain: Chain) => Promise<unknown>
  readonly own?: 'pending'
  readonly kinds?: readonly [kind: string, rows: number][]
  readonly isExpired?: boolean
  /** Retries after the repair. */
  readonly hours?: number
  readonly afterRetry?: (chain: Chain) => Promise<void>
}

const CASES: readonly Case[] = [
  {
    title: place => `a payment that cannot be moved from the mempool into its block, ${place}, stops no block`,
    async before({ harness, payAll, statuses }) {
      payAll()
      await harness.sync()
      assert.deepEqual(await statuses(), Array(5).fill('detected'))
    },
    async meanwhile({ harness, sandbox }) {
      sandbox.mine(1)
      await harness.sync()
      sandbox.mine(3, { empty: true })
      await harness.sync()
    },
    isExpired: true,
    hours: 1,
  },
  {
    title: place => `a mined payment that cannot be updated, ${place}, stops no reorganisation`,
    async meanwhile({ harness, sandbox }) {
      sandbox.mine(1, { empty: true })
      await harness.sync()
      sandbox.reorg({ depth: 2, remine: true, blocks: 5 })
      await harness.syncFully()
    },
    kinds: Object.entries({ invoice: 1, scan_key: 1 }),
  },
  {
    title: place => `a mined payment that cannot be updated, ${place}, does not keep the chain from being restarted`,
    async meanwhile({ harness, sandbox, base }) {
      await harness.recordedChain.restartAt(base)
      sandbox.mine(3, { empty: true })
      await harness.sync()
    },
  },
  {
    title: place => `a payment that cannot be inserted, ${place}, stops no rescan`,
    before: payUnseen,
    unwritable: 'INSERT',
    meanwhile: ({ harness }) => harness.rescan(1),
    own: 'pending',
    kinds: [['scan_key', 1]],
    hours: 1,
  },
  {
    title: place =>
      `with two servers, a mined payment that cannot be updated, ${place}, keeps no other from being paid after a reorganisation`,
    servers: 2,
    async meanwhile({ harness, sandbox }) {
      sandbox.reorg({ depth: 1, remine: true, blocks: 5 })
      for (let i = 0; i < 3; i++) await harness.syncFully()
    },
    hours: 3,
    afterRetry: ({ harness }) => harness.syncFully(),
  },
]

onBothDatabases(engine => {
  for (const position of [0, 4]) {
    const start = (t: TestContext, servers?: number) => open(engine, t, position, servers)
    const others = (status: string, own: string) => [0, 1, 2, 3, 4].map(index => (index === position ? own : status))

    for (const { title, servers, unwritable = 'UPDATE', own = 'detected', hours = 2, ...row } of CASES)
      test(title(`at place ${position}`), async t => {
        const chain = await start(t, servers)
        const { harness, clock, statuses, kinds, retry } = chain
        await (row.before ?? payInBlock)(chain)
        const repair = await chain.poison(unwritable)
        await row.meanwhile(chain)
        await retry()
        assert.equal(await harness.tip(), harness.sandbox.height)
        assert.deepEqual(await statuses(), others('paid', own))
        if (row.kinds) assert.deepEqual(await kinds(), row.kinds)
        if (row.isExpired) await harness.expire()
        await repair()
        for (let hour = 0; hour < hours; hour++) {
          clock.advance(3_600)
          await retry()
          await row.afterRetry?.(chain)
        }
        assert.deepEqual(await statuses(), others('paid', 'paid'))
        if (!row.kinds) return
        await harness.syncFully()
        await retry()
        assert.deepEqual(await kinds(), [])
      })

    test(`a payment that has vanished from the mempool and cannot be updated, at place ${position}, stops no reorganisation`, async t => {
      const { harness, payAll, poison, statuses, retry, sandbox } = await start(t)
      const txid = payAll()[position]!
      await harness.syncFully()
      sandbox.evict(txid)
      sandbox.mine(2)
      await harness.syncFully()
      const repair = await poison('UPDATE')
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
      const chain = await start(t, 2)
      const { harness, poison, statuses, clock } = chain
      await payUnseen(chain)
      await harness.rescan(1)
      const repair = await poison('UPDATE')
      for (let i = 0; i < 3; i++) await harness.sync()
      assert.deepEqual(await statuses(), others('paid', 'detected'))
      await repair()
      clock.advance(3_600)
      for (let i = 0; i < 3; i++) await harness.sync()
      assert.deepEqual(await statuses(), others('paid', 'paid'))
    })

    test(`a payment that cannot be inserted, at place ${position}, stops no block, and is found when it is repaired`, async t => {
      const { harness, payAll, poison, entries, kinds, statuses, retry, sandbox, clock } = await start(t)
      const repair = await poison('INSERT')
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

    test(`a mempool payment that cannot be inserted, at place ${position}, hides no other, and the sync goes on`, async t => {
      const { harness, payAll, poison, kinds, entries, statuses, retry, sandbox, clock } = await start(t)
      const repair = await poison('INSERT')
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
      const { harness, invoices, payAll, poison, statuses } = await start(t)
      payAll()
      await harness.streamMempool()
      const repair = await poison('UPDATE')
      await harness.expire()
      assert.deepEqual(await statuses(), others('detected', 'detected'))
      const tip = await harness.tip()
      assert.ok((await harness.query(tx => tx.chain.syncedThrough())) >= (invoices[0] as Invoice).expiresAt)
      await repair()
      harness.sandbox.mine(1)
      await harness.sync()
      assert.equal(await harness.tip(), tip + 1)
    })

    test(`a payment that cannot be updated, at place ${position}, does not count after its block is replaced by one without it`, async t => {
      const { harness, payAll, poison, statuses, retry, sandbox, clock } = await start(t)
      payAll()
      sandbox.mine(1)
      await harness.sync()
      const repair = await poison('UPDATE')
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

    test(`with two servers, a payment that cannot be updated below the missed blocks of its key, at place ${position}, keeps no other from being paid`, async t => {
      const { harness, payAll, poison, statuses, retry } = await start(t, 2)
      const { sandbox, chainSync, signal, clock } = harness
      payAll(AMOUNT / 2n)
      sandbox.mine(1)
      await chainSync.sync(signal)
      payAll(AMOUNT / 2n)
      await chainSync.sync(signal)
      const repair = await poison('UPDATE')
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
