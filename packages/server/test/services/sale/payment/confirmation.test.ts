import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServices } from '../../../../src/container.ts'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { openTestContainer } from '../../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { TestNetwork } from '../../../harness/simulation/network.ts'
import { withRepositories } from '../../../harness/tx.ts'

const MAX_STEP = 200

/** Services that record the invoices evaluated in each commit, and stop before a commit that a test chooses. */
async function open(engine: DatabaseEngine, t: TestContext) {
  const store = await openEmptyStore(engine, t)
  const shop = await openShop(store)
  const chain = new TestNetwork()
  const clock = new ManualClock(NOW)
  /** Numbers of evaluated invoices, one for each commit that evaluates any. */
  const commits: number[] = []
  let left = Number.POSITIVE_INFINITY
  const watched: Store = {
    ...store,
    write: work =>
      store.write(async tx => {
        if (left-- <= 0) throw new Error('killed')
        const counting = withRepositories(tx, {
          payments: {
            ...tx.payments,
            summaries: invoices => {
              commits.push(invoices.length)
              return tx.payments.summaries(invoices)
            },
          },
        })
        return work(counting)
      }),
  }
  const { infrastructure } = await openTestContainer(t, { store: watched, clock, isPrepared: false })
  const start = () => createServices(infrastructure, null).chainRecorder
  let recorder = start()
  await recorder.recordBlocks({ blocks: chain.blocksFrom(), notes: [] })
  async function mine(txids: string[] = []): Promise<void> {
    const blocks = [chain.mineOnly(txids, clock.secs)]
    await recorder.recordBlocks({ blocks, notes: chain.notesIn(blocks, shop.viewingKey.id) })
  }
  return {
    commits,
    /** Invoices whose payments are mined in one block. */
    async sellAndMine(count: number, confirmations: number): Promise<Invoice[]> {
      const invoices: Invoice[] = []
      for (let i = 0; i < count; i++) invoices.push(await shop.sell({ amountZat: 10n, confirmations }))
      await mine(invoices.map(invoice => chain.pay(invoice, 10n)))
      return invoices
    },
    mine,
    async paidOf(invoices: readonly Invoice[]): Promise<number> {
      const rows = await store.read(tx => tx.invoices.byIds(invoices.map(({ id }) => id)))
      return rows.filter(({ status }) => status === 'paid').length
    },
    /** The process stops after some commits. */
    stopAfter(writes: number): void {
      left = writes
    },
    /** The first thing that a sync does. */
    async restart(): Promise<void> {
      left = Number.POSITIVE_INFINITY
      recorder = start()
      await recorder.recordDue()
    },
  }
}

onBothDatabases(engine => {
  test('a block evaluates the invoices that it may confirm, and not those that wait for later ones', async t => {
    const { commits, sellAndMine, mine, paidOf } = await open(engine, t)
    const later = await sellAndMine(30, 9)
    const next = await sellAndMine(5, 2)
    commits.length = 0
    await mine()
    assert.deepEqual([commits, await paidOf(next), await paidOf(later)], [[5], 5, 0])
    commits.length = 0
    for (let blocks = 0; blocks < 5; blocks++) await mine()
    assert.deepEqual([commits, await paidOf(later)], [[], 0])
    await mine()
    assert.deepEqual([commits, await paidOf(later)], [[30], 30])
  })

  test('more invoices than one commit evaluates are confirmed in commits right after the block', async t => {
    const { commits, sellAndMine, mine, paidOf } = await open(engine, t)
    const invoices = await sellAndMine(450, 2)
    commits.length = 0
    await mine()
    assert.deepEqual([commits, await paidOf(invoices)], [[MAX_STEP, MAX_STEP, 50], 450])
  })

  test('a process that stops between two of these commits confirms the others when it starts again', async t => {
    const { sellAndMine, mine, paidOf, stopAfter, restart } = await open(engine, t)
    const invoices = await sellAndMine(450, 2)
    stopAfter(2)
    await assert.rejects(mine(), /killed/)
    assert.equal(await paidOf(invoices), 2 * MAX_STEP)
    await restart()
    assert.equal(await paidOf(invoices), 450)
  })
})
