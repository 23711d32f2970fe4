import type { SelectModifierNode } from 'kysely'
import { SqliteQueryCompiler } from 'kysely'

/**
 * Omits row locks (`for update`, `skip locked`). Only one SQLite transaction writes at a time, so a query means the same
 * in both databases.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.rawModifier || node.modifier === 'Distinct') super.visitSelectModifier(node)
  }
}
