import { query } from '../../world/query.ts'
import type { World } from '../../world/world.ts'

/** A row of the requested codes, as the database returns it. */
export interface CodeRow {
  readonly id: bigint
  readonly purpose: 'sign_in' | 'confirm'
  readonly email: string
  /** SHA-256 of the secret of the browser, in upper-case hex. */
  readonly browser: string
  /** Keyed hash of the client's address prefix, in hex. */
  readonly client: string
  /** Identifies a browser that signed in to the account before, in hex; null for others. */
  readonly known: string | null
  readonly code_hash: Uint8Array | null
  readonly attempts: bigint
  readonly created_at: bigint
  readonly expires_at: bigint
  readonly used_at: bigint | null
}

const CODES = `SELECT id, purpose, email, hex(browser_hash) AS browser, hex(client_hash) AS client,
  nullif(hex(known_browser_hash), '') AS known, code_hash, attempts, created_at, expires_at, used_at FROM sign_in_codes ORDER BY id`
const CODE_CHANGES = `SELECT count(*) AS codes, coalesce(sum(attempts), 0) AS attempts, count(used_at) AS used,
  coalesce(max(id), 0) AS latest, group_concat(hex(code_hash)) AS hashes FROM sign_in_codes`
const CREDENTIALS = `SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM api_keys) AS keys,
  (SELECT count(*) FROM accounts) AS accounts`
const ACTIVE_KEYS = `SELECT account_id, count(*) AS keys FROM api_keys WHERE revoked_at IS NULL GROUP BY account_id
  ORDER BY keys DESC LIMIT 1`

export const readCodes = query<CodeRow>(CODES)

/** A text that differs when a code was requested, mailed, tried or used. */
export function codeChanges({ database }: World): string {
  return Object.values(database.committed<Record<string, bigint | string | null>>(CODE_CHANGES)[0]!).join(' ')
}

/** The number of rows. */
export function countCredentials({ database }: World) {
  return database.committed<{ sessions: bigint; keys: bigint; accounts: bigint }>(CREDENTIALS)[0]!
}

/** The most active API keys of one account. */
export function mostActiveKeys({ database }: World): bigint {
  return database.committed<{ keys: bigint }>(ACTIVE_KEYS)[0]?.keys ?? 0n
}

/** The lifetimes of all sessions in seconds, each once. */
export function sessionLifetimes({ database }: World): bigint[] {
  return database
    .committed<{ secs: bigint }>('SELECT DISTINCT expires_at - created_at AS secs FROM sessions')
    .map(({ secs }) => secs)
}

/** Emails with more than one account. */
export function repeatedEmails({ database }: World): string[] {
  return database
    .committed<{ email: string }>('SELECT lower(trim(email)) AS email FROM accounts GROUP BY 1 HAVING count(*) > 1')
    .map(({ email }) => email)
}

/** Whether the mail of a requested code is in the queue. */
export function isMailQueued({ database }: World, codeId: bigint): boolean {
  return database.committed('SELECT 1 FROM mails WHERE code_id = ?', codeId).length === 1
}
