import { DatabaseSync } from 'node:sqlite'

/** The bodies of an account's public events in a SQLite file, in order. */
export function readEvents(file: string, accountId: number): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database
      .prepare('SELECT body FROM events WHERE account_id = ? AND body IS NOT NULL ORDER BY seq')
      .all(accountId)
    return rows.map(row => JSON.parse(String(row.body)))
  } finally {
    database.close()
  }
}
