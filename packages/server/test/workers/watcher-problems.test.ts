import assert from 'node:assert/strict'
import type { ChainProblem } from '../../src/domain/chain-problem.ts'
import { inWorld, onBothDatabases } from '../support/engines.ts'
import type { ModelWorld } from '../support/model-world.ts'
import { settle, work } from '../support/settle.ts'

function recorded(world: ModelWorld): Promise<(ChainProblem & { since: number })[]> {
  return world.process0.store.read(rows => rows.chain.problems())
}

onBothDatabases(engine => {
  inWorld(engine, 'while the mempool cannot be read, blocks are, and no invoice expires', async world => {
    await settle(world)
    const unpaid = await world.sell({ expiresAt: world.clock.secs + 60 })
    const paid = await world.sell({ expiresAt: world.clock.secs + 60 })
    world.server.mempoolFails = true
    world.pay(paid)
    for (let block = 0; block < 16; block++) {
      world.clock.advance(75)
      world.mine(1)
      await settle(world)
    }
    assert.deepEqual([await world.status(paid), await world.status(unpaid)], ['paid', 'pending'])
    assert.ok((await world.seenThrough()) < unpaid.expiresAt)
    world.server.mempoolFails = false
    world.clock.advance(10)
    await settle(world)
    await settle(world)
    assert.equal(await world.status(unpaid), 'expired')
  })

  inWorld(
    engine,
    'while no server follows an upgrade, no invoice expires, though chain and mempool are read',
    async world => {
      await settle(world)
      const invoice = await world.sell({ expiresAt: world.clock.secs + 60 })
      world.process0.chain.problems = [{ problem: 'upgrade_not_followed', upgrade: 'NU7' }]
      world.clock.advance(100)
      await settle(world)
      assert.equal(await world.status(invoice), 'pending')
      world.process0.chain.problems = [{ problem: 'estimated_lag', blocks: 300 }]
      await settle(world)
      await settle(world)
      assert.equal(await world.status(invoice), 'expired', 'an estimate is no ground to wait')
    },
  )

  inWorld(
    engine,
    'what the chain source lacks is recorded with its beginning, measured, and logged once',
    async world => {
      const began = world.clock.secs
      world.process0.chain.problems = [{ problem: 'not_synced', blocks: 7 }]
      await work(world)
      world.clock.advance(10)
      world.process0.chain.problems = [{ problem: 'mempool_unreadable' }, { problem: 'not_synced', blocks: 5 }]
      await work(world)
      await work(world)
      assert.deepEqual(await recorded(world), [
        { problem: 'mempool_unreadable', since: began + 10 },
        { problem: 'not_synced', blocks: 5, since: began },
      ])
      assert.deepEqual(world.metered.problems, world.process0.chain.problems)
      const logged = () =>
        world.log.lines.filter(({ message }) => /mempool cannot|behind its node|everything/.test(message))
      assert.equal(logged().length, 2)
      world.process0.chain.problems = []
      await work(world)
      assert.deepEqual(await recorded(world), [])
      assert.equal(logged().at(-1)!.message, 'the chain source has no problems any more')
    },
  )

  inWorld(engine, 'a process that starts replaces what an earlier one recorded', async world => {
    world.process0.chain.problems = [{ problem: 'mempool_unreadable' }]
    await work(world)
    world.restart()
    await work(world)
    assert.deepEqual(await recorded(world), [])
  })
})
