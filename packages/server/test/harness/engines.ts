import type { TestContext } from 'node:test'
import { after, before, describe, test } from 'node:test'
import { type DatabaseEngine, postgresEngine, sqliteEngine } from './databases.ts'
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from './postgres.ts'
import { type ChainSimulation, type SimulationOptions, ChainSimulation as World } from './simulation/simulation.ts'

/** Declares the tests once for SQLite and once for PostgreSQL, which is skipped when it is not installed. */
export function onBothDatabases(declare: (engine: DatabaseEngine) => void): void {
  describe('SQLite', () => declare(sqliteEngine))
  onPostgres(declare)
}

/** For cases that cannot occur on SQLite, where one transaction writes at a time. */
export function onPostgres(declare: (engine: DatabaseEngine) => void): void {
  const bin = findPostgres()
  describe('PostgreSQL', { skip: bin === null && NO_POSTGRES }, () => {
    let server: TestPostgres
    before(async () => {
      server = await startPostgres(bin as string)
    })
    after(() => server?.stop())
    declare(postgresEngine(() => server))
  })
}

/** A test in a world of its own. */
export function simulationTest(
  engine: DatabaseEngine,
  name: string,
  work: (world: ChainSimulation, t: TestContext) => Promise<void>,
  options: SimulationOptions = {},
): void {
  test(name, async t => {
    await work(await World.open(await engine.createDatabase(t), options), t)
  })
}
