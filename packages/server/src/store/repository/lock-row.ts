import type { Db, LocksTable } from '../tables.ts'

/** Waits until no other transaction has this lock, and keeps it until the end of the transaction. */
export async function lockRow(db: Db, name: LocksTable['name']): Promise<void> {
  await db.selectFrom('locks').select('name').where('name', '=', name).forUpdate().execute()
}
