import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, NO_POSTGRES, startPostgres } from '../test/harness/postgres.ts'
import { printLine } from './report.ts'

/** Returns the URL of a new, empty database. */
export type FreshUrl = () => Promise<string>

/**
 * Measures on SQLite and, where it is installed, on PostgreSQL. Both flush a commit to the disk before they acknowledge
 * it.
 */
export async function onEachDatabase(measure: (name: string, freshUrl: FreshUrl) => Promise<void>): Promise<void> {
  await onSqlite(freshUrl => measure('SQLite', freshUrl))
  await onPostgres(freshUrl => measure('PostgreSQL', freshUrl))
}

async function onSqlite(measure: (freshUrl: FreshUrl) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  let files = 0
  try {
    await measure(async () => `sqlite:${join(folder, `${files++}.db`)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function onPostgres(measure: (freshUrl: FreshUrl) => Promise<void>): Promise<void> {
  const bin = findPostgres()
  if (bin === null) return printLine(`PostgreSQL: skipped, ${NO_POSTGRES}`)
  const server = await startPostgres(bin, { durable: true })
  try {
    await measure(() => server.freshDatabase())
  } finally {
    await server.stop()
  }
}
