import { ascending, chunks } from '../mapping.ts'
import type { Db } from '../tables.ts'

/** Records when credentials were last used. Rows are locked in ascending order. */
export async function touch(db: Db, table: 'api_keys' | 'sessions', ids: readonly number[], at: number): Promise<void> {
  for (const batch of chunks(ascending(ids), 1)) {
    await db.updateTable(table).set({ last_used_at: at }).where('id', 'in', batch).execute()
  }
}
