import type { Migration } from '../../src/store/migrations/index.ts'

/** A migration that executes these statements. */
export function migrationOf(name: string, ...statements: readonly string[]): Migration {
  return [name, () => statements]
}
