import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../harness/container.ts'
import { runProgram, type TestPostgres } from '../harness/postgres.ts'
import { type Engine, type Facts, loadSqlite, readFixture } from './fixture.ts'

/** A fixture in its own database and data folder. */
export interface Restored {
  readonly facts: Facts
  readonly databaseUrl: string
  /** Contains the state of the sandbox. */
  readonly dataDir: string
}

/** The server of a test run for PostgreSQL, and the folder of its programs. */
export interface PostgresServer {
  readonly bin: string
  readonly server: TestPostgres
}

/** @param webhookUrl replaces the one of the recorded webhook, whose receiver is gone */
export async function restoreFixture(
  stack: AsyncDisposableStack,
  version: string,
  engine: Engine,
  postgres: () => PostgresServer,
  webhookUrl?: string,
): Promise<Restored> {
  const recorded = readFixture(version, engine)
  const { chain, swaps } = recorded
  const renamed = (text: string) =>
    webhookUrl === undefined ? text : text.replaceAll(recorded.facts.webhook.url, webhookUrl)
  const sql = renamed(recorded.sql)
  const facts: Facts = JSON.parse(renamed(JSON.stringify(recorded.facts)))
  const dataDir = temporaryFolder(stack)
  writeFileSync(join(dataDir, 'sandbox-chain.jsonl'), chain)
  writeFileSync(join(dataDir, 'sandbox-swaps.json'), swaps)
  if (engine === 'sqlite') {
    const file = join(dataDir, 'zatgate.db')
    loadSqlite(file, sql)
    return { facts, dataDir, databaseUrl: `sqlite:${file}` }
  }
  const { bin, server } = postgres()
  const databaseUrl = await server.freshDatabase()
  runProgram(bin, 'psql', ['--quiet', '--set=ON_ERROR_STOP=1', '--output=/dev/null', '--dbname', databaseUrl], sql)
  return { facts, dataDir, databaseUrl }
}
