import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Engine, sqliteEngine } from '../../store/databases.ts'
import { onBothDatabases } from '../../support/engines.ts'
import { ModelWorld } from '../../support/model-world.ts'

/** Something that happens in the world at one await of a look. */
interface Scene {
  readonly name: string
  /** It lets time pass, and so would make another scene's payment late. */
  readonly takesTime?: boolean
  /** What was before the look; what happens in it, and what must be true for good once all is read. */
  readonly set: (world: ModelWorld) => Promise<{
    readonly act: () => void | Promise<void>
    readonly judge: () => Promise<void>
  }>
}

const CLOSED = ['expired', 'underpaid']

/** Nothing that was paid in time may ever be closed, and all of it is counted once in the end. */
async function never(world: ModelWorld, statuses: readonly string[], ...invoices: readonly { id: number }[]) {
  const found = await world.process0.store.read(rows => rows.invoices.byIds(invoices.map(({ id }) => id)))
  for (const { status } of found) assert.ok(!statuses.includes(status), `is ${status}`)
}

const SCENES: readonly Scene[] = [
  {
    name: 'an invoice is sold, its payment broadcast and mined',
    async set(world) {
      // The first invoice of its key: before it, the key is not among those to open notes with.
      let invoice: Awaited<ReturnType<ModelWorld['sell']>> | undefined
      return {
        async act() {
          invoice = await world.sell({ confirmations: 1 })
          world.pay(invoice)
          world.mine(1)
        },
        async judge() {
          await never(world, CLOSED, ...(invoice ? [invoice] : []))
          if (invoice) assert.equal((await world.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'a payment that was broadcast in time is mined after the end',
    async set(world) {
      const invoice = await world.sell({ confirmations: 1, expiresAt: world.clock.secs + 1 })
      world.pay(invoice)
      world.clock.advance(20)
      return {
        act: () => world.mine(1),
        async judge() {
          await never(world, CLOSED, invoice)
          assert.equal((await world.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'a payment is broadcast in the last second',
    takesTime: true,
    async set(world) {
      const invoice = await world.sell({ confirmations: 1, expiresAt: world.clock.secs + 2 })
      return {
        act() {
          world.pay(invoice)
          world.clock.advance(3)
        },
        async judge() {
          await never(world, CLOSED, invoice)
        },
      }
    },
  },
  {
    name: 'the block of a payment is replaced, and the payment is in the mempool again',
    async set(world) {
      const invoice = await world.sell({ confirmations: 3, expiresAt: world.clock.secs + 1 })
      world.pay(invoice)
      world.mine(2)
      await world.process0.look()
      world.clock.advance(20)
      return {
        act() {
          world.chain.takeBack(2, () => true)
          world.mine(3, [])
        },
        async judge() {
          await never(world, CLOSED, invoice)
          assert.equal((await world.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'the block of a payment is replaced by one that holds it too',
    async set(world) {
      const invoice = await world.sell({ confirmations: 3, expiresAt: world.clock.secs + 1 })
      world.pay(invoice)
      world.mine(2)
      world.clock.advance(20)
      return {
        act() {
          world.chain.takeBack(2, () => true)
          world.mine(2)
        },
        async judge() {
          await never(world, CLOSED, invoice)
          assert.equal((await world.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'the chain grows, and the payment is broadcast after it',
    takesTime: true,
    async set(world) {
      const invoice = await world.sell({ confirmations: 1, expiresAt: world.clock.secs + 30 })
      world.clock.advance(20)
      return {
        act() {
          world.mine(2, [])
          world.pay(invoice)
          world.clock.advance(15)
          world.mine(1)
        },
        async judge() {
          await never(world, CLOSED, invoice)
        },
      }
    },
  },
]

/** What a look asks of the world, one await after the other, as long as `acts` says what happens at which. */
async function play(t: TestContext, engine: Engine, scenes: readonly Scene[], at: readonly number[]): Promise<number> {
  const world = await ModelWorld.open(await engine.fresh(t))
  world.mine(1)
  await world.process0.look()
  world.clock.advance(10)
  const parts: Awaited<ReturnType<Scene['set']>>[] = []
  for (const scene of scenes) parts.push(await scene.set(world))
  let points = 0
  const judge = async () => {
    for (const part of parts) await part.judge()
  }
  world.interruption = async () => {
    const point = points++
    for (const [i, part] of parts.entries()) if (at[i] === point) await part.act()
  }
  await world.process0.look()
  const passed = points
  world.interruption = () => {}
  // The scenes that this look was too short for happen after it.
  for (const [i, part] of parts.entries()) if ((at[i] ?? 0) >= passed) await part.act()
  for (let round = 0; round < 3; round++) {
    for (let look = 0; look < 3; look++) {
      await world.process0.payments.closeDue(100)
      world.clock.advance(3)
      await world.process0.look()
      await world.process0.payments.closeDue(100)
      await judge()
    }
    world.mine(1)
  }
  for (let round = 0; round < 2; round++) {
    world.mine(2)
    await world.process0.look()
    await world.process0.payments.closeDue(100)
  }
  await judge()
  const invoices = await world.process0.store.read(rows => rows.invoices.list(world.shop.account.id, { limit: 200 }))
  for (const { status } of invoices) assert.equal(status, 'paid')
  for (const invoice of invoices) assert.deepEqual(world.eventTypes(invoice), ['invoice.paid'])
  return passed
}

onBothDatabases(engine => {
  // The awaits are the same on both: PostgreSQL, where a world takes longer to make, gets a part of them.
  const step = engine.name === 'sqlite' ? 1 : 5

  for (const scene of SCENES) {
    test(`at every await of a look: ${scene.name}`, async t => {
      let points = 1
      for (let point = 0; point < points; point += step) {
        await t.test(`await ${point}`, async t => {
          points = await play(t, engine, [scene], [point])
        })
      }
      assert.ok(points > 12, `${points} awaits`)
    })
  }
})

test('a payment that is mined after the blocks are read, and taken back before the next look, is seen', async t => {
  const world = await ModelWorld.open(await sqliteEngine.fresh(t))
  world.mine(1)
  await world.process0.look()
  const invoice = await world.sell({ confirmations: 1, expiresAt: world.clock.secs + 10 })
  const txid = world.pay(invoice)
  world.clock.advance(20)
  world.interruption = point => {
    if (point === 'after blocks' && world.chain.mempool.has(txid)) world.chain.mine([txid], world.clock.secs)
  }
  for (let look = 0; look < 4; look++) {
    await world.process0.look()
    await world.process0.payments.closeDue(10)
    assert.ok(!CLOSED.includes(await world.status(invoice)))
    world.chain.takeBack(1, () => true)
    world.mine(2, [])
    world.clock.advance(4)
  }
  world.interruption = () => {}
  world.mine(1)
  await world.process0.look()
  assert.equal(await world.status(invoice), 'paid')
})

test('at any two awaits of a look, any two of these at once', async t => {
  const scenes = SCENES.filter(({ takesTime }) => !takesTime)
  for (let seed = 0; seed < 40; seed++) {
    const [one, other] = [scenes[seed % scenes.length]!, scenes[Math.floor(seed / 4 + seed) % scenes.length]!]
    const at = [(seed * 7) % 23, (seed * 11 + 3) % 23]
    await t.test(`${one.name} (${at[0]}); ${other.name} (${at[1]})`, async t => {
      await play(t, sqliteEngine, [one, other], at)
    })
  }
})
