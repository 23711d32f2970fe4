import assert from 'node:assert/strict'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
import { inWorld, onBothDatabases } from '../../support/engines.ts'
import { settle, work } from '../../support/settle.ts'

const HOUR = 3_600
const DAY = 86_400

onBothDatabases(engine => {
  inWorld(engine, 'an invoice made with a clock 3 h ahead is paid like any other', async world => {
    const [process] = world.processes
    await process!.look()
    process!.clock.skewSecs = 3 * HOUR
    const [mempool, mined] = [await world.sell(), await world.sell()]
    process!.clock.skewSecs = 0
    const first = world.pay(mempool)
    await settle(world)
    assert.equal(await world.status(mempool), 'detected')
    world.pay(mined)
    world.mine(3)
    await settle(world)
    assert.deepEqual([await world.status(mempool), await world.status(mined)], ['paid', 'paid'])
    assert.equal((await world.read(mempool)).txid, first)
  })

  inWorld(
    engine,
    'a payment first seen in a block dated 2011 counts, as on a regtest of Zebra',
    async world => {
      await world.process0.look()
      const invoice = await world.sell()
      const txid = world.pay(invoice)
      for (let i = 0; i < 3; i++) world.chain.mine(i === 0 ? [txid] : [], 1_296_688_602 + i)
      await settle(world)
      assert.equal(await world.status(invoice), 'paid')
    },
    { network: 'regtest' },
  )

  for (const network of ['test', 'regtest'] as const) {
    inWorld(
      engine,
      `looks with the clock 7 days ahead close no invoice made after them, on ${network}`,
      async world => {
        await settle(world)
        const [process] = world.processes
        process!.clock.skewSecs = 7 * DAY
        await settle(world)
        process!.clock.skewSecs = 0
        const invoice = await world.sell()
        assert.equal(await process!.payments.closeDue(10), 0)
        assert.equal(await world.status(invoice), 'pending', 'before a look has put it right')
        await settle(world)
        assert.equal(await world.status(invoice), 'pending')
        assert.ok((await world.seenThrough()) <= world.clock.secs)
        await world.pass(600)
        await settle(world)
        assert.equal(await world.status(invoice), 'pending')
        await world.pass(375)
        await settle(world)
        assert.equal(await world.status(invoice), 'expired', 'expiry goes on once the clock is right')
      },
      { network },
    )
  }

  inWorld(engine, 'with the clock 7 days ahead for good, nothing closes; corrected, it does', async world => {
    await settle(world)
    const invoice = await world.sell()
    world.process0.clock.skewSecs = 7 * DAY
    await world.pass(300)
    await settle(world)
    assert.equal(await world.status(invoice), 'pending')
    world.pay(invoice)
    await settle(world)
    world.process0.clock.skewSecs = 0
    await settle(world)
    assert.equal(await world.status(invoice), 'detected')
  })

  inWorld(engine, 'a payment opened while the clock was 30 days ahead counts once it is right', async world => {
    await settle(world)
    const invoice = await world.sell()
    world.process0.clock.skewSecs = 30 * DAY
    world.pay(invoice)
    await settle(world)
    world.process0.clock.skewSecs = 0
    await settle(world)
    assert.equal(await world.status(invoice), 'detected')
  })

  inWorld(
    engine,
    'a server that takes over with an empty mempool makes no invoice expire',
    async world => {
      await settle(world)
      const invoice = await world.sell()
      world.pay(invoice, invoice.amountZat, 10_000)
      await settle(world)
      assert.equal(await world.status(invoice), 'detected')
      world.clock.advance(901)
      world.mine(1, [])
      await settle(world)
      const [, other] = world.servers
      other!.emptyMempool = true
      world.process0.chain.use(other!)
      for (let i = 0; i < 3; i++) {
        world.clock.advance(2)
        await settle(world)
        assert.equal(await world.status(invoice), 'detected')
      }
      await world.pass(225)
      await settle(world)
      assert.equal(await world.status(invoice), 'pending', 'taken back, and held open: it can still be mined')
      world.mine(3)
      await settle(world)
      assert.equal(await world.status(invoice), 'paid')
      assert.deepEqual(world.eventTypes(invoice), ['invoice.paid'])
    },
    { servers: 2 },
  )

  inWorld(
    engine,
    'misses of one server say nothing of the next: the one that takes over has its own 120 s',
    async world => {
      await settle(world)
      const invoice = await world.sell({ expiresAt: world.clock.secs + DAY })
      const txid = world.pay(invoice, invoice.amountZat, 10_000)
      await settle(world)
      world.servers[0]!.hidden.add(txid)
      await work(world)
      world.clock.advance(119)
      world.mine(1, [])
      world.servers[1]!.hidden.add(txid)
      world.process0.chain.use(world.servers[1]!)
      world.clock.advance(10)
      await work(world)
      assert.equal(await world.status(invoice), 'detected')
      world.clock.advance(119)
      world.mine(1, [])
      await work(world)
      assert.equal(await world.status(invoice), 'detected')
      world.clock.advance(1)
      await work(world)
      assert.equal(await world.status(invoice), 'pending')
    },
    { servers: 2 },
  )

  inWorld(engine, 'a payment leaves the count after 120 s and a new block without it, not before', async world => {
    await work(world)
    const invoice = await world.sell({ expiresAt: world.clock.secs + DAY })
    const txid = world.pay(invoice, invoice.amountZat, 10_000)
    await work(world)
    world.chain.mempool.delete(txid)
    await work(world)
    world.mine(1, [])
    await work(world)
    assert.equal(await world.status(invoice), 'detected', 'a block, and no time')
    world.clock.advance(119)
    await work(world)
    assert.equal(await world.status(invoice), 'detected', 'not yet the time')
    world.clock.advance(1)
    await work(world)
    assert.deepEqual([await world.status(invoice), (await world.read(invoice)).receivedZat], ['pending', 0n])

    world.rebroadcast(txid)
    await work(world)
    assert.equal(await world.status(invoice), 'detected', 'one that returns counts again')
    world.chain.mempool.delete(txid)
    await work(world)
    world.clock.advance(1_000)
    await work(world)
    assert.equal(await world.status(invoice), 'detected', 'time, and no new block')
    world.mine(1, [])
    await work(world)
    assert.equal(await world.status(invoice), 'pending')
  })

  inWorld(
    engine,
    'while one of two servers shows it, a payment counts, however long the other lacks it',
    async world => {
      await settle(world)
      const invoice = await world.sell({ expiresAt: world.clock.secs + DAY })
      world.pay(invoice, invoice.amountZat, 10_000)
      await settle(world)
      world.servers[1]!.emptyMempool = true
      for (let i = 0; i < 8; i++) {
        await world.pass(75)
        assert.equal(await world.status(invoice), 'detected')
      }
    },
    { servers: 2, processes: 2 },
  )

  inWorld(engine, 'an invoice whose payment vanished closes once that can no longer be mined', async world => {
    await settle(world)
    const invoice = await world.sell()
    const height = await world.tip()
    const txid = world.pay(invoice, invoice.amountZat, height + 40)
    await world.process0.watcher.follow(new AbortController().signal)
    await settle(world)
    world.chain.mempool.delete(txid)
    await world.pass(975)
    await settle(world)
    assert.equal(await world.status(invoice), 'pending')
    await world.pass((height + 39 - (await world.tip())) * 75)
    await settle(world)
    assert.equal(await world.status(invoice), 'pending')
    await world.pass(75)
    await settle(world)
    assert.equal(await world.status(invoice), 'expired')
  })

  inWorld(engine, 'paid a second before the end, on a server whose mempool is 2 s old: never expired', async world => {
    world.server.cacheSecs = 2
    await work(world)
    const invoice = await world.sell({ expiresAt: world.clock.secs + 100 })
    world.clock.advance(99)
    await work(world)
    world.pay(invoice)
    for (let i = 0; i < 10; i++) {
      world.clock.advance(1)
      await work(world)
      assert.notEqual(await world.status(invoice), 'expired')
    }
    assert.equal(await world.status(invoice), 'detected')
  })

  inWorld(engine, 'two looks on one stale list of the mempool take nothing back', async world => {
    world.server.cacheSecs = 2
    await work(world)
    const invoice = await world.sell()
    world.pay(invoice)
    await world.process0.watcher.follow(new AbortController().signal)
    assert.equal(await world.status(invoice), 'detected')
    world.mine(1, [])
    for (let i = 0; i < 3; i++) {
      await work(world)
      assert.equal(await world.status(invoice), 'detected')
      world.clock.advanceMs(500)
    }
  })

  inWorld(engine, 'a list served in place of one that the node refused says nothing of now', async world => {
    world.server.cacheSecs = 2
    await work(world)
    const invoice = await world.sell({ expiresAt: world.clock.secs + 60 })
    world.server.mempoolFails = true
    world.clock.advance(30)
    await world.process0.look()
    world.pay(invoice)
    world.clock.advance(40)
    for (let i = 0; i < 5; i++) {
      await world.process0.look()
      world.clock.advance(1)
      await work(world)
      assert.equal(await world.status(invoice), 'pending')
      world.clock.advance(2)
    }
    world.server.mempoolFails = false
    await settle(world)
    assert.equal(await world.status(invoice), 'detected')
  })

  inWorld(engine, 'a node that stalls for 25 minutes with an empty mempool closes nothing', async world => {
    await settle(world)
    const invoice = await world.sell({ expiresAt: world.clock.secs + 1_700 })
    world.clock.advance(60)
    world.server.freeze()
    world.pay(invoice)
    for (let i = 0; i < 30; i++) {
      world.clock.advance(60)
      await settle(world)
    }
    assert.equal(await world.status(invoice), 'pending')
    assert.equal(world.metered.stalled, true)
    world.server.thaw()
    world.mine(3)
    await settle(world)
    assert.equal(await world.status(invoice), 'paid')
    assert.equal(world.metered.stalled, false)
    assert.deepEqual(world.eventTypes(invoice), ['invoice.paid'])
  })

  inWorld(engine, 'without confirmations, money that has left the mempool pays nothing', async world => {
    await settle(world)
    const invoice = await world.sell({ amountZat: 100n, confirmations: 0 })
    const gone = world.pay(invoice, 60n)
    await settle(world)
    world.chain.mempool.delete(gone)
    world.pay(invoice, 40n)
    await world.process0.watcher.follow(new AbortController().signal)
    assert.notEqual(await world.status(invoice), 'paid')
    await settle(world)
    assert.notEqual(await world.status(invoice), 'paid')
    world.rebroadcast(gone)
    await settle(world)
    assert.equal(await world.status(invoice), 'paid')
  })

  inWorld(engine, 'a payment seen under a clock 3 h ahead and double-spent then is taken back', async world => {
    await settle(world)
    const invoice = await world.sell({ expiresAt: world.clock.secs + DAY })
    world.process0.clock.skewSecs = 3 * HOUR
    const txid = world.pay(invoice, invoice.amountZat, 10_000)
    await settle(world)
    world.process0.clock.skewSecs = 0
    world.chain.mempool.delete(txid)
    await settle(world)
    await world.pass(300)
    assert.equal(await world.status(invoice), 'pending')
  })

  inWorld(
    engine,
    'a payment of the time before a long outage is found, though its key is watched no longer',
    async world => {
      await settle(world)
      const invoice = await world.sell()
      world.pay(invoice)
      world.mine(1)
      world.clock.advance(20 * DAY)
      world.mine(3)
      await settle(world)
      assert.equal(await world.status(invoice), 'paid')
    },
  )

  inWorld(engine, 'a block dated ahead of the clock holds a payment that came in time', async world => {
    await settle(world)
    const invoice = await world.sell({ watchUntil: world.clock.secs + 1_000 })
    world.clock.advance(900)
    const txid = world.pay(invoice)
    for (let i = 0; i < 3; i++) world.chain.mine(i === 0 ? [txid] : [], world.clock.secs + 7_000 + i)
    world.clock.advance(50)
    await work(world)
    assert.equal(await world.status(invoice), 'paid')
  })

  inWorld(engine, 'a rescan finds what was missed under a key that is watched no longer', async world => {
    await settle(world)
    const invoice = await world.sell()
    world.pay(invoice)
    world.mine(1)
    const from = world.chain.height
    // Missed: recorded without its notes.
    await world.process0.payments.recordBlocks({ blocks: world.chain.blocks.slice(from), notes: [] })
    world.clock.advance(30 * DAY)
    world.mine(3)
    await settle(world)
    assert.equal((await world.read(invoice)).receivedZat, 0n)
    assert.deepEqual(await world.rescan(from), { to: world.chain.height, found: 1 })
    assert.equal(await world.status(invoice), 'paid')
  })

  inWorld(engine, 'a new block confirms every invoice that waits for it, however many', async world => {
    await settle(world)
    const invoices: Invoice[] = []
    await world.process0.store.write(async rows => {
      const watchUntil = world.clock.secs + DAY
      await rows.viewingKeys.watch(world.shop.viewingKey.id, watchUntil)
      for (let i = 0; i < 1_100; i++) {
        const terms = { confirmations: 2, expiresAt: watchUntil, watchUntil }
        invoices.push(await rows.invoices.insert(world.shop.draft(terms)))
      }
    })
    for (const invoice of invoices) world.pay(invoice)
    world.mine(1)
    await work(world)
    world.mine(1)
    await work(world)
    const found = await world.process0.store.read(rows => rows.invoices.byIds(invoices.map(({ id }) => id)))
    assert.equal(found.filter(({ status }) => status === 'paid').length, 1_100)
  })

  inWorld(engine, 'money that goes and comes raises invoice.underpaid once', async world => {
    await settle(world)
    const invoice = await world.sell({ amountZat: 100n })
    const txid = world.pay(invoice, 60n, 10_000)
    await settle(world)
    await world.pass(975)
    await settle(world)
    assert.equal(await world.status(invoice), 'underpaid')
    world.chain.mempool.delete(txid)
    await world.pass(300)
    assert.equal((await world.read(invoice)).receivedZat, 0n)
    world.rebroadcast(txid)
    await settle(world)
    assert.equal(await world.status(invoice), 'underpaid')
    assert.deepEqual(world.eventTypes(invoice), ['invoice.underpaid'])
    world.pay(invoice, 40n)
    world.mine(3)
    await settle(world)
    assert.deepEqual(world.eventTypes(invoice), ['invoice.underpaid', 'invoice.paid'])
  })
})
