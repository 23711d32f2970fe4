import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { openTestContainer } from '../../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { recordList } from '../../../harness/mempool-list.ts'
import { paymentsOf } from '../../../harness/payments.ts'
import { TestNetwork } from '../../../harness/simulation/network.ts'
import { withRepositories } from '../../../harness/tx.ts'

/** More than two pages. */
const DUST = 4_500
const PAGE = 2_000

/** The services, with the number of unmined payments that each transaction reads at once. */
async function open(engine: DatabaseEngine, t: TestContext) {
  const store = await openEmptyStore(engine, t)
  const shop = await openShop(store)
  const chain = new TestNetwork()
  const clock = new ManualClock(NOW)
  const reads: number[] = []
  const watched: Store = {
    ...store,
    write: work =>
      store.write(tx => {
        const listMempool: typeof tx.payments.listMempool = async (...args) => {
          const rows = await tx.payments.listMempool(...args)
          reads.push(rows.length)
          return rows
        }
        return work(withRepositories(tx, { payments: { ...tx.payments, listMempool } }))
      }),
  }
  const { services } = await openTestContainer(t, { store: watched, clock, isPrepared: false })
  const { chainRecorder: recorder } = services
  await recorder.recordBlocks({ blocks: chain.blocksFrom(), notes: [] })
  return {
    store,
    shop,
    chain,
    clock,
    reads,
    async mineEmpty(): Promise<void> {
      await recorder.recordBlocks({ blocks: [chain.mineOnly([], clock.secs)], notes: [] })
    },
    async snapshot(): Promise<void> {
      await recordList(recorder, {
        notes: chain.mempoolNotes(shop.viewingKey.id),
        txids: new Set(chain.mempool.keys()),
        readAt: clock.secs,
        lastSeq: await recorder.lastSeq(),
        syncedThrough: clock.secs,
      })
    },
    async read({ id }: Invoice): Promise<[status: string, receivedZat: bigint]> {
      const [invoice] = await store.read(tx => tx.invoices.byIds([id]))
      return [invoice!.status, invoice!.receivedZat]
    },
  }
}

onBothDatabases(engine => {
  test('a mempool of very many payments is recorded and compared in pages, and pays as a small one does', async t => {
    const { shop, chain, clock, reads, snapshot, read, mineEmpty } = await open(engine, t)
    const first = await shop.sell({ amountZat: 10n, confirmations: 0 })
    const dusted = await shop.sell({ amountZat: 1_000_000n })
    const last = await shop.sell({ amountZat: 100n, confirmations: 0 })
    chain.pay(first, 10n)
    const dust = Array.from({ length: DUST }, () => chain.pay(dusted, 1n))
    const evicted = chain.pay(last, 60n)
    await snapshot()
    assert.deepEqual(await read(first), ['paid', 10n])
    assert.deepEqual(await read(dusted), ['pending', BigInt(DUST)])
    assert.deepEqual(await read(last), ['pending', 60n])

    // The new payment is recorded in the first transaction, the absence of the evicted one in the last.
    chain.evict(evicted)
    chain.pay(last, 50n)
    clock.advance(10)
    await snapshot()
    assert.deepEqual(await read(last), ['detected', 110n], 'an evicted payment does not confirm')
    chain.pay(last, 50n)
    clock.advance(10)
    await snapshot()
    assert.deepEqual(await read(last), ['paid', 160n])
    assert.ok(reads.length >= 9 && reads.every(rows => rows <= PAGE), `${reads}`)

    for (const txid of dust) chain.evict(txid)
    clock.advance(10)
    await snapshot()
    for (let i = 0; i < 4; i++) {
      clock.advance(30)
      await snapshot()
    }
    await mineEmpty()
    await snapshot()
    assert.deepEqual(
      [await read(dusted), await read(last)],
      [
        ['pending', 0n],
        ['paid', 100n],
      ],
    )
  })

  test('a transaction that pays invoices on several pages is dropped as a whole', async t => {
    const { store, shop, chain, clock, snapshot, mineEmpty, read } = await open(engine, t)
    const [low, dusted, high] = [await shop.sell(), await shop.sell(), await shop.sell()]
    const both = chain.pay(low, 7n)
    for (let i = 0; i < DUST; i++) chain.pay(dusted, 1n)
    await snapshot()
    await store.write(tx =>
      tx.payments.upsert([
        {
          invoiceId: high.id,
          txid: both,
          pool: 'ironwood',
          outputIndex: 9,
          valueZat: 5n,
          location: { at: 'mempool' },
          expiryHeight: null,
          seenAt: clock.secs,
          lastSeenHeight: 0,
        },
      ]),
    )
    chain.evict(both)
    clock.advance(10)
    await snapshot()
    for (let i = 0; i < 4; i++) {
      clock.advance(30)
      await snapshot()
    }
    await mineEmpty()
    await snapshot()
    const places = (await store.read(tx => paymentsOf(tx, [low.id, high.id]))).map(({ location }) => location.at)
    assert.deepEqual(places, ['dropped', 'dropped'])
    assert.deepEqual(
      [await read(low), await read(high)],
      [
        ['pending', 0n],
        ['pending', 0n],
      ],
    )
    assert.deepEqual(await read(dusted), ['pending', BigInt(DUST)])
  })
})
