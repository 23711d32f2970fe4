import assert from 'node:assert/strict'
import type { ChainProblem } from '../../../src/domain/chain/chain-problem.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { runWorkers, syncFully } from '../../harness/simulation/run-workers.ts'
import type { ChainSimulation } from '../../harness/simulation/simulation.ts'
import { simulationTest } from '../../harness/simulation/simulation.ts'

function recorded(simulation: ChainSimulation): Promise<(ChainProblem & { since: number })[]> {
  return simulation.firstProcess.store.read(tx => tx.chain.problems())
}

onBothDatabases(engine => {
  simulationTest(
    engine,
    'while the mempool cannot be read, blocks are recorded, and no invoice expires',
    async simulation => {
      await syncFully(simulation)
      const unpaid = await simulation.createInvoice({ expiresAt: simulation.clock.secs + 60 })
      const paid = await simulation.createInvoice({ expiresAt: simulation.clock.secs + 60 })
      simulation.server.mempoolFails = true
      const { syncedThrough } = simulation.metrics
      simulation.pay(paid)
      for (let block = 0; block < 16; block++) {
        simulation.clock.advance(75)
        simulation.mine(1)
        await syncFully(simulation)
      }
      assert.deepEqual([await simulation.status(paid), await simulation.status(unpaid)], ['paid', 'pending'])
      assert.ok((await simulation.syncedThrough()) < unpaid.expiresAt)
      assert.equal(simulation.metrics.syncedThrough, syncedThrough)
      simulation.server.mempoolFails = false
      simulation.clock.advance(10)
      await syncFully(simulation)
      await syncFully(simulation)
      assert.equal(await simulation.status(unpaid), 'expired')
    },
  )

  simulationTest(
    engine,
    'while no server follows an upgrade, no invoice expires, although chain and mempool are read',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + 60 })
      simulation.firstProcess.chain.problems = [{ problem: 'upgrade_not_followed', upgrade: 'NU7' }]
      simulation.clock.advance(100)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      simulation.firstProcess.chain.problems = [{ problem: 'estimated_lag', blocks: 300 }]
      await syncFully(simulation)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'expired', 'an estimated lag does not stop expiry')
    },
  )

  simulationTest(
    engine,
    'chain source problems are recorded with their start, shown in the metrics, and logged once',
    async simulation => {
      const startedAt = simulation.clock.secs
      simulation.firstProcess.chain.problems = [{ problem: 'not_synced', blocks: 7 }]
      await runWorkers(simulation)
      simulation.clock.advance(10)
      simulation.firstProcess.chain.problems = [{ problem: 'mempool_unreadable' }, { problem: 'not_synced', blocks: 5 }]
      await runWorkers(simulation)
      await runWorkers(simulation)
      assert.deepEqual(await recorded(simulation), [
        { problem: 'mempool_unreadable', since: startedAt + 10 },
        { problem: 'not_synced', blocks: 5, since: startedAt },
      ])
      assert.deepEqual(simulation.metrics.problems, simulation.firstProcess.chain.problems)
      const logged = () =>
        simulation.log.lines.filter(({ message }) => /mempool cannot|behind its node|no problems/.test(message))
      assert.equal(logged().length, 2)
      simulation.firstProcess.chain.problems = []
      await runWorkers(simulation)
      assert.deepEqual(await recorded(simulation), [])
      assert.equal(logged().at(-1)!.message, 'the chain source has no problems any more')
    },
  )

  simulationTest(engine, 'a new process replaces the problems that an earlier one recorded', async simulation => {
    simulation.firstProcess.chain.problems = [{ problem: 'mempool_unreadable' }]
    await runWorkers(simulation)
    simulation.restart()
    await runWorkers(simulation)
    assert.deepEqual(await recorded(simulation), [])
  })
})
