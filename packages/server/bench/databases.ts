import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, NO_POSTGRES, startPostgres } from '../test/support/postgres.ts'
import { say } from './report.ts'

/** Gives the URL of a new, empty database. */
export type FreshUrl = () => Promise<string>

/**
 * Measures on SQLite and, where its programs are installed, on PostgreSQL; on both a commit is on the disk before it
 * is answered.
 */
export async function onEachDatabase(measure: (name: string, freshUrl: FreshUrl) => Promise<void>): Promise<void> {
  await onSqlite(freshUrl => measure('SQLite', freshUrl))
  await onPostgres(freshUrl => measure('PostgreSQL', freshUrl))
}

export async function onSqlite(measure: (freshUrl: FreshUrl) => Promise<void>): Promise<void> {
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
  if (bin === null) return say(`PostgreSQL: skipped, ${NO_POSTGRES}`)
  const server = await startPostgres(bin, { durable: true })
  try {
    await measure(() => server.freshDatabase())
  } finally {
    await server.stop()
  }
}
