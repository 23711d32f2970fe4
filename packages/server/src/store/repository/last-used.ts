import { ascending, chunks } from '../mapping.ts'
import type { Db } from '../tables.ts'

/** Notes that credentials were used, in the one order in which rows are locked. */
export async function touch(db: Db, table: 'api_keys' | 'sessions', ids: readonly number[], at: number): Promise<void> {
  for (const some of chunks(ascending(ids), 1)) {
    await db.updateTable(table).set({ last_used_at: at }).where('id', 'in', some).execute()
  }
}
