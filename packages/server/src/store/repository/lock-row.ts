import { keptStatement } from '../kept-statement.ts'
import type { Db, LocksTable } from '../tables.ts'

const lock = keptStatement(db => db.selectFrom('locks').select('name').where('name', '=', 'chain').forUpdate())

/** Waits until no other transaction has this lock, and keeps it until the end of the transaction. */
export async function lockRow(db: Db, name: LocksTable['name']): Promise<void> {
  await lock(db, 1, [name])
}
