import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorldTransaction } from '@zatgate/simulation/world/chain/transaction'
import fc from 'fast-check'
import { createServices } from '../../../../src/container.ts'
import { sumZat } from '../../../../src/domain/money.ts'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import { startOfDay } from '../../../../src/domain/time.ts'
import type { Infrastructure } from '../../../../src/infrastructure.ts'
import type { DailyTotals } from '../../../../src/ports/repository/sale/dashboard.ts'
import type { Store } from '../../../../src/ports/store.ts'
import type { ChainRecorder } from '../../../../src/services/chain/chain-sync.ts'
import type { RecordedChain } from '../../../../src/services/chain/recorded-chain.ts'
import { openTestContainer, scopeOf } from '../../../harness/container.ts'
import { openShop } from '../../../harness/fixtures.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { recordList } from '../../../harness/mempool-list.ts'
import { paymentsOf } from '../../../harness/payments.ts'
import { TestNetwork, VIEWING_KEY } from '../../../harness/simulation/network.ts'

const INDEXES = [1n, 2n, 3n]
const TERMS: Record<string, { amountZat: bigint; confirmations: number }> = {
  1: { amountZat: 100n, confirmations: 3 },
  2: { amountZat: 100n, confirmations: 1 },
  3: { amountZat: 250n, confirmations: 5 },
}
/** Amounts that pay alone, only together, or too much. */
const TRANSACTIONS: readonly WorldTransaction[] = [
  [1n, 60n],
  [1n, 40n],
  [1n, 5n],
  [2n, 100n],
  [2n, 99n],
  [3n, 250n],
  [3n, 100n],
  [3n, 151n],
].map(([diversifierIndex, valueZat], i) => {
  const txid = `${i}`.repeat(64)
  const payee = { viewingKey: VIEWING_KEY, diversifierIndex: diversifierIndex!, valueZat: valueZat! }
  return { txid, notes: [{ ...payee, pool: 'ironwood', outputIndex: 0 }], expiryHeight: 0, spends: txid }
})

type Step =
  | { readonly do: 'broadcast'; readonly which: number }
  | { readonly do: 'evict'; readonly which: number }
  | { readonly do: 'mine'; readonly which: number; readonly more: number }
  | { readonly do: 'disconnect'; readonly depth: number; readonly returning: number }
  | { readonly do: 'stream' }
  | { readonly do: 'sync'; readonly batch: number }
  | { readonly do: 'restart' }

const mask = fc.nat(2 ** TRANSACTIONS.length - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('broadcast' as const), which: mask }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict' as const), which: mask }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('mine' as const), which: mask, more: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('disconnect' as const),
      depth: fc.integer({ min: 1, max: 6 }),
      returning: mask,
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'stream' as const }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('sync' as const), batch: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

const has = (bits: number, txid: string) => (bits & (1 << TRANSACTIONS.findIndex(one => one.txid === txid))) !== 0

function minedZat({ branch, height }: TestNetwork, index: bigint, confirmations: number): bigint {
  const deep = branch.filter(block => height - block.height + 1 >= confirmations)
  return paidZat(
    deep.flatMap(({ transactions }) => transactions),
    index,
  )
}

function unminedZat({ mempool }: TestNetwork, index: bigint): bigint {
  return paidZat([...mempool.values()], index)
}

function paidZat(transactions: readonly WorldTransaction[], index: bigint): bigint {
  const notes = transactions.flatMap(transaction => transaction.notes)
  return sumZat(notes.filter(note => note.diversifierIndex === index).map(({ valueZat }) => valueZat))
}

/** The service over a real database, fed from the simulated network as chain sync does. */
class Bench {
  readonly clock = new ManualClock()
  readonly chain: TestNetwork
  readonly everPaid = new Set<bigint>()
  readonly #stack = new AsyncDisposableStack()
  #infrastructure!: Infrastructure
  chainRecorder!: ChainRecorder
  recordedChain!: RecordedChain
  keyId = 0
  accountId = 0

  constructor(chain: TestNetwork) {
    this.chain = chain
  }

  async open(): Promise<void> {
    const { clock } = this
    const { infrastructure } = await openTestContainer(scopeOf(this.#stack), { clock, isPrepared: false })
    this.#infrastructure = infrastructure
    const { account, viewingKey, sell } = await openShop(this.store)
    this.accountId = account.id
    this.keyId = viewingKey.id
    const times = { createdAt: clock.secs, expiresAt: clock.secs + 86_400, watchUntil: clock.secs + 7 * 86_400 }
    for (const diversifierIndex of INDEXES) await sell({ diversifierIndex, ...TERMS[`${diversifierIndex}`]!, ...times })
    this.restart()
  }

  get store(): Store {
    return this.#infrastructure.store
  }

  close(): Promise<void> {
    return this.#stack.disposeAsync()
  }

  restart(): void {
    const { chainRecorder, recordedChain } = createServices(this.#infrastructure, null)
    this.chainRecorder = chainRecorder
    this.recordedChain = recordedChain
  }

  async take(step: Step): Promise<void> {
    const { chain, clock } = this
    clock.advance(10)
    switch (step.do) {
      case 'broadcast':
        for (const one of TRANSACTIONS) if (has(step.which, one.txid)) chain.broadcast(one)
        break
      case 'evict':
        for (const { txid } of TRANSACTIONS) if (has(step.which, txid)) chain.evict(txid)
        break
      case 'mine':
        chain.mineOnly(
          [...chain.mempool.keys()].filter(txid => has(step.which, txid)),
          clock.secs,
        )
        for (let i = 0; i < step.more; i++) chain.mineOnly([], clock.secs)
        break
      case 'disconnect':
        chain.removeBlocks(step.depth, ({ txid }) => has(step.returning, txid))
        chain.mineOnly([], clock.secs)
        break
      case 'stream':
        await this.chainRecorder.recordMempool({ notes: this.#mempoolNotes(), expiryHeights: new Map() })
        break
      case 'sync':
        await this.sync(step.batch)
        await this.check()
        break
      case 'restart':
        this.restart()
    }
  }

  async sync(batch: number): Promise<void> {
    const { chain, chainRecorder, recordedChain, clock } = this
    const position = await recordedChain.position()
    let next = 0
    let rewound = false
    if (position) {
      let common = Math.min(position.tip.height, chain.height)
      while ((await recordedChain.headerAt(common))?.hash !== chain.branch[common]!.hash) common--
      rewound = common < position.tip.height
      if (rewound) await recordedChain.rewindTo(common, position.tip)
      next = common + 1
    }
    for (; next <= chain.height; next += batch) {
      const blocks = chain.blocksFrom(next).slice(0, batch)
      const notes = chain.notesIn(blocks, this.keyId)
      assert.equal(await chainRecorder.recordBlocks({ blocks, notes }), null)
    }
    await recordList(chainRecorder, {
      notes: this.#mempoolNotes(),
      txids: new Set(chain.mempool.keys()),
      readAt: clock.secs,
      lastSeq: await chainRecorder.lastSeq(),
      syncedThrough: clock.secs,
      rewound,
    })
    for (const index of INDEXES) {
      const { amountZat, confirmations } = TERMS[`${index}`]!
      if (minedZat(chain, index, confirmations) >= amountZat) this.everPaid.add(index)
    }
  }

  /** Invariants after every sync, independent of the chain history. */
  async check(): Promise<void> {
    const { chain } = this
    const rows = await this.rows()
    for (const { txid } of TRANSACTIONS) {
      const place = rows.find(row => row.txid === txid)?.location
      const minedAt = chain.minedAt(txid)
      if (minedAt !== null) assert.deepEqual(place, { at: 'mined', height: minedAt })
      else if (chain.mempool.has(txid)) assert.deepEqual(place, { at: 'mempool' })
      else assert.notEqual(place?.at, 'mined')
    }
    for (const invoice of await this.invoices()) {
      const { diversifierIndex: index, status, amountZat } = invoice
      const mined = minedZat(chain, index, 1)
      assert.equal(status === 'paid', this.everPaid.has(index), `invoice ${index} is ${status}`)
      assert.equal(invoice.needsAttention, status === 'paid' && mined < amountZat)
      assert.ok(invoice.receivedZat >= mined + unminedZat(chain, index))
      if (status !== 'paid') assert.equal(status, invoice.receivedZat >= amountZat ? 'detected' : 'pending')
    }
    assert.deepEqual(await this.store.query(tx => tx.dashboard.paidByDay(this.accountId, 0)), await this.paidByDay())
  }

  /** The daily totals, summed from the invoices. */
  async paidByDay(): Promise<DailyTotals[]> {
    const paid = (await this.invoices()).filter(invoice => invoice.paidAt !== null)
    return [...Map.groupBy(paid, invoice => startOfDay(invoice.paidAt as number))]
      .map(([day, invoices]) => ({
        ...{ day, invoices: invoices.length },
        receivedZat: sumZat(invoices.map(({ receivedZat }) => receivedZat)),
        refundedZat: 0n,
      }))
      .sort((a, b) => a.day - b.day)
  }

  /** Invariants once the mempool is stable: only payments in the chain or the mempool count. */
  async checkSettled(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await this.sync(3)
      for (let wait = 0; wait < 4; wait++) {
        this.clock.advance(30)
        await this.sync(3)
      }
      this.chain.mineOnly([], this.clock.secs)
    }
    await this.sync(3)
    await this.check()
    for (const invoice of await this.invoices()) {
      const { diversifierIndex: index, amountZat } = invoice
      const received = minedZat(this.chain, index, 1) + unminedZat(this.chain, index)
      assert.equal(invoice.receivedZat, received)
      assert.equal(invoice.overpaidZat, received > amountZat ? received - amountZat : 0n)
    }
  }

  /** The state that a new reading of the same chain must reproduce. */
  async outcome() {
    const rows = (await this.rows()).filter(row => row.location.at !== 'dropped')
    const invoices = await this.invoices()
    return {
      payments: rows.map(({ txid, location, valueZat }) => ({ txid, place: location, valueZat })).sort(byTxid),
      invoices: invoices.map(({ diversifierIndex, receivedZat, overpaidZat }) => ({
        diversifierIndex,
        receivedZat,
        overpaidZat,
      })),
    }
  }

  async rows() {
    return this.store.read(async rows =>
      paymentsOf(
        rows,
        (await this.#all(rows)).map(invoice => invoice.id),
      ),
    )
  }

  async invoices(): Promise<Invoice[]> {
    return this.store.read(rows => this.#all(rows))
  }

  #all(rows: Parameters<Parameters<Store['read']>[0]>[0]): Promise<Invoice[]> {
    return rows.invoices.byDiversifierIndexes(
      INDEXES.map(diversifierIndex => ({ viewingKeyId: this.keyId, diversifierIndex })),
    )
  }

  #mempoolNotes() {
    return this.chain.mempoolNotes(this.keyId)
  }
}

function byTxid(a: { txid: string }, b: { txid: string }): number {
  return a.txid < b.txid ? -1 : 1
}

test('the stored payments match chain and mempool after any sequence of changes, read in any batches', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 40 }), async steps => {
      const bench = new Bench(new TestNetwork())
      const fresh = new Bench(bench.chain)
      try {
        await bench.open()
        for (const one of steps) await bench.take(one)
        await bench.checkSettled()
        await fresh.open()
        await fresh.sync(1)
        assert.deepEqual(await bench.outcome(), await fresh.outcome())
      } finally {
        await bench.close()
        await fresh.close()
      }
    }),
    { numRuns: 25 },
  )
})
