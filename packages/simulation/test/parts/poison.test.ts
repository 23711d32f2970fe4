import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PoisonJudge } from '../../src/parts/poison/judge.ts'
import { openDatabases } from '../../src/run/databases.ts'
import { type Databases, planOf, run } from '../../src/run/run.ts'
import { readsTooManyPayments } from '../../src/world/read-limit.ts'
import { createFakeWorld } from './fake-world.ts'

let databases: Databases
before(async () => {
  databases = await openDatabases()
})
after(() => {
  databases.sqlite.close()
  databases.postgres.close()
})

const STEPS = [
  ['payments meet an invoice that cannot be written', 'invoice'],
  ['payments meet one that cannot be written', 'scan_key'],
  ['payments to a viewing key that does not open', 'scan_key'],
] as const

for (const database of ['sqlite', 'postgres'] as const)
  for (const [action, kind] of STEPS)
    test(`${action}, on ${database}: the row is set aside, and processed when it is repaired`, async () => {
      const { setup } = planOf(1)
      const quiet = {
        processes: 1,
        chainServers: 1,
        merchants: 2,
        switchRate: 0,
        punctuality: 1,
        network: 'test',
      } as const
      const world = { ...setup, ...quiet, nu63Height: 0, nu7Height: null, confirmations: 1, parts: ['poison'] } as const
      const steps = ['create invoice', 'create invoice', action].map((name, seed) => ({
        action: name,
        seed,
        tasks: null,
      }))
      const { finding, transitions } = await run(databases, { seed: 1, setup: { ...world, database }, steps })
      assert.equal(finding, null)
      assert.ok(transitions.has(`row · → ${kind} set aside`), [...transitions].join())
      assert.ok(transitions.has(`row ${kind} set aside → ·`))
    })

test('a row that is set aside without a fault, or stays so after its repair, is found', () => {
  const { world, broken, tables } = createFakeWorld()
  const judge = new PoisonJudge(world)
  const row = { kind: 'invoice', reference: 'one', failures: 1n }
  world.poison.add({ kind: 'invoice', reference: 'one', sealed: null })
  tables['FROM set_aside'] = [row, { kind: 'invoice', reference: 'two', failures: 0n }]
  judge.check()
  assert.deepEqual(broken, [])
  tables['FROM set_aside'] = [row, { kind: 'invoice', reference: 'two', failures: 1n }]
  judge.check()
  assert.deepEqual(broken, ['only a row that cannot be processed is set aside'])
  world.poison.removeAll()
  assert.match(judge.unsettled() ?? '', /still set aside/)
  tables['FROM set_aside'] = []
  assert.equal(judge.unsettled(), null)
})

test('a statement that reads too many payments of an invoice is found', () => {
  const one = 'select * from "payments" where "location" = \'mempool\' and "invoice_id" = ?'
  const cases = [
    [one, 1_000, false],
    [one, 1_001, true],
    [`${one} union all ${one}`, 2_000, false],
    [`${one} union all ${one}`, 2_001, true],
    ['select * from "payments" where "height" > ?', 5_000, false],
    ['select * from "deliveries" where "invoice_id" = ?', 5_000, false],
  ] as const
  for (const [sql, rows, isTooMuch] of cases)
    assert.equal(readsTooManyPayments({ sql, rows }), isTooMuch, `${rows}: ${sql}`)
})
