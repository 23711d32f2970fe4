import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSimulatedPostgres } from '../store/postgres/server.ts'
import { openSimulatedSqlite } from '../store/sqlite.ts'
import type { Databases } from './run.ts'

/** Opens the simulated databases. Files are in memory where the host allows it, and removed at the exit. */
export async function openDatabases(): Promise<Databases> {
  const parent = process.platform === 'linux' ? '/dev/shm' : tmpdir()
  const folder = mkdtempSync(join(parent, 'zatgate-simulation-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return { sqlite: await openSimulatedSqlite(), postgres: await openSimulatedPostgres(folder) }
}
