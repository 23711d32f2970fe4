import assert from 'node:assert/strict'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { runWorkers, syncFully, wait } from '../../harness/simulation/run-workers.ts'
import { type ChainSimulation, simulationTest } from '../../harness/simulation/simulation.ts'

const HOUR = 3_600
const DAY = 86_400

/** An invoice that is paid a second before its end, and a sync at its end whose list is a second older. */
async function payAtTheEnd(simulation: ChainSimulation): Promise<Invoice> {
  const { server, clock, firstProcess } = simulation
  server.mempoolCacheMs = 2_000
  await syncFully(simulation)
  const invoice = await simulation.createInvoice({ expiresAt: clock.secs + 60 })
  clock.advance(59)
  await simulation.readByAnotherClient()
  simulation.pay(invoice)
  clock.advance(1)
  await firstProcess.sync()
  return invoice
}

function readStream({ firstProcess }: ChainSimulation): Promise<number> {
  return firstProcess.chainSync.streamMempool(new AbortController().signal)
}

/** A failed read of another client, which the stream reports while the old list that this process got is recorded. */
async function failWhileRecording(simulation: ChainSimulation): Promise<void> {
  const { server, clock, firstProcess } = simulation
  server.mempoolFails = true
  clock.advance(10)
  await assert.rejects(simulation.readByAnotherClient(), 'another client gets the error, and this process the old list')
  simulation.interruption = async point => {
    if (point === 'before recordSnapshot') await assert.rejects(readStream(simulation))
  }
  await firstProcess.sync()
  simulation.interruption = () => {}
}

async function assertDetected(simulation: ChainSimulation, invoice: Invoice): Promise<void> {
  await syncFully(simulation)
  assert.equal(await simulation.status(invoice), 'detected')
}

onBothDatabases(engine => {
  simulationTest(engine, 'an invoice created while the clock is 3 h ahead is paid normally', async simulation => {
    const [process] = simulation.processes
    await process!.sync()
    process!.clock.skewSecs = 3 * HOUR
    const [mempool, mined] = [await simulation.createInvoice(), await simulation.createInvoice()]
    process!.clock.skewSecs = 0
    const first = simulation.pay(mempool)
    await syncFully(simulation)
    assert.equal(await simulation.status(mempool), 'detected')
    simulation.pay(mined)
    simulation.mine(3)
    await syncFully(simulation)
    assert.deepEqual([await simulation.status(mempool), await simulation.status(mined)], ['paid', 'paid'])
    assert.equal((await simulation.read(mempool)).txid, first)
  })

  simulationTest(engine, 'the mempool is scanned before blocks to catch up with', async simulation => {
    await simulation.firstProcess.sync()
    const invoice = await simulation.createInvoice()
    const txid = simulation.pay(invoice)
    await simulation.firstProcess.sync()
    assert.deepEqual(simulation.scans, [{ txid, isUrgent: true }])
    simulation.mine(1)
    await simulation.firstProcess.sync()
    assert.deepEqual(simulation.scans.slice(1), [{ txid, isUrgent: false }])
  })

  simulationTest(
    engine,
    'a payment first seen in a block dated 2011 counts, as on a Zebra regtest',
    async simulation => {
      await simulation.firstProcess.sync()
      const invoice = await simulation.createInvoice()
      const txid = simulation.pay(invoice)
      for (let i = 0; i < 3; i++) simulation.chain.mineOnly(i === 0 ? [txid] : [], 1_296_688_602 + i)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
    },
    { network: 'regtest' },
  )

  for (const network of ['test', 'regtest'] as const) {
    simulationTest(
      engine,
      `syncs with the clock 7 days ahead expire no invoice created after them, on ${network}`,
      async simulation => {
        await syncFully(simulation)
        const [process] = simulation.processes
        process!.clock.skewSecs = 7 * DAY
        await syncFully(simulation)
        process!.clock.skewSecs = 0
        const invoice = await simulation.createInvoice()
        assert.equal(await process!.invoiceExpiry.expireDue(10), 0)
        assert.equal(await simulation.status(invoice), 'pending', 'before a sync has corrected the stored time')
        await syncFully(simulation)
        assert.equal(await simulation.status(invoice), 'pending')
        assert.ok((await simulation.syncedThrough()) <= simulation.clock.secs)
        await simulation.advanceTime(600)
        await syncFully(simulation)
        assert.equal(await simulation.status(invoice), 'pending')
        await simulation.advanceTime(375)
        await syncFully(simulation)
        assert.equal(await simulation.status(invoice), 'expired', 'invoices expire again once the clock is right')
      },
      { network },
    )
  }

  simulationTest(
    engine,
    'no invoice expires while the clock is 7 days ahead, and its payment is detected',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice()
      simulation.firstProcess.clock.skewSecs = 7 * DAY
      await simulation.advanceTime(300)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      simulation.pay(invoice)
      await syncFully(simulation)
      simulation.firstProcess.clock.skewSecs = 0
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  simulationTest(
    engine,
    'a payment that vanishes while the clock is 1 hour ahead is dropped soon after the clock is right',
    async simulation => {
      const { chain, clock, firstProcess } = simulation
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: clock.secs + 3_600 })
      const txid = simulation.pay(invoice)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      firstProcess.clock.skewSecs = HOUR
      chain.evict(txid)
      await syncFully(simulation)
      firstProcess.clock.skewSecs = 0
      for (let i = 0; i < 3; i++) {
        await simulation.advanceTime(75)
        await syncFully(simulation)
      }
      assert.equal(await simulation.status(invoice), 'pending')
    },
  )

  simulationTest(
    engine,
    'a payment scanned while the clock was 30 days ahead counts once the clock is right',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice()
      simulation.firstProcess.clock.skewSecs = 30 * DAY
      simulation.pay(invoice)
      await syncFully(simulation)
      simulation.firstProcess.clock.skewSecs = 0
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  simulationTest(
    engine,
    'no invoice expires after a switch to a server with an empty mempool',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice()
      simulation.pay(invoice, invoice.amountZat, 10_000)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      simulation.clock.advance(901)
      simulation.mine(1, [])
      await syncFully(simulation)
      const [, other] = simulation.servers
      other!.mempoolEmpty = true
      simulation.firstProcess.chain.use(other!.connect())
      for (let i = 0; i < 3; i++) {
        simulation.clock.advance(2)
        await syncFully(simulation)
        assert.equal(await simulation.status(invoice), 'detected')
      }
      await simulation.advanceTime(225)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'pending', 'dropped, and kept open because it can still be mined')
      simulation.mine(3)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
      assert.deepEqual(simulation.eventTypes(invoice), ['invoice.paid'])
    },
    { servers: 2 },
  )

  simulationTest(
    engine,
    'the 120 s of a vanished payment start again after a switch to another server',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + DAY })
      const txid = simulation.pay(invoice, invoice.amountZat, 10_000)
      await syncFully(simulation)
      simulation.servers[0]!.hidden.add(txid)
      await runWorkers(simulation)
      await wait(simulation, 119)
      simulation.mine(1, [])
      simulation.servers[1]!.hidden.add(txid)
      simulation.firstProcess.chain.use(simulation.servers[1]!.connect())
      simulation.clock.advance(10)
      await runWorkers(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      simulation.mine(1, [])
      await wait(simulation, 119)
      assert.equal(await simulation.status(invoice), 'detected')
      await wait(simulation, 1)
      assert.equal(await simulation.status(invoice), 'pending')
    },
    { servers: 2 },
  )

  simulationTest(engine, 'a vanished payment is dropped after 120 s and a new block, not before', async simulation => {
    await runWorkers(simulation)
    const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + DAY })
    const txid = simulation.pay(invoice, invoice.amountZat, 10_000)
    await runWorkers(simulation)
    simulation.chain.evict(txid)
    await runWorkers(simulation)
    simulation.mine(1, [])
    await runWorkers(simulation)
    assert.equal(await simulation.status(invoice), 'detected', 'a new block, but no time has passed')
    await wait(simulation, 119)
    assert.equal(await simulation.status(invoice), 'detected', 'less than 120 s')
    await wait(simulation, 1)
    assert.deepEqual([await simulation.status(invoice), (await simulation.read(invoice)).receivedZat], ['pending', 0n])

    simulation.rebroadcast(txid)
    await runWorkers(simulation)
    assert.equal(await simulation.status(invoice), 'detected', 'a returning payment counts again')
    simulation.chain.evict(txid)
    await runWorkers(simulation)
    await wait(simulation, 200)
    assert.equal(await simulation.status(invoice), 'detected', 'time has passed, but no new block')
    simulation.mine(1, [])
    await runWorkers(simulation)
    assert.equal(await simulation.status(invoice), 'pending')
  })

  simulationTest(
    engine,
    'a payment counts as long as one of two servers has it in its mempool',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + DAY })
      simulation.pay(invoice, invoice.amountZat, 10_000)
      await syncFully(simulation)
      simulation.servers[1]!.mempoolEmpty = true
      for (let i = 0; i < 8; i++) {
        await simulation.advanceTime(75)
        assert.equal(await simulation.status(invoice), 'detected')
      }
    },
    { servers: 2, processes: 2 },
  )

  simulationTest(
    engine,
    'an invoice whose payment vanished expires once the transaction can no longer be mined',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice()
      const height = await simulation.tip()
      const txid = simulation.pay(invoice, invoice.amountZat, height + 40)
      await simulation.firstProcess.chainSync.streamMempool(new AbortController().signal)
      await syncFully(simulation)
      simulation.chain.evict(txid)
      await simulation.advanceTime(975)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      await simulation.advanceTime((height + 39 - (await simulation.tip())) * 75)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      await simulation.advanceTime(75)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'expired')
    },
  )

  simulationTest(
    engine,
    'an invoice paid a second before its end never expires, on a server whose mempool is 2 s old',
    async simulation => {
      simulation.server.mempoolCacheMs = 2_000
      await runWorkers(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + 100 })
      simulation.clock.advance(99)
      await runWorkers(simulation)
      simulation.pay(invoice)
      for (let i = 0; i < 10; i++) {
        simulation.clock.advance(1)
        await runWorkers(simulation)
        assert.notEqual(await simulation.status(invoice), 'expired')
      }
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  simulationTest(engine, 'two syncs with the same stale mempool list drop no payment', async simulation => {
    simulation.server.mempoolCacheMs = 2_000
    await runWorkers(simulation)
    const invoice = await simulation.createInvoice()
    simulation.pay(invoice)
    await simulation.firstProcess.chainSync.streamMempool(new AbortController().signal)
    assert.equal(await simulation.status(invoice), 'detected')
    simulation.mine(1, [])
    for (let i = 0; i < 3; i++) {
      await runWorkers(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
      simulation.clock.advanceMs(500)
    }
  })

  simulationTest(engine, 'a stale mempool list served after a failed read lets no invoice expire', async simulation => {
    simulation.server.mempoolCacheMs = 2_000
    await runWorkers(simulation)
    const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + 60 })
    simulation.server.mempoolFails = true
    simulation.clock.advance(30)
    await simulation.firstProcess.sync()
    simulation.pay(invoice)
    simulation.clock.advance(40)
    for (let i = 0; i < 5; i++) {
      await simulation.firstProcess.sync()
      simulation.clock.advance(1)
      await runWorkers(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      simulation.clock.advance(2)
    }
    simulation.server.mempoolFails = false
    await syncFully(simulation)
    assert.equal(await simulation.status(invoice), 'detected')
  })

  simulationTest(engine, 'a stale mempool list served after a failed read drops no payment', async simulation => {
    const { server, firstProcess, clock } = simulation
    server.mempoolCacheMs = 2_000
    await syncFully(simulation)
    const invoice = await simulation.createInvoice({ expiresAt: clock.secs + 3_600 })
    simulation.pay(invoice)
    await firstProcess.chainSync.streamMempool(new AbortController().signal)
    await firstProcess.sync()
    assert.equal(await simulation.status(invoice), 'detected')
    server.mempoolFails = true
    clock.advance(10)
    await firstProcess.sync()
    simulation.mine(1, [])
    for (let i = 0; i < 4; i++) {
      clock.advance(30)
      await assert.rejects(
        simulation.readByAnotherClient(),
        'another client gets the error, and this process the old list',
      )
      await firstProcess.sync()
    }
    assert.equal(await simulation.status(invoice), 'detected')
  })

  simulationTest(
    engine,
    'a stale mempool list drops no payment when the stream reports the failed read while a list is recorded',
    async simulation => {
      const { server, firstProcess, clock } = simulation
      server.mempoolCacheMs = 2_000
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: clock.secs + 3_600 })
      simulation.pay(invoice)
      await readStream(simulation)
      await failWhileRecording(simulation)
      simulation.mine(1, [])
      for (let i = 0; i < 4; i++) {
        clock.advance(30)
        await assert.rejects(simulation.readByAnotherClient(), 'and again')
        await firstProcess.sync()
      }
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  simulationTest(engine, 'a payment seen while the server is behind has vanished since then only', async simulation => {
    const { chain, firstProcess, clock } = simulation
    await syncFully(simulation)
    const invoice = await simulation.createInvoice({ expiresAt: clock.secs + 3_600 })
    const txid = simulation.pay(invoice)
    await syncFully(simulation)
    simulation.mine(2, [])
    await syncFully(simulation)
    chain.evict(txid)
    await syncFully(simulation)
    await wait(simulation, 60)
    chain.removeBlocks(1, () => true)
    simulation.rebroadcast(txid)
    await firstProcess.sync()
    await wait(simulation, 60)
    assert.deepEqual(await simulation.readByAnotherClient(), [txid])
    chain.evict(txid)
    simulation.mine(3, [])
    clock.advance(3)
    await firstProcess.sync()
    await syncFully(simulation)
    assert.equal(await simulation.status(invoice), 'detected')
    simulation.mine(1, [])
    await wait(simulation, 120)
    assert.equal(await simulation.status(invoice), 'pending')
  })

  simulationTest(engine, 'a payment is dropped although the server is behind now and then', async simulation => {
    const { chain, firstProcess, clock } = simulation
    await syncFully(simulation)
    const invoice = await simulation.createInvoice({ expiresAt: clock.secs + 3_600 })
    const txid = simulation.pay(invoice)
    await syncFully(simulation)
    chain.evict(txid)
    await syncFully(simulation)
    for (let secs = 0; secs < 120; secs += 30) {
      assert.equal(await simulation.status(invoice), 'detected')
      chain.removeBlocks(1, () => true)
      await firstProcess.sync()
      simulation.mine(2, [])
      clock.advance(25)
      await syncFully(simulation)
    }
    assert.equal(await simulation.status(invoice), 'pending')
  })

  simulationTest(
    engine,
    'a stale mempool list lets no invoice expire when another client of the server hides every failed read',
    async simulation => {
      const { server, firstProcess } = simulation
      server.mempoolCacheMs = 2_000
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + 60 })
      server.mempoolFails = true
      simulation.clock.advance(30)
      simulation.pay(invoice)
      for (let i = 0; i < 12; i++) {
        simulation.clock.advance(5)
        // The other client's failed read renews the cache time, so that this process gets the old list.
        await assert.rejects(simulation.readByAnotherClient())
        await assert.rejects(firstProcess.chainSync.streamMempool(new AbortController().signal))
        await runWorkers(simulation)
        assert.equal(await simulation.status(invoice), 'pending')
      }
      server.mempoolFails = false
      simulation.clock.advance(6)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'detected')
    },
  )

  simulationTest(
    engine,
    'a stale mempool list lets no invoice expire when the stream reports the failed read after the sync',
    async simulation => {
      const { server, clock } = simulation
      const invoice = await payAtTheEnd(simulation)
      server.mempoolFails = true
      clock.advance(10)
      await assert.rejects(
        simulation.readByAnotherClient(),
        'another client gets the error, and this process the old list',
      )
      for (let i = 0; i < 2; i++) {
        await runWorkers(simulation)
        assert.equal(await simulation.status(invoice), 'pending')
        clock.advance(1)
      }
      await assert.rejects(readStream(simulation))
      server.mempoolFails = false
      clock.advance(6)
      await assertDetected(simulation, invoice)
    },
  )

  simulationTest(
    engine,
    'a stale mempool list lets no invoice expire when the stream reports the failed read while the list is recorded',
    async simulation => {
      const { server, clock } = simulation
      const invoice = await payAtTheEnd(simulation)
      await failWhileRecording(simulation)
      clock.advance(6)
      await assert.rejects(simulation.readByAnotherClient(), 'and again')
      await runWorkers(simulation)
      assert.equal(await simulation.status(invoice), 'pending')
      server.mempoolFails = false
      clock.advance(6)
      await assertDetected(simulation, invoice)
    },
  )

  simulationTest(
    engine,
    'a list that is read soon after a failure confirms nothing, because further failures may be hidden',
    async simulation => {
      const { server, clock } = simulation
      const invoice = await payAtTheEnd(simulation)
      clock.advance(6)
      server.mempoolFails = true
      await assert.rejects(readStream(simulation))
      for (const secs of [3, 6]) {
        clock.advance(secs)
        await assert.rejects(
          simulation.readByAnotherClient(),
          'another client gets the error, and this process the old list',
        )
        await runWorkers(simulation)
        assert.equal(await simulation.status(invoice), 'pending')
      }
      server.mempoolFails = false
      clock.advance(6)
      await assertDetected(simulation, invoice)
    },
  )

  simulationTest(
    engine,
    'no invoice expires while a node stalls for 25 minutes with an empty mempool',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + 1_700 })
      simulation.clock.advance(60)
      simulation.server.freeze()
      simulation.pay(invoice)
      for (let i = 0; i < 30; i++) {
        simulation.clock.advance(60)
        await syncFully(simulation)
      }
      assert.equal(await simulation.status(invoice), 'pending')
      assert.equal(simulation.metrics.stalled, true)
      simulation.server.thaw()
      simulation.mine(3)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
      assert.equal(simulation.metrics.stalled, false)
      assert.deepEqual(simulation.eventTypes(invoice), ['invoice.paid'])
    },
  )

  simulationTest(
    engine,
    'with 0 confirmations, a payment that has left the mempool does not count',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ amountZat: 100n, confirmations: 0 })
      const gone = simulation.pay(invoice, 60n)
      await syncFully(simulation)
      simulation.chain.evict(gone)
      simulation.pay(invoice, 40n)
      await simulation.firstProcess.chainSync.streamMempool(new AbortController().signal)
      assert.notEqual(await simulation.status(invoice), 'paid')
      await syncFully(simulation)
      assert.notEqual(await simulation.status(invoice), 'paid')
      simulation.rebroadcast(gone)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
    },
  )

  simulationTest(
    engine,
    'a payment seen while the clock is 3 h ahead and then double-spent is dropped',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice({ expiresAt: simulation.clock.secs + DAY })
      simulation.firstProcess.clock.skewSecs = 3 * HOUR
      const txid = simulation.pay(invoice, invoice.amountZat, 10_000)
      await syncFully(simulation)
      simulation.firstProcess.clock.skewSecs = 0
      simulation.chain.evict(txid)
      await syncFully(simulation)
      await simulation.advanceTime(300)
      assert.equal(await simulation.status(invoice), 'pending')
    },
  )

  simulationTest(
    engine,
    'a payment from before a long outage is found, although its key is no longer watched',
    async simulation => {
      await syncFully(simulation)
      const invoice = await simulation.createInvoice()
      simulation.pay(invoice)
      simulation.mine(1)
      simulation.clock.advance(20 * DAY)
      simulation.mine(3)
      await syncFully(simulation)
      assert.equal(await simulation.status(invoice), 'paid')
    },
  )

  simulationTest(engine, 'a payment in a block dated ahead of the clock counts as in time', async simulation => {
    await syncFully(simulation)
    const invoice = await simulation.createInvoice({ watchUntil: simulation.clock.secs + 1_000 })
    simulation.clock.advance(900)
    const txid = simulation.pay(invoice)
    for (let i = 0; i < 3; i++) simulation.chain.mineOnly(i === 0 ? [txid] : [], simulation.clock.secs + 7_000 + i)
    simulation.clock.advance(50)
    await runWorkers(simulation)
    assert.equal(await simulation.status(invoice), 'paid')
  })

  simulationTest(engine, 'a rescan finds a missed payment of a key that is no longer watched', async simulation => {
    await syncFully(simulation)
    const invoice = await simulation.createInvoice()
    simulation.pay(invoice)
    simulation.mine(1)
    const from = simulation.chain.height
    // The payment is missed: its block is recorded without notes.
    await simulation.firstProcess.chainRecorder.recordBlocks({ blocks: simulation.chain.blocksFrom(from), notes: [] })
    simulation.clock.advance(30 * DAY)
    simulation.mine(3)
    await syncFully(simulation)
    assert.equal((await simulation.read(invoice)).receivedZat, 0n)
    assert.deepEqual(await simulation.rescan(from), { to: simulation.chain.height, found: 1 })
    assert.equal(await simulation.status(invoice), 'paid')
  })

  simulationTest(engine, 'a new block confirms every waiting invoice, also in large numbers', async simulation => {
    await syncFully(simulation)
    const invoices: Invoice[] = []
    await simulation.firstProcess.store.write(async tx => {
      const watchUntil = simulation.clock.secs + DAY
      await tx.viewingKeys.extendWatch(simulation.shop.viewingKey.id, watchUntil)
      for (let i = 0; i < 1_100; i++) {
        const terms = { confirmations: 2, expiresAt: watchUntil, watchUntil }
        invoices.push(await tx.invoices.insert(simulation.shop.draft(terms)))
      }
    })
    for (const invoice of invoices) simulation.pay(invoice)
    simulation.mine(1)
    await runWorkers(simulation)
    simulation.mine(1)
    await runWorkers(simulation)
    const found = await simulation.firstProcess.store.read(tx => tx.invoices.byIds(invoices.map(({ id }) => id)))
    assert.equal(found.filter(({ status }) => status === 'paid').length, 1_100)
  })

  simulationTest(engine, 'a payment that is dropped and returns raises invoice.underpaid once', async simulation => {
    await syncFully(simulation)
    const invoice = await simulation.createInvoice({ amountZat: 100n })
    const txid = simulation.pay(invoice, 60n, 10_000)
    await syncFully(simulation)
    await simulation.advanceTime(975)
    await syncFully(simulation)
    assert.equal(await simulation.status(invoice), 'underpaid')
    simulation.chain.evict(txid)
    await simulation.advanceTime(300)
    assert.equal((await simulation.read(invoice)).receivedZat, 0n)
    simulation.rebroadcast(txid)
    await syncFully(simulation)
    assert.equal(await simulation.status(invoice), 'underpaid')
    assert.deepEqual(simulation.eventTypes(invoice), ['invoice.underpaid'])
    simulation.pay(invoice, 40n)
    simulation.mine(3)
    await syncFully(simulation)
    assert.deepEqual(simulation.eventTypes(invoice), ['invoice.underpaid', 'invoice.paid'])
  })
})
