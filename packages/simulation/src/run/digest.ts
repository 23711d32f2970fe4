import { createHash } from 'node:crypto'
import type { World } from '../world/world.ts'

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`

/** A digest of the story, of everything committed, of the number of tasks and of the random values drawn. */
export function digestOf({ story, database, scheduler }: World): string {
  const hash = createHash('sha256')
  for (const line of story.lines) hash.update(line).update('\n')
  hash.update(`${scheduler.resumed} ${scheduler.nowMs} ${scheduler.draw.next()}`)
  for (const { name } of database.committed<{ name: string }>(TABLES)) {
    const rows = database.committed<Record<string, unknown>>(`SELECT * FROM "${name}"`)
    if (rows.length > 0) hash.update(`\n${name}\n${JSON.stringify(rows.map(Object.values), asText)}`)
  }
  return hash.digest('hex').slice(0, 16)
}

function asText(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
