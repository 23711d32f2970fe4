import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgres, NO_POSTGRES, startPostgres } from '../test/harness/postgres.ts'
import { printLine } from './report.ts'

const WAL_SEGMENTS = 32
const WAL_SEGMENT_MB = 16

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
    await fillWal(await server.freshDatabase())
    await measure(() => server.freshDatabase())
  } finally {
    await server.stop()
  }
}

/**
 * Creates WAL segments and releases them for reuse. A server that has run for a while writes to such segments; a new one
 * has to create each of them first.
 */
async function fillWal(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`ALTER SYSTEM SET min_wal_size = '${WAL_SEGMENTS * WAL_SEGMENT_MB}MB'`)
  await client.query('SELECT pg_reload_conf()')
  for (let segment = 0; segment < WAL_SEGMENTS; segment++) {
    await client.query("SELECT pg_logical_emit_message(true, 'bench', ''), pg_switch_wal()")
  }
  await client.query('CHECKPOINT')
  await client.end()
}
