import type pg from 'pg'

/** Whether any transaction of the database waits for a lock. */
export async function anyLockWait(admin: pg.Client): Promise<boolean> {
  const { rows } = await admin.query(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0].waiting > 0
}
