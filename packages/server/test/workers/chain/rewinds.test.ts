import assert from 'node:assert/strict'
import type { Header } from '../../../src/domain/chain/chain.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import type { Store, Tx } from '../../../src/ports/store.ts'
import { onBothDatabases, onPostgres } from '../../harness/databases.ts'
import { type ChainSimulation, simulationTest } from '../../harness/simulation/simulation.ts'
import { withRepositories } from '../../harness/tx.ts'

const NO_OUTPUTS = { sapling: 0, orchard: 0, ironwood: 0 }

/** Records three empty blocks. Returns the height below them. */
async function recordThreeBlocks(simulation: ChainSimulation): Promise<number> {
  await simulation.firstProcess.sync()
  const base = await simulation.tip()
  simulation.mine(3, [])
  await simulation.firstProcess.sync()
  return base
}

/** Replaces the blocks above `base` by ones that pay the invoice, misses the payment and rescans it. */
async function assertRescanFinds(simulation: ChainSimulation, invoice: Invoice, base: number): Promise<void> {
  const { chainRecorder, rescan } = simulation.firstProcess
  simulation.chain.removeBlocks(3, () => false)
  simulation.pay(invoice)
  simulation.mine(4)
  const blocks = simulation.chain.blocksFrom(base + 1)
  assert.equal(await chainRecorder.recordBlocks({ blocks, notes: [] }), null)
  assert.deepEqual(await rescan(base + 1), { to: base + 4, found: 1 })
  assert.equal(await simulation.status(invoice), 'paid')
}

/** Calls `after` once, after the first call of `method` in a write transaction. */
function interruptingAfter(store: Store, method: 'recordRewind' | 'removeHeadersAbove', after: () => Promise<unknown>) {
  let done = false
  const wrapped = (tx: Tx): Tx =>
    withRepositories(tx, {
      chain: {
        ...tx.chain,
        async [method](height: number) {
          await tx.chain[method](height)
          if (!done) {
            done = true
            await after()
          }
        },
      },
    })
  return { ...store, write: work => store.write(tx => work(wrapped(tx))) } satisfies Store as Store
}

onBothDatabases(engine => {
  simulationTest(
    engine,
    'a restart of the recorded chain that fails after any of its transactions leaves recorded blocks, so none is skipped later',
    async simulation => {
      const { firstProcess, server } = simulation
      await recordThreeBlocks(simulation)
      // Below the oldest recorded block.
      const base: Header = { height: 0, hash: '00', prevHash: '', time: 0, treeSizes: NO_OUTPUTS }
      const position = () => firstProcess.recordedChain.position()
      assert.equal((await position())?.oldest, 1)
      let isDone = false
      for (let succeeding = 0; !isDone; succeeding++) {
        let writes = 0
        const write: Store['write'] = async work => {
          if (writes === succeeding) throw new Error('the database fails')
          writes += 1
          return firstProcess.store.write(work)
        }
        const { recordedChain } = await simulation.process({ ...firstProcess.store, write }, server)
        isDone = await recordedChain.restartAt(base).then(
          () => true,
          () => false,
        )
        assert.notEqual(await position(), null, `${writes} transactions`)
      }
      assert.equal((await position())?.tip.hash, base.hash)
    },
  )
})

onPostgres(engine => {
  simulationTest(
    engine,
    'a rescan finds the payment of an invoice whose insert had not committed when the rewind was recorded',
    async simulation => {
      const [a, b] = simulation.processes
      const base = await recordThreeBlocks(simulation)
      const store: Store = {
        ...a!.store,
        write: work =>
          a!.store.write(async tx => {
            const result = await work(tx)
            await b!.recordedChain.rewindTo(base, null)
            return result
          }),
      }
      const invoice = await simulation.createInvoice({ confirmations: 1 }, { ...a!, store })
      await assertRescanFinds(simulation, invoice, base)
    },
    { processes: 2 },
  )

  for (const method of ['recordRewind', 'removeHeadersAbove'] as const)
    simulationTest(
      engine,
      `a rescan finds the payment of an invoice that is inserted after ${method}, before the rewind commits`,
      async simulation => {
        const [a, b] = simulation.processes
        const base = await recordThreeBlocks(simulation)
        let invoice: Invoice | undefined
        const store = interruptingAfter(b!.store, method, async () => {
          invoice = await simulation.createInvoice({ confirmations: 1 }, a!)
        })
        await simulation.process(store, simulation.server).recordedChain.rewindTo(base, null)
        await assertRescanFinds(simulation, invoice!, base)
      },
      { processes: 2 },
    )
})

onBothDatabases(engine => {
  simulationTest(
    engine,
    'a rescan finds the payment of an invoice that is created between two steps of a rewind',
    async simulation => {
      const base = await recordThreeBlocks(simulation)
      const { store } = simulation.firstProcess
      const created: Invoice[] = []
      const stepwise: Store = {
        ...store,
        write: async work => {
          const lowestHeightWithAtMost = async () => (await simulation.tip()) - 1
          const result = await store.write(tx => work({ ...tx, payments: { ...tx.payments, lowestHeightWithAtMost } }))
          if (created.length === 0) created.push(await simulation.createInvoice({ confirmations: 1 }))
          return result
        },
      }
      await simulation.process(stepwise, simulation.server).recordedChain.rewindTo(base, null)
      await assertRescanFinds(simulation, created[0]!, base)
    },
  )

  simulationTest(
    engine,
    'an invoice that is created after a rewind takes no payment of the blocks before it',
    async simulation => {
      const base = await recordThreeBlocks(simulation)
      await simulation.firstProcess.recordedChain.rewindTo(base, null)
      await simulation.firstProcess.sync()
      const invoice = await simulation.createInvoice({ confirmations: 1 })
      const blocks = simulation.chain.blocksFrom(base + 1)
      const txid = simulation.pay(invoice)
      const notes = simulation.mempoolNotes()
      const paying = blocks.map((block, i) =>
        i === 0 ? { ...block, transactions: [{ txid, orchard: [], ironwood: [] }] } : block,
      )
      const { chainRecorder } = simulation.firstProcess
      assert.deepEqual(await chainRecorder.recordRescanned({ blocks: paying, notes }), { found: 0, mismatch: null })
    },
  )
})
