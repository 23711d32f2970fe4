import type { Owner } from '../../runtime/scheduler.ts'
import type { SentMail } from '../../world/mailboxes.ts'
import { query } from '../../world/query.ts'
import type { World } from '../../world/world.ts'
import { openSecret } from '../webhook/ledger.ts'

/** A row of the queue, as the database returns it. */
export interface MailRow {
  readonly id: bigint
  readonly recipient: string
  readonly about: string
  readonly code_id: bigint | null
  readonly detail: string | null
  readonly created_at: bigint
  readonly due_at: bigint
  readonly attempts: bigint
  readonly account_id: bigint | null
  readonly queue: string
  /** The events that the mail stands for, and how many of them are mailed. */
  readonly events: bigint
  readonly mailed_events: bigint
}

/** A committed claim of a mail by a process: permission to send it once. */
export interface Claim {
  readonly process: Owner
  mail: SentMail | null
}

/** A mail with all claims that the judge has seen. */
export interface KnownMail {
  row: MailRow
  readonly claims: Claim[]
  /** It has left the queue, and might do so unsent. */
  isGivenUp: boolean
}

/** A paid invoice whose payments are missing. */
export interface MissingInvoice {
  readonly id: bigint
  readonly public_id: string
  readonly account_id: bigint
}

const QUEUE =
  'SELECT id, recipient, about, code_id, detail, created_at, due_at, attempts, account_id, queue, events, mailed_events FROM mails ORDER BY id'
const MISSING = `SELECT id, public_id, account_id FROM invoices WHERE needs_attention = 1 AND purpose = 'sale'`

export const readQueue = query<MailRow>(QUEUE)

/** The invoices that need attention now. */
export const readMissing = query<MissingInvoice>(MISSING)

/** The parts of an account whose changes are mailed to its owner. */
export interface AccountCauses {
  readonly email: string
  readonly keys: bigint
  readonly revoked: bigint
  readonly sessions: bigint
  readonly deletion: bigint | null
  readonly erased: bigint | null
}

const CAUSES = `SELECT email, deletion_requested_at AS deletion, erased_at AS erased,
  (SELECT count(*) FROM api_keys WHERE account_id = accounts.id) AS keys,
  (SELECT count(*) FROM api_keys WHERE account_id = accounts.id AND revoked_at IS NOT NULL) AS revoked,
  (SELECT count(*) FROM sessions WHERE account_id = accounts.id) AS sessions FROM accounts`

/** The accounts with their API keys, sessions and webhooks, by email. */
export function readCauses(world: World) {
  const { database } = world
  const accounts = database.committed<AccountCauses>(CAUSES)
  const webhooks = database.committed<{ id: bigint; email: string; url: string; secret: Uint8Array }>(
    'SELECT accounts.id, email, url, secret FROM webhooks JOIN accounts ON accounts.id = webhooks.account_id',
  )
  const targets = webhooks.map(
    ({ id, email, url, secret }) => [email, { url, secret: openSecret(world, secret, id) }] as const,
  )
  return { accounts: new Map(accounts.map(row => [row.email, row])), webhooks: new Map(targets) }
}

export type Causes = ReturnType<typeof readCauses>

/** When the last mail about missing payments was sent to the account, by the clock of its process. */
export function lastAttentionMailAt({ database }: World, accountId: bigint): number | null {
  const [row] = database.committed<{ last_sent_at: bigint | null }>(
    'SELECT last_sent_at FROM attention_mails WHERE account_id = ?',
    accountId,
  )
  return row?.last_sent_at == null ? null : Number(row.last_sent_at)
}

/** Whether the request of a code has expired. @param at Unix seconds */
export function isExpired({ database }: World, codeId: bigint, at: number): boolean {
  const [row] = database.committed<{ expires_at: bigint }>('SELECT expires_at FROM sign_in_codes WHERE id = ?', codeId)
  return !row || Number(row.expires_at) <= at
}
