import { chunks, distinctAscending } from '../../mapping.ts'
import type { Db } from '../../tables.ts'

/** Records when credentials were last used. Rows are locked in ascending order. */
export async function setLastUsed(
  db: Db,
  table: 'api_keys' | 'sessions',
  ids: readonly number[],
  at: number,
): Promise<void> {
  for (const batch of chunks(distinctAscending(ids), 1)) {
    await db.updateTable(table).set({ last_used_at: at }).where('id', 'in', batch).execute()
  }
}
