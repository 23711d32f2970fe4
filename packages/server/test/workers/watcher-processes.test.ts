import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import type { Invoice } from '../../src/ports/invoice.ts'
import type { Rows, Store } from '../../src/ports.ts'
import { createHeaders } from '../../src/services/headers.ts'
import { inWorld, onBothDatabases, onPostgres } from '../support/engines.ts'
import type { ModelWorld } from '../support/model-world.ts'
import { until } from '../support/until.ts'

/** Every header is built on the one below it, and no payment lies above the newest. */
async function assertLinked(world: ModelWorld): Promise<void> {
  const { store } = world.process0
  const headers = await store.read(rows => rows.chain.newest(2_000))
  for (const [i, header] of headers.entries()) {
    const below = headers[i + 1]
    if (below)
      assert.deepEqual([below.height, below.hash], [header.height - 1, header.prevHash], `below ${header.height}`)
  }
}

/** Whether any transaction of the database waits for another's lock. */
async function someoneWaits(admin: pg.Client): Promise<boolean> {
  const { rows } = await admin.query(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0].waiting > 0
}

/**
 * The store with a place to stop at: right after the first read of `method` in a transaction that writes, `meanwhile`
 * is begun, and waited for until it has ended or is seen to wait for a lock.
 */
function stoppingAt(
  store: Store,
  admin: pg.Client,
  method: 'tip' | 'headerAt' | 'seenThrough',
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
    await until('the other to end or to wait', async () => ended || (await someoneWaits(admin)))
  }
  const stopped = (rows: Rows): Rows => ({
    ...rows,
    chain: {
      ...rows.chain,
      async [method](...args: [number]) {
        const found = await rows.chain[method](...args)
        await stop()
        return found
      },
    },
  })
  return { ...store, write: (work, options) => store.write(rows => work(stopped(rows)), options) }
}

onPostgres(engine => {
  inWorld(
    engine,
    'blocks that one process appends while another rewinds leave a linked chain, and lose no payment',
    async (world, t) => {
      const [a, b] = world.processes
      await a!.look()
      const base = await world.tip()
      const invoice = await world.sell({ confirmations: 1 })
      world.mine(2, [])
      await a!.look()
      world.pay(invoice)
      world.mine(3)
      const blocks = world.chain.blocks.slice(base + 3)
      const admin = await world.adminOf(t)
      let rewound: Promise<unknown> = Promise.resolve()
      const store = stoppingAt(b!.store, admin, 'tip', () => {
        rewound = a!.headers.rewind(base, null)
        return rewound
      })
      const appending = world.process(store, world.server)
      await appending.payments.recordBlocks({ blocks, notes: world.notesOf(blocks) })
      await rewound
      await assertLinked(world)
      for (const process of world.processes) await process.look()
      await assertLinked(world)
      assert.equal(await world.status(invoice), 'paid')
    },
    { processes: 2 },
  )

  inWorld(
    engine,
    'a rescan against a reorganisation records no payment on the dead branch',
    async (world, t) => {
      const [a, b] = world.processes
      await a!.look()
      const base = await world.tip()
      const invoice = await world.sell({ confirmations: 1 })
      world.pay(invoice)
      world.mine(2)
      const dead = world.chain.blocks.slice(base + 1)
      // Missed: recorded without its notes.
      await a!.payments.recordBlocks({ blocks: dead, notes: [] })
      const admin = await world.adminOf(t)
      let rewound: Promise<unknown> = Promise.resolve()
      const store = stoppingAt(b!.store, admin, 'headerAt', () => {
        rewound = a!.headers.rewind(base, null)
        return rewound
      })
      await world.process(store, world.server).payments.recordFound({ blocks: dead, notes: world.notesOf(dead) })
      await rewound
      world.chain.takeBack(2, () => false)
      world.mine(4, [])
      for (let i = 0; i < 3; i++) await world.pass(150)
      const [payment] = await world.payments(invoice)
      assert.notEqual(payment?.place.at, 'mined')
      assert.ok((await world.read(invoice)).needsAttention || (await world.status(invoice)) !== 'paid')
    },
    { processes: 2 },
  )

  inWorld(
    engine,
    'of two processes that see a payment, the second finds it known, though its window ends in between',
    async (world, t) => {
      const [a, b] = world.processes
      await a!.look()
      const invoice = await world.sell({ confirmations: 1, watchUntil: world.clock.secs + 1_000 })
      world.clock.advance(1_000)
      world.pay(invoice)
      const seen = { notes: world.notesOf([{ paying: [...world.chain.mempool.values()] }]), expiryHeights: new Map() }
      world.clock.advance(1)
      world.mine(1)
      const blocks = world.chain.blocks.slice(-1)
      const admin = await world.adminOf(t)
      let mining: Promise<unknown> = Promise.resolve()
      // The mempool's sighting, in time, is written and not yet committed when the block's, too late, is recorded.
      const store = stoppingAt(a!.store, admin, 'seenThrough', () => {
        mining = b!.payments.recordBlocks({ blocks, notes: world.notesOf(blocks) })
        return mining
      })
      const sighting = world.process(store, world.server)
      sighting.clock.skewSecs = -1
      await sighting.payments.recordMempool(seen)
      await mining
      const [payment] = await world.payments(invoice)
      assert.deepEqual(payment?.place, { at: 'mined', height: blocks[0]!.height })
      assert.equal(await world.status(invoice), 'paid')
    },
    { processes: 2, network: 'regtest' },
  )

  inWorld(
    engine,
    'two processes that look at once, through a dozen reorganisations, keep one linked chain and every payment',
    async world => {
      for (const process of world.processes) await process.look()
      for (let round = 0; round < 12; round++) {
        const invoice = await world.sell({ confirmations: 1 })
        world.pay(invoice)
        world.mine(1 + (round % 3))
        const [a, b] = world.processes
        await Promise.allSettled([a!.look(), b!.look()])
        world.chain.takeBack(1 + (round % 5), () => true)
        world.mine(2 + (round % 4), [])
        await Promise.allSettled([a!.look(), b!.look()])
        await assertLinked(world)
        world.mine(1)
        await Promise.allSettled([a!.look(), b!.look()])
        for (const process of world.processes) await process.look()
        await assertLinked(world)
        const { status, receivedZat } = await world.read(invoice)
        assert.deepEqual([status, receivedZat], ['paid', invoice.amountZat], `round ${round}`)
      }
    },
    { processes: 2 },
  )
})

onBothDatabases(engine => {
  inWorld(engine, 'headers that are no chain are found and read again, with the payments in them', async world => {
    await world.process0.look()
    const base = await world.tip()
    const invoice = await world.sell({ confirmations: 1 })
    world.pay(invoice)
    world.mine(5)
    const blocks = world.chain.blocks.slice(base + 1)
    const { store } = world.process0
    // As an older version could leave it: blocks 2 to 5 recorded, and not the first, which holds the payment.
    await store.write(rows => rows.chain.append(blocks.slice(1)))
    world.restart()
    await world.process0.look()
    await assertLinked(world)
    assert.equal(await world.tip(), base + 5)
    assert.equal(await world.status(invoice), 'paid')
    assert.equal(await world.process0.headers.repair(), null)
    assert.ok(world.log.lines.some(({ message }) => message.includes('are not linked')))
  })

  inWorld(
    engine,
    'a reorganisation of 1,000 blocks full of paid invoices is taken back in bounded steps, each a consistent chain',
    async world => {
      const { store } = world.process0
      await world.process0.look()
      const base = await world.tip()
      const invoices: Invoice[] = []
      for (let i = 0; i < 40; i++) {
        invoices.push(await world.sell({ confirmations: 1, expiresAt: world.clock.secs + 86_400 }))
      }
      // Some 3,000 payments: each block pays three invoices again.
      for (let height = 0; height < 1_000; height++) {
        const txids = [0, 1, 2].map(n => world.pay(invoices[(height * 3 + n) % 40]!, 5_000n))
        world.chain.mine(txids, world.clock.secs)
      }
      await world.process0.look()
      const steps: number[] = []
      let records = 0
      const watched: Store = {
        ...store,
        write: async (work, options) => {
          const result = await store.write(rows => {
            const record: Rows['invoices']['record'] = outcomes => {
              records++
              return rows.invoices.record(outcomes)
            }
            return work({ ...rows, invoices: { ...rows.invoices, record } })
          }, options)
          await assertLinked(world)
          const tip = (await store.read(rows => rows.chain.tip()))!.height
          const above = await store.read(rows => rows.payments.heightAboveWhich(0, tip))
          assert.equal(above, tip, 'no payment is mined above the newest block')
          steps.push(tip)
          return result
        },
      }
      const { headers } = world.process(watched, world.server)
      await headers.rewind(base, null)
      assert.equal(steps.at(-1), base)
      assert.ok(steps.length >= 3 && steps.length <= 5, `${steps.length} steps`)
      assert.equal(records, steps.length, 'the outcomes of a step are written at once')
      for (const invoice of invoices) assert.equal((await world.read(invoice)).needsAttention, true)

      // A crash between two steps: the next start goes on from wherever it was.
      await world.process0.look()
      let left = 2
      const crashing: Store = {
        ...store,
        write: (work, options) => (left-- > 0 ? store.write(work, options) : Promise.reject(new Error('killed'))),
      }
      world.chain.takeBack(1_000, () => true)
      world.mine(1_001)
      await assert.rejects(world.process(crashing, world.server).look(), /killed/)
      await assertLinked(world)
      world.restart()
      await world.process0.look()
      await assertLinked(world)
      assert.equal(await world.tip(), base + 1_001)
      for (const invoice of invoices) {
        const { status, receivedZat, needsAttention } = await world.read(invoice)
        assert.deepEqual([status, receivedZat, needsAttention], ['paid', 375_000n, false])
      }
    },
    { store: { limits: { workMs: 60_000 } } },
  )
})

test('a rewind by what another process has changed meanwhile changes nothing', async () => {
  const written: string[] = []
  const rows = {
    chain: {
      lock: async () => void written.push('lock'),
      headerAt: async () => ({ height: 5, hash: 'another' }),
    },
  } as unknown as Rows
  const store = { write: (work: (rows: Rows) => Promise<unknown>) => work(rows) } as unknown as Store
  const deps = { reassess: async () => [], report: () => {}, clock: { nowMs: () => 0 } as never, log: {} as never }
  const headers = createHeaders({ store, ...deps })
  assert.equal(await headers.rewind(3, { height: 5, hash: 'judged' } as never), false)
  assert.deepEqual(written, ['lock'])
})
