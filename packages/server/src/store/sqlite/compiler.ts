import type { SelectModifierNode } from 'kysely'
import { SqliteQueryCompiler } from 'kysely'

/**
 * Leaves out row locks (`for update`, `skip locked`): a SQLite transaction that writes is alone, so that one query
 * text means the same in both databases.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.rawModifier || node.modifier === 'Distinct') super.visitSelectModifier(node)
  }
}
