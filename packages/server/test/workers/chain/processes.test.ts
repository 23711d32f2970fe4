import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import type { Store, Tx } from '../../../src/ports/store.ts'
import { createRecordedChain } from '../../../src/services/chain/recorded-chain.ts'
import { onBothDatabases, onPostgres } from '../../harness/databases.ts'
import { anyLockWait } from '../../harness/lock-wait.ts'
import { type ChainSimulation, simulationTest } from '../../harness/simulation/simulation.ts'
import { until } from '../../harness/until.ts'

/** Asserts that every header links to the one below it. */
async function assertLinked(simulation: ChainSimulation): Promise<void> {
  const { store } = simulation.firstProcess
  const headers = await store.read(tx => tx.chain.newestHeaders(2_000))
  for (const [i, header] of headers.entries()) {
    const below = headers[i + 1]
    if (below)
      assert.deepEqual([below.height, below.hash], [header.height - 1, header.prevHash], `below ${header.height}`)
  }
}

/**
 * Wraps a store: after the first call of `method` in a write transaction it starts `meanwhile` and waits until that has
 * ended or waits for a lock.
 */
function pausingAt(
  store: Store,
  admin: pg.Client,
  method: 'tip' | 'headerAt' | 'syncedThrough',
  meanwhile: () => Promise<unknown>,
): Store {
  let begun = false
  const stop = async () => {
    if (begun) return
    begun = true
    let ended = false
    meanwhile().finally(() => {
      ended = true
    })
    await until('the other transaction to end or to wait for a lock', async () => ended || (await anyLockWait(admin)))
  }
  const stopped = (tx: Tx): Tx => ({
    ...tx,
    chain: {
      ...tx.chain,
      async [method](...args: [number]) {
        const found = await tx.chain[method](...args)
        await stop()
        return found
      },
    },
  })
  return { ...store, write: work => store.write(tx => work(stopped(tx))) }
}

onPostgres(engine => {
  simulationTest(
    engine,
    'a process that appends blocks while another rewinds leaves a linked chain and loses no payment',
    async (simulation, t) => {
      const [a, b] = simulation.processes
      await a!.sync()
      const base = await simulation.tip()
      const invoice = await simulation.createInvoice({ confirmations: 1 })
      simulation.mine(2, [])
      await a!.sync()
      simulation.pay(invoice)
      simulation.mine(3)
      const blocks = simulation.chain.blocksFrom(base + 3)
      const admin = await simulation.adminClient(t)
      let rewound: Promise<unknown> = Promise.resolve()
      const store = pausingAt(b!.store, admin, 'tip', () => {
        rewound = a!.recordedChain.rewindTo(base, null)
        return rewound
      })
      const appending = simulation.process(store, simulation.server)
      await appending.chainRecorder.recordBlocks({ blocks, notes: simulation.notesIn(blocks) })
      await rewound
      await assertLinked(simulation)
      for (const process of simulation.processes) await process.sync()
      await assertLinked(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
    },
    { processes: 2 },
  )

  simulationTest(
    engine,
    'a rescan during a reorganisation records no payment on the abandoned branch',
    async (simulation, t) => {
      const [a, b] = simulation.processes
      await a!.sync()
      const base = await simulation.tip()
      const invoice = await simulation.createInvoice({ confirmations: 1 })
      simulation.pay(invoice)
      simulation.mine(2)
      const dead = simulation.chain.blocksFrom(base + 1)
      // The payment is missed: its block is recorded without notes.
      await a!.chainRecorder.recordBlocks({ blocks: dead, notes: [] })
      const admin = await simulation.adminClient(t)
      let rewound: Promise<unknown> = Promise.resolve()
      const store = pausingAt(b!.store, admin, 'headerAt', () => {
        rewound = a!.recordedChain.rewindTo(base, null)
        return rewound
      })
      await simulation
        .process(store, simulation.server)
        .chainRecorder.recordRescanned({ blocks: dead, notes: simulation.notesIn(dead) })
      await rewound
      simulation.chain.removeBlocks(2, () => false)
      simulation.mine(4, [])
      for (let i = 0; i < 3; i++) await simulation.advanceTime(150)
      const [payment] = await simulation.payments(invoice)
      assert.notEqual(payment?.location.at, 'mined')
      assert.ok((await simulation.read(invoice)).needsAttention || (await simulation.status(invoice)) !== 'paid')
    },
    { processes: 2 },
  )

  simulationTest(
    engine,
    'a payment recorded by one process is known to the second, although its late window ends in between',
    async (simulation, t) => {
      const [a, b] = simulation.processes
      await a!.sync()
      const invoice = await simulation.createInvoice({ confirmations: 1, watchUntil: simulation.clock.secs + 1_000 })
      simulation.clock.advance(1_000)
      simulation.pay(invoice)
      const seen = {
        notes: simulation.mempoolNotes(),
        expiryHeights: new Map(),
      }
      simulation.clock.advance(1)
      simulation.mine(1)
      const blocks = simulation.chain.blocksFrom(simulation.chain.height)
      const admin = await simulation.adminClient(t)
      let mining: Promise<unknown> = Promise.resolve()
      // The payment from the mempool, in time, is written but not committed when the block, too late, is recorded.
      const store = pausingAt(a!.store, admin, 'syncedThrough', () => {
        mining = b!.chainRecorder.recordBlocks({ blocks, notes: simulation.notesIn(blocks) })
        return mining
      })
      const observed = simulation.process(store, simulation.server)
      observed.clock.skewSecs = -1
      await observed.chainRecorder.recordMempool(seen)
      await mining
      const [payment] = await simulation.payments(invoice)
      assert.deepEqual(payment?.location, { at: 'mined', height: blocks[0]!.height })
      assert.equal(await simulation.status(invoice), 'paid')
    },
    { processes: 2, network: 'regtest' },
  )

  simulationTest(
    engine,
    'two processes that sync at the same time through 12 reorganisations keep one linked chain and every payment',
    async simulation => {
      for (const process of simulation.processes) await process.sync()
      for (let round = 0; round < 12; round++) {
        const invoice = await simulation.createInvoice({ confirmations: 1 })
        simulation.pay(invoice)
        simulation.mine(1 + (round % 3))
        const [a, b] = simulation.processes
        await Promise.allSettled([a!.sync(), b!.sync()])
        simulation.chain.removeBlocks(1 + (round % 5), () => true)
        simulation.mine(2 + (round % 4), [])
        await Promise.allSettled([a!.sync(), b!.sync()])
        await assertLinked(simulation)
        simulation.mine(1)
        await Promise.allSettled([a!.sync(), b!.sync()])
        for (const process of simulation.processes) await process.sync()
        await assertLinked(simulation)
        const { status, receivedZat } = await simulation.read(invoice)
        assert.deepEqual([status, receivedZat], ['paid', invoice.amountZat], `round ${round}`)
      }
    },
    { processes: 2 },
  )
})

onBothDatabases(engine => {
  simulationTest(
    engine,
    'unlinked headers are found and their blocks read again, with their payments',
    async simulation => {
      await simulation.firstProcess.sync()
      const base = await simulation.tip()
      const invoice = await simulation.createInvoice({ confirmations: 1 })
      simulation.pay(invoice)
      simulation.mine(5)
      const blocks = simulation.chain.blocksFrom(base + 1)
      const { store } = simulation.firstProcess
      // An older version could leave this state: blocks 2 to 5 are recorded, but not the first one with the payment.
      await store.write(tx => tx.chain.appendHeaders(blocks.slice(1)))
      simulation.restart()
      await simulation.firstProcess.sync()
      await assertLinked(simulation)
      assert.equal(await simulation.tip(), base + 5)
      assert.equal(await simulation.status(invoice), 'paid')
      assert.equal(await simulation.firstProcess.recordedChain.repairLinks(), null)
      assert.ok(simulation.log.lines.some(({ message }) => message.includes('are not linked')))
    },
  )

  simulationTest(
    engine,
    'a reorganisation of 1,000 blocks of paid invoices is rewound in bounded steps, each a consistent chain',
    async simulation => {
      const { store } = simulation.firstProcess
      await simulation.firstProcess.sync()
      const base = await simulation.tip()
      const invoices: Invoice[] = []
      for (let i = 0; i < 40; i++) {
        invoices.push(await simulation.createInvoice({ confirmations: 1, expiresAt: simulation.clock.secs + 86_400 }))
      }
      // About 3,000 payments: each block pays three invoices.
      for (let height = 0; height < 1_000; height++) {
        const txids = [0, 1, 2].map(n => simulation.pay(invoices[(height * 3 + n) % 40]!, 5_000n))
        simulation.chain.mineOnly(txids, simulation.clock.secs)
      }
      await simulation.firstProcess.sync()
      const steps: number[] = []
      let records = 0
      const watched: Store = {
        ...store,
        write: async work => {
          const result = await store.write(tx => {
            const updateStates: Tx['invoices']['updateStates'] = outcomes => {
              records++
              return tx.invoices.updateStates(outcomes)
            }
            return work({ ...tx, invoices: { ...tx.invoices, updateStates } })
          })
          await assertLinked(simulation)
          const tip = (await store.read(tx => tx.chain.tip()))!.height
          const above = await store.read(tx => tx.payments.lowestHeightWithAtMost(0, tip))
          assert.equal(above, tip, 'no payment is mined above the newest block')
          steps.push(tip)
          return result
        },
      }
      const { recordedChain } = simulation.process(watched, simulation.server)
      await recordedChain.rewindTo(base, null)
      assert.equal(steps.at(-1), base)
      assert.ok(steps.length >= 3 && steps.length <= 5, `${steps.length} steps`)
      assert.equal(records, steps.length, 'the outcomes of a step are written together')
      for (const invoice of invoices) assert.equal((await simulation.read(invoice)).needsAttention, true)

      // After a crash between two steps, the next start continues.
      await simulation.firstProcess.sync()
      let left = 2
      const crashing: Store = {
        ...store,
        write: work => (left-- > 0 ? store.write(work) : Promise.reject(new Error('killed'))),
      }
      simulation.chain.removeBlocks(1_000, () => true)
      simulation.mine(1_001)
      await assert.rejects(simulation.process(crashing, simulation.server).sync(), /killed/)
      await assertLinked(simulation)
      simulation.restart()
      await simulation.firstProcess.sync()
      await assertLinked(simulation)
      assert.equal(await simulation.tip(), base + 1_001)
      for (const invoice of invoices) {
        const { status, receivedZat, needsAttention } = await simulation.read(invoice)
        assert.deepEqual([status, receivedZat, needsAttention], ['paid', 375_000n, false])
      }
    },
    { store: { limits: { transactionTimeoutMs: 60_000 } } },
  )
})

test('a rewind changes nothing if another process has changed the chain in the meantime', async () => {
  const written: string[] = []
  const rows = {
    chain: {
      lock: async () => void written.push('lock'),
      headerAt: async () => ({ height: 5, hash: 'another' }),
    },
  } as unknown as Tx
  const store = { write: (work: (tx: Tx) => Promise<unknown>) => work(rows) } as unknown as Store
  const deps = {
    updateInvoices: async () => [],
    reportChanges: () => {},
    clock: { nowMs: () => 0 } as never,
    log: {} as never,
  }
  const recordedChain = createRecordedChain({ store, ...deps })
  assert.equal(await recordedChain.rewindTo(3, { height: 5, hash: 'judged' } as never), false)
  assert.deepEqual(written, ['lock'])
})
