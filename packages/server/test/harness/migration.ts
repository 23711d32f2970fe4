import { sql } from 'kysely'
import type { Migration } from '../../src/store/migrations/index.ts'

/** A migration that executes these statements. */
export function migrationOf(name: string, ...statements: readonly string[]): Migration {
  return [
    name,
    async db => {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  ]
}
