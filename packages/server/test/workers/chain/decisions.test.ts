import assert from 'node:assert/strict'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
import { inWorld, onBothDatabases } from '../../support/engines.ts'
import { settle, work } from '../../support/settle.ts'

const HOUR = 3_600
const DAY = 86_400

onBothDatabases(engine => {
  inWorld(engine, 'an invoice created while the clock is 3 h ahead is paid normally', async simulation => {
    const [process] = simulation.processes
    await process!.look()
    process!.clock.skewSecs = 3 * HOUR
    const [mempool, mined] = [await simulation.sell(), await simulation.sell()]
    process!.clock.skewSecs = 0
    const first = simulation.pay(mempool)
    await settle(simulation)
    assert.equal(await simulation.status(mempool), 'detected')
    simulation.pay(mined)
    simulation.mine(3)
    await settle(simulation)
    assert.deepEqual([await simulation.status(mempool), await simulation.status(mined)], ['paid', 'paid'])
    assert.equal((await simulation.read(mempool)).txid, first)
  })

  inWorld(
    engine,
    'a payment first seen in a block dated 2011 counts, as on a Zebra regtest',
    async simulation => {
      await simulation.process0.look()
      const invoice = await simulation.sell()
      const txid = simulation.pay(invoice)
      for (let i = 0; i < 3; i++) simulation.chain.mine(i === 0 ? [txid] : [], 1_296_688_602 + i)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
    },
    { network: 'regtest' },
  )

  for (const network of ['test', 'regtest'] as const) {
    inWorld(
      engine,
      `syncs with the clock 7 days ahead expire no invoice created after them, on ${network}`,
      async simulation => {
        await settle(simulation)
        const [process] = simulation.processes
        process!.clock.skewSecs = 7 * DAY
        await settle(simulation)
        process!.clock.skewSecs = 0
        const invoice = await simulation.sell()
        assert.equal(await process!.payments.closeDue(10), 0)
        assert.equal(await simulation.status(invoice), 'pending', 'before a sync has corrected the stored time')
        await settle(simulation)
        assert.equal(await simulation.status(invoice), 'pending')
        assert.ok((await simulation.seenThrough()) <= simulation.clock.secs)
        await simulation.pass(600)
        await settle(simulation)
        assert.equal(await simulation.status(invoice), 'pending')
        await simulation.pass(375)
        await settle(simulation)
        assert.equal(await simulation.status(invoice), 'expired', 'invoices expire again once the clock is right')
      },
      { network },
    )
  }

  inWorld(
    engine,
    'no invoice expires while the clock is 7 days ahead, and its payment is detected',
    async simulation => {
      await settle(simulation)
      const invoice = await simulation.sell()
      simulation.process0.clock.skewSecs = 7 * DAY
      await simulation.pass(300)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      simulation.pay(invoice)
      await settle(simulation)
      simulation.process0.clock.skewSecs = 0
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  inWorld(
    engine,
    'a payment scanned while the clock was 30 days ahead counts once the clock is right',
    async simulation => {
      await settle(simulation)
      const invoice = await simulation.sell()
      simulation.process0.clock.skewSecs = 30 * DAY
      simulation.pay(invoice)
      await settle(simulation)
      simulation.process0.clock.skewSecs = 0
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  inWorld(
    engine,
    'no invoice expires after a switch to a server with an empty mempool',
    async simulation => {
      await settle(simulation)
      const invoice = await simulation.sell()
      simulation.pay(invoice, invoice.amountZat, 10_000)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      simulation.clock.advance(901)
      simulation.mine(1, [])
      await settle(simulation)
      const [, other] = simulation.servers
      other!.emptyMempool = true
      simulation.process0.chain.use(other!)
      for (let i = 0; i < 3; i++) {
        simulation.clock.advance(2)
        await settle(simulation)
        assert.equal(await simulation.status(invoice), 'detected')
      }
      await simulation.pass(225)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'pending', 'dropped, and kept open because it can still be mined')
      simulation.mine(3)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
      assert.deepEqual(simulation.eventTypes(invoice), ['invoice.paid'])
    },
    { servers: 2 },
  )

  inWorld(
    engine,
    'the 120 s of a missing payment start again after a switch to another server',
    async simulation => {
      await settle(simulation)
      const invoice = await simulation.sell({ expiresAt: simulation.clock.secs + DAY })
      const txid = simulation.pay(invoice, invoice.amountZat, 10_000)
      await settle(simulation)
      simulation.servers[0]!.hidden.add(txid)
      await work(simulation)
      simulation.clock.advance(119)
      simulation.mine(1, [])
      simulation.servers[1]!.hidden.add(txid)
      simulation.process0.chain.use(simulation.servers[1]!)
      simulation.clock.advance(10)
      await work(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      simulation.clock.advance(119)
      simulation.mine(1, [])
      await work(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      simulation.clock.advance(1)
      await work(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
    },
    { servers: 2 },
  )

  inWorld(engine, 'a missing payment is dropped after 120 s and a new block, not before', async simulation => {
    await work(simulation)
    const invoice = await simulation.sell({ expiresAt: simulation.clock.secs + DAY })
    const txid = simulation.pay(invoice, invoice.amountZat, 10_000)
    await work(simulation)
    simulation.chain.mempool.delete(txid)
    await work(simulation)
    simulation.mine(1, [])
    await work(simulation)
    assert.equal(await simulation.status(invoice), 'detected', 'a new block, but no time has passed')
    simulation.clock.advance(119)
    await work(simulation)
    assert.equal(await simulation.status(invoice), 'detected', 'less than 120 s')
    simulation.clock.advance(1)
    await work(simulation)
    assert.deepEqual([await simulation.status(invoice), (await simulation.read(invoice)).receivedZat], ['pending', 0n])

    simulation.rebroadcast(txid)
    await work(simulation)
    assert.equal(await simulation.status(invoice), 'detected', 'a returning payment counts again')
    simulation.chain.mempool.delete(txid)
    await work(simulation)
    simulation.clock.advance(1_000)
    await work(simulation)
    assert.equal(await simulation.status(invoice), 'detected', 'time has passed, but no new block')
    simulation.mine(1, [])
    await work(simulation)
    assert.equal(await simulation.status(invoice), 'pending')
  })

  inWorld(
    engine,
    'a payment counts as long as one of two servers has it in its mempool',
    async simulation => {
      await settle(simulation)
      const invoice = await simulation.sell({ expiresAt: simulation.clock.secs + DAY })
      simulation.pay(invoice, invoice.amountZat, 10_000)
      await settle(simulation)
      simulation.servers[1]!.emptyMempool = true
      for (let i = 0; i < 8; i++) {
        await simulation.pass(75)
        assert.equal(await simulation.status(invoice), 'detected')
      }
    },
    { servers: 2, processes: 2 },
  )

  inWorld(
    engine,
    'an invoice whose payment vanished expires once the transaction can no longer be mined',
    async simulation => {
      await settle(simulation)
      const invoice = await simulation.sell()
      const height = await simulation.tip()
      const txid = simulation.pay(invoice, invoice.amountZat, height + 40)
      await simulation.process0.watcher.follow(new AbortController().signal)
      await settle(simulation)
      simulation.chain.mempool.delete(txid)
      await simulation.pass(975)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      await simulation.pass((height + 39 - (await simulation.tip())) * 75)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      await simulation.pass(75)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'expired')
    },
  )

  inWorld(
    engine,
    'an invoice paid a second before its end never expires, on a server whose mempool is 2 s old',
    async simulation => {
      simulation.server.cacheSecs = 2
      await work(simulation)
      const invoice = await simulation.sell({ expiresAt: simulation.clock.secs + 100 })
      simulation.clock.advance(99)
      await work(simulation)
      simulation.pay(invoice)
      for (let i = 0; i < 10; i++) {
        simulation.clock.advance(1)
        await work(simulation)
        assert.notEqual(await simulation.status(invoice), 'expired')
      }
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  inWorld(engine, 'two syncs with the same stale mempool list drop no payment', async simulation => {
    simulation.server.cacheSecs = 2
    await work(simulation)
    const invoice = await simulation.sell()
    simulation.pay(invoice)
    await simulation.process0.watcher.follow(new AbortController().signal)
    assert.equal(await simulation.status(invoice), 'detected')
    simulation.mine(1, [])
    for (let i = 0; i < 3; i++) {
      await work(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      simulation.clock.advanceMs(500)
    }
  })

  inWorld(engine, 'a stale mempool list served after a failed read lets no invoice expire', async simulation => {
    simulation.server.cacheSecs = 2
    await work(simulation)
    const invoice = await simulation.sell({ expiresAt: simulation.clock.secs + 60 })
    simulation.server.mempoolFails = true
    simulation.clock.advance(30)
    await simulation.process0.look()
    simulation.pay(invoice)
    simulation.clock.advance(40)
    for (let i = 0; i < 5; i++) {
      await simulation.process0.look()
      simulation.clock.advance(1)
      await work(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      simulation.clock.advance(2)
    }
    simulation.server.mempoolFails = false
    await settle(simulation)
    assert.equal(await simulation.status(invoice), 'detected')
  })

  inWorld(engine, 'no invoice expires while a node stalls for 25 minutes with an empty mempool', async simulation => {
    await settle(simulation)
    const invoice = await simulation.sell({ expiresAt: simulation.clock.secs + 1_700 })
    simulation.clock.advance(60)
    simulation.server.freeze()
    simulation.pay(invoice)
    for (let i = 0; i < 30; i++) {
      simulation.clock.advance(60)
      await settle(simulation)
    }
    assert.equal(await simulation.status(invoice), 'pending')
    assert.equal(simulation.metered.stalled, true)
    simulation.server.thaw()
    simulation.mine(3)
    await settle(simulation)
    assert.equal(await simulation.status(invoice), 'paid')
    assert.equal(simulation.metered.stalled, false)
    assert.deepEqual(simulation.eventTypes(invoice), ['invoice.paid'])
  })

  inWorld(engine, 'with 0 confirmations, a payment that has left the mempool does not count', async simulation => {
    await settle(simulation)
    const invoice = await simulation.sell({ amountZat: 100n, confirmations: 0 })
    const gone = simulation.pay(invoice, 60n)
    await settle(simulation)
    simulation.chain.mempool.delete(gone)
    simulation.pay(invoice, 40n)
    await simulation.process0.watcher.follow(new AbortController().signal)
    assert.notEqual(await simulation.status(invoice), 'paid')
    await settle(simulation)
    assert.notEqual(await simulation.status(invoice), 'paid')
    simulation.rebroadcast(gone)
    await settle(simulation)
    assert.equal(await simulation.status(invoice), 'paid')
  })

  inWorld(engine, 'a payment seen while the clock is 3 h ahead and then double-spent is dropped', async simulation => {
    await settle(simulation)
    const invoice = await simulation.sell({ expiresAt: simulation.clock.secs + DAY })
    simulation.process0.clock.skewSecs = 3 * HOUR
    const txid = simulation.pay(invoice, invoice.amountZat, 10_000)
    await settle(simulation)
    simulation.process0.clock.skewSecs = 0
    simulation.chain.mempool.delete(txid)
    await settle(simulation)
    await simulation.pass(300)
    assert.equal(await simulation.status(invoice), 'pending')
  })

  inWorld(
    engine,
    'a payment from before a long outage is found, although its key is no longer watched',
    async simulation => {
      await settle(simulation)
      const invoice = await simulation.sell()
      simulation.pay(invoice)
      simulation.mine(1)
      simulation.clock.advance(20 * DAY)
      simulation.mine(3)
      await settle(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
    },
  )

  inWorld(engine, 'a payment in a block dated ahead of the clock counts as in time', async simulation => {
    await settle(simulation)
    const invoice = await simulation.sell({ watchUntil: simulation.clock.secs + 1_000 })
    simulation.clock.advance(900)
    const txid = simulation.pay(invoice)
    for (let i = 0; i < 3; i++) simulation.chain.mine(i === 0 ? [txid] : [], simulation.clock.secs + 7_000 + i)
    simulation.clock.advance(50)
    await work(simulation)
    assert.equal(await simulation.status(invoice), 'paid')
  })

  inWorld(engine, 'a rescan finds a missed payment of a key that is no longer watched', async simulation => {
    await settle(simulation)
    const invoice = await simulation.sell()
    simulation.pay(invoice)
    simulation.mine(1)
    const from = simulation.chain.height
    // The payment is missed: its block is recorded without notes.
    await simulation.process0.payments.recordBlocks({ blocks: simulation.chain.blocks.slice(from), notes: [] })
    simulation.clock.advance(30 * DAY)
    simulation.mine(3)
    await settle(simulation)
    assert.equal((await simulation.read(invoice)).receivedZat, 0n)
    assert.deepEqual(await simulation.rescan(from), { to: simulation.chain.height, found: 1 })
    assert.equal(await simulation.status(invoice), 'paid')
  })

  inWorld(engine, 'a new block confirms every waiting invoice, also in large numbers', async simulation => {
    await settle(simulation)
    const invoices: Invoice[] = []
    await simulation.process0.store.write(async tx => {
      const watchUntil = simulation.clock.secs + DAY
      await tx.viewingKeys.watch(simulation.shop.viewingKey.id, watchUntil)
      for (let i = 0; i < 1_100; i++) {
        const terms = { confirmations: 2, expiresAt: watchUntil, watchUntil }
        invoices.push(await tx.invoices.insert(simulation.shop.draft(terms)))
      }
    })
    for (const invoice of invoices) simulation.pay(invoice)
    simulation.mine(1)
    await work(simulation)
    simulation.mine(1)
    await work(simulation)
    const found = await simulation.process0.store.read(tx => tx.invoices.byIds(invoices.map(({ id }) => id)))
    assert.equal(found.filter(({ status }) => status === 'paid').length, 1_100)
  })

  inWorld(engine, 'a payment that is dropped and returns raises invoice.underpaid once', async simulation => {
    await settle(simulation)
    const invoice = await simulation.sell({ amountZat: 100n })
    const txid = simulation.pay(invoice, 60n, 10_000)
    await settle(simulation)
    await simulation.pass(975)
    await settle(simulation)
    assert.equal(await simulation.status(invoice), 'underpaid')
    simulation.chain.mempool.delete(txid)
    await simulation.pass(300)
    assert.equal((await simulation.read(invoice)).receivedZat, 0n)
    simulation.rebroadcast(txid)
    await settle(simulation)
    assert.equal(await simulation.status(invoice), 'underpaid')
    assert.deepEqual(simulation.eventTypes(invoice), ['invoice.underpaid'])
    simulation.pay(invoice, 40n)
    simulation.mine(3)
    await settle(simulation)
    assert.deepEqual(simulation.eventTypes(invoice), ['invoice.underpaid', 'invoice.paid'])
  })
})
