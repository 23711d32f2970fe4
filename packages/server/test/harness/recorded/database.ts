import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { IS_WEBHOOK_EVENT } from '../webhook-event.ts'

/** Direct access to the service's database, for what the API does not offer. */
export interface WalkDatabase {
  /** The value of `DATABASE_URL`. */
  readonly url: string
  /** Sets the diversifier index of the next address of every viewing key. */
  setNextIndex(index: number): Promise<void>
  /** Hash of the newest recorded block in display byte order, or null. */
  tipHash(): Promise<string | null>
  /** The bodies of all public events, in order. */
  eventBodies(): Promise<string[]>
  close(): Promise<void>
}

type Row = Readonly<Record<string, unknown>>

/** @param url `sqlite:<file>` or `postgres://…` */
export function openDatabase(url: string): WalkDatabase {
  return url.startsWith('sqlite:') ? sqliteDatabase(url) : postgresDatabase(url)
}

/** Opens the file for each statement, so that it is not kept open in between. */
function sqliteDatabase(url: string): WalkDatabase {
  async function run(statement: string): Promise<Row[]> {
    const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 10_000 })
    try {
      return database.prepare(statement).all()
    } finally {
      database.close()
    }
  }
  return { url, ...statements(run), close: async () => undefined }
}

function postgresDatabase(url: string): WalkDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const run = async (statement: string) => (await pool.query<Row>(statement)).rows
  return { url, ...statements(run), close: () => pool.end() }
}

function statements(run: (statement: string) => Promise<Row[]>): Omit<WalkDatabase, 'url' | 'close'> {
  return {
    async setNextIndex(index) {
      await run(`UPDATE viewing_keys SET next_index = ${index}`)
    },
    async tipHash() {
      const [row] = await run('SELECT hash FROM headers ORDER BY height DESC LIMIT 1')
      return row === undefined ? null : String(row.hash)
    },
    async eventBodies() {
      const rows = await run(`SELECT body FROM events WHERE ${IS_WEBHOOK_EVENT} ORDER BY account_id, seq`)
      return rows.map(({ body }) => String(body))
    },
  }
}
