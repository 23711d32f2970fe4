import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Dialect } from '../../src/store/dialect.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'

/** Beside the other caches, which an installation removes. */
const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache')

/**
 * The path of something without rows that hundreds of test processes copy. The first one creates it.
 * @param name of what it is made from: another version has another name
 * @param create creates it at a path that does not exist
 */
export async function kept(name: string, create: (path: string) => Promise<void>): Promise<string> {
  const path = join(CACHE, name)
  if (existsSync(path)) return path
  mkdirSync(dirname(path), { recursive: true })
  const own = `${path}.${process.pid}`
  await create(own)
  try {
    renameSync(own, path)
  } catch {
    // Another process was faster.
    rmSync(own, { recursive: true })
  }
  return path
}

/** Names the tables of this version. */
export function schemaName(dialect: Dialect): string {
  const statements = MIGRATIONS.map(([name, statementsFor]) => [name, ...statementsFor(dialect)])
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16)
}
