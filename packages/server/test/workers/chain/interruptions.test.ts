import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type DatabaseEngine, onBothDatabases, sqliteEngine } from '../../harness/databases.ts'
import { syncFully } from '../../harness/simulation/run-workers.ts'
import { ChainSimulation } from '../../harness/simulation/simulation.ts'

/** A change of the chain at one await of a sync. */
interface Scenario {
  readonly name: string
  /** Advances time or sets a clock, which would make the payment of another scenario late. */
  readonly takesTime?: boolean
  /** Prepares the state before the sync. Returns the change and the assertions that must always hold afterwards. */
  readonly prepare: (simulation: ChainSimulation) => Promise<{
    readonly act: () => void | Promise<void>
    readonly verify: () => Promise<void>
  }>
}

const CLOSED = ['expired', 'underpaid']

/** Asserts that none of the invoices has one of the statuses. */
async function assertNotIn(
  simulation: ChainSimulation,
  statuses: readonly string[],
  ...invoices: readonly { id: number }[]
) {
  const found = await simulation.firstProcess.store.read(tx => tx.invoices.byIds(invoices.map(({ id }) => id)))
  for (const { status } of found) assert.ok(!statuses.includes(status), `is ${status}`)
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'an invoice is created, its payment broadcast and mined',
    async prepare(simulation) {
      // The first invoice of its key: the key is not watched before.
      let invoice: Awaited<ReturnType<ChainSimulation['createInvoice']>> | undefined
      return {
        async act() {
          invoice = await simulation.createInvoice({ confirmations: 1 })
          simulation.pay(invoice)
          simulation.mine(1)
        },
        async verify() {
          await assertNotIn(simulation, CLOSED, ...(invoice ? [invoice] : []))
          if (invoice) assert.equal((await simulation.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'a payment that was broadcast in time is mined after the expiry',
    async prepare(simulation) {
      const invoice = await simulation.createInvoice({ confirmations: 1, expiresAt: simulation.clock.secs + 1 })
      simulation.pay(invoice)
      simulation.clock.advance(20)
      return {
        act: () => simulation.mine(1),
        async verify() {
          await assertNotIn(simulation, CLOSED, invoice)
          assert.equal((await simulation.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'a payment is broadcast in the last second',
    takesTime: true,
    async prepare(simulation) {
      const invoice = await simulation.createInvoice({ confirmations: 1, expiresAt: simulation.clock.secs + 2 })
      return {
        act() {
          simulation.pay(invoice)
          simulation.clock.advance(3)
        },
        async verify() {
          await assertNotIn(simulation, CLOSED, invoice)
        },
      }
    },
  },
  {
    name: 'the block of a payment is replaced, and the payment is in the mempool again',
    async prepare(simulation) {
      const invoice = await simulation.createInvoice({ confirmations: 3, expiresAt: simulation.clock.secs + 1 })
      simulation.pay(invoice)
      simulation.mine(2)
      await simulation.firstProcess.sync()
      simulation.clock.advance(20)
      return {
        act() {
          simulation.chain.removeBlocks(2, () => true)
          simulation.mine(3, [])
        },
        async verify() {
          await assertNotIn(simulation, CLOSED, invoice)
          assert.equal((await simulation.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'the block of a payment is replaced by one that contains it too',
    async prepare(simulation) {
      const invoice = await simulation.createInvoice({ confirmations: 3, expiresAt: simulation.clock.secs + 1 })
      simulation.pay(invoice)
      simulation.mine(2)
      simulation.clock.advance(20)
      return {
        act() {
          simulation.chain.removeBlocks(2, () => true)
          simulation.mine(2)
        },
        async verify() {
          await assertNotIn(simulation, CLOSED, invoice)
          assert.equal((await simulation.read(invoice)).receivedZat, invoice.amountZat)
        },
      }
    },
  },
  {
    name: 'the chain grows, and the payment is broadcast after it',
    takesTime: true,
    async prepare(simulation) {
      const invoice = await simulation.createInvoice({ confirmations: 1, expiresAt: simulation.clock.secs + 30 })
      simulation.clock.advance(20)
      return {
        act() {
          simulation.mine(2, [])
          simulation.pay(invoice)
          simulation.clock.advance(15)
          simulation.mine(1)
        },
        async verify() {
          await assertNotIn(simulation, CLOSED, invoice)
        },
      }
    },
  },
  {
    name: 'a clock that was 7 days ahead is set right',
    takesTime: true,
    async prepare(simulation) {
      const { clock } = simulation.firstProcess
      clock.advance(7 * 86_400)
      await syncFully(simulation)
      simulation.clock.advance(5)
      return {
        act: () => clock.advance(-7 * 86_400),
        async verify() {
          assert.ok((await simulation.syncedThrough()) <= simulation.clock.secs)
        },
      }
    },
  },
]

/** Runs a sync and applies scenario i at await number `at[i]`. Returns the number of awaits of the sync. */
async function runScenarios(
  t: TestContext,
  engine: DatabaseEngine,
  scenarios: readonly Scenario[],
  at: readonly number[],
  reportsHash = true,
): Promise<number> {
  const simulation = await ChainSimulation.open(t, engine)
  simulation.server.reportsHash = reportsHash
  simulation.mine(1)
  await simulation.firstProcess.sync()
  simulation.clock.advance(10)
  const parts: Awaited<ReturnType<Scenario['prepare']>>[] = []
  for (const scenario of scenarios) parts.push(await scenario.prepare(simulation))
  let points = 0
  const verify = async () => {
    for (const part of parts) await part.verify()
  }
  simulation.interruption = async () => {
    const point = points++
    for (const [i, part] of parts.entries()) if (at[i] === point) await part.act()
  }
  await simulation.firstProcess.sync()
  const passed = points
  simulation.interruption = () => {}
  // Scenarios beyond the last await happen after the sync.
  for (const [i, part] of parts.entries()) if ((at[i] ?? 0) >= passed) await part.act()
  for (let round = 0; round < 3; round++) {
    for (let sync = 0; sync < 3; sync++) {
      await simulation.firstProcess.invoiceExpiry.expireDue(100)
      simulation.clock.advance(3)
      await simulation.firstProcess.sync()
      await simulation.firstProcess.invoiceExpiry.expireDue(100)
      await verify()
    }
    simulation.mine(1)
  }
  for (let round = 0; round < 2; round++) {
    simulation.mine(2)
    await simulation.firstProcess.sync()
    await simulation.firstProcess.invoiceExpiry.expireDue(100)
  }
  await verify()
  const invoices = await simulation.firstProcess.store.read(tx =>
    tx.invoices.list(simulation.shop.account.id, { limit: 200 }),
  )
  for (const { status } of invoices) assert.equal(status, 'paid')
  for (const invoice of invoices) assert.deepEqual(simulation.eventTypes(invoice), ['invoice.paid'])
  return passed
}

onBothDatabases(engine => {
  // Both databases have the same awaits. PostgreSQL tests only some of them, because its setup is slower.
  const step = engine.name === 'SQLite' ? 1 : 5

  for (const scenario of SCENARIOS)
    for (const reportsHash of [true, false]) {
      const server = reportsHash ? 'a server' : 'a server that does not report the hash of its newest block'
      test(`at every await of a sync with ${server}: ${scenario.name}`, async t => {
        let points = 1
        for (let point = 0; point < points; point += step) {
          await t.test(`await ${point}`, async t => {
            points = await runScenarios(t, engine, [scenario], [point], reportsHash)
          })
        }
        assert.ok(points >= 10, `${points} awaits`)
      })
    }
})

test('a payment that is mined after the tip is read, and reorged before the next sync, is detected', async t => {
  const simulation = await ChainSimulation.open(t, sqliteEngine)
  simulation.mine(1)
  await simulation.firstProcess.sync()
  const invoice = await simulation.createInvoice({ confirmations: 1, expiresAt: simulation.clock.secs + 10 })
  const txid = simulation.pay(invoice)
  simulation.clock.advance(20)
  simulation.interruption = point => {
    if (point === 'after tip' && simulation.chain.mempool.has(txid))
      simulation.chain.mineOnly([txid], simulation.clock.secs)
  }
  for (let sync = 0; sync < 4; sync++) {
    await simulation.firstProcess.sync()
    await simulation.firstProcess.invoiceExpiry.expireDue(10)
    assert.ok(!CLOSED.includes(await simulation.status(invoice)))
    simulation.chain.removeBlocks(1, () => true)
    simulation.mine(2, [])
    simulation.clock.advance(4)
  }
  simulation.interruption = () => {}
  simulation.mine(1)
  await simulation.firstProcess.sync()
  assert.equal(await simulation.status(invoice), 'paid')
})

test('at any two awaits of a sync, any two scenarios together', async t => {
  const scenarios = SCENARIOS.filter(({ takesTime }) => !takesTime)
  for (let seed = 0; seed < 40; seed++) {
    const [one, other] = [
      scenarios[seed % scenarios.length]!,
      scenarios[Math.floor(seed / 4 + seed) % scenarios.length]!,
    ]
    const at = [(seed * 7) % 23, (seed * 11 + 3) % 23]
    await t.test(`${one.name} (${at[0]}); ${other.name} (${at[1]})`, async t => {
      await runScenarios(t, sqliteEngine, [one, other], at)
    })
  }
})
