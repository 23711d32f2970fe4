import { query } from '../../world/query.ts'
import type { World } from '../../world/world.ts'

/** An account, as the database returns it. */
export interface AccountRow {
  readonly id: bigint
  readonly email: string
  readonly viewing_key_id: bigint | null
  readonly deletion_requested_at: bigint | null
  readonly erased_at: bigint | null
}

const ACCOUNTS = 'SELECT id, email, viewing_key_id, deletion_requested_at, erased_at FROM accounts ORDER BY id'
const INVOICES = 'SELECT public_id, status, watch_until FROM invoices WHERE account_id = ?'
const WITHDRAWALS = `SELECT w.public_id, w.status, i.status AS deposit, i.watch_until FROM withdrawals w
  JOIN invoices i ON i.id = w.invoice_id WHERE w.account_id = ?`
const OPEN_DELIVERIES = 'SELECT 1 FROM deliveries WHERE account_id = ? AND due_at_ms IS NOT NULL'
const OPEN_ENDPOINTS = `SELECT 1 FROM endpoints e JOIN event_counters c ON c.account_id = e.account_id
  WHERE e.account_id = ? AND e.removed_at IS NULL AND e.enabled = 1 AND e.paused_at IS NULL AND (c.seq > e.cursor_seq OR
    EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id AND d.endpoint_due_at_ms IS NOT NULL))`
const OWED_REFUNDS = `SELECT 1 FROM refunds WHERE account_id = ? AND status IN ('awaiting_address', 'ready')`
const OPEN_SWAPS = `SELECT 1 FROM swaps JOIN invoices ON invoices.id = swaps.invoice_id
  WHERE invoices.account_id = ? AND swaps.next_poll_at_ms IS NOT NULL`
const LAST_REQUEST = `SELECT max(created_at) AS at FROM audit_entries
  WHERE account_id = ? AND kind = 'deletion_requested'`

/** An account is kept at least this long after its owner has requested its deletion. */
export const DELETION_WAIT_MS = 7 * 86_400_000

/** Statuses of orders that end without another step. */
const ENDED = new Set(['completed', 'canceled', 'expired', 'failed'])

export const readAccounts = query<AccountRow>(ACCOUNTS)

/**
 * Whether a clock that was ahead may have begun to erase the account, whose owner may keep it afterwards. Once the clock is
 * right, the erasure waits for its time.
 */
export function mayBeErasedInPart({ database, maxClockAheadMs, scheduler }: World, accountId: bigint): boolean {
  if (maxClockAheadMs === 0) return false
  const at = database.committed<{ at: bigint | null }>(LAST_REQUEST, accountId)[0]?.at ?? null
  if (at === null) return false
  return Number(at) * 1_000 + DELETION_WAIT_MS <= scheduler.nowMs + maxClockAheadMs
}

/** The number of the account's invoices. */
export function countInvoices({ database }: World, accountId: bigint): number {
  return database.committed(INVOICES, accountId).length
}

/**
 * Why something that the account began can still change; null when nothing can.
 * @param nowSecs payments to invoices that are watched longer are still found
 */
export function openWork({ database }: World, id: bigint, nowSecs: number): string | null {
  const isWatched = ({ watch_until: until }: { readonly watch_until: bigint }) => Number(until) > nowSecs
  const isOpen = (status: string) => status === 'pending' || status === 'detected'
  for (const invoice of database.committed<{ public_id: string; status: string; watch_until: bigint }>(INVOICES, id))
    if (isOpen(invoice.status) || isWatched(invoice)) return `its invoice ${invoice.public_id} is ${invoice.status}`
  const orders = database.committed<{ public_id: string; status: string; deposit: string; watch_until: bigint }>(
    WITHDRAWALS,
    id,
  )
  for (const order of orders)
    if (!ENDED.has(order.status) || isOpen(order.deposit) || isWatched(order))
      return `its withdrawal ${order.public_id} is ${order.status}`
  if (database.committed(OPEN_DELIVERIES, id).length > 0) return 'it has open deliveries'
  if (database.committed(OPEN_ENDPOINTS, id).length > 0) return 'an endpoint has events to get'
  if (database.committed(OWED_REFUNDS, id).length > 0) return 'it owes a refund'
  return database.committed(OPEN_SWAPS, id).length > 0 ? 'it has an open swap' : null
}

/** An order whose coins the operator has and whose owner is not paid; null when there is none. */
export function owedPayout({ database }: World, id: bigint): string | null {
  const order = database
    .committed<{ public_id: string; status: string }>(WITHDRAWALS, id)
    .find(({ status }) => status === 'payout_processing' || status === 'needs_attention')
  return order ? `its withdrawal ${order.public_id} is ${order.status}` : null
}

/** Tables that keep rows of a deleted account, without personal data. */
const KEPT = new Set(['accounts', 'invoices', 'event_counters', 'withdrawals', 'plan_purchases', 'idempotency_keys'])

/** Personal data of a deleted account's owner that is still in the database; null: none. */
export function personalDataOf({ database }: World, id: bigint, words: readonly string[]): string | null {
  const tables = database.committed<{ name: string; columns: string }>(
    `SELECT m.name, group_concat(c.name) AS columns FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' GROUP BY m.name`,
  )
  for (const { name, columns } of tables) {
    const names = columns.split(',')
    if (names.includes('account_id') && !KEPT.has(name)) {
      const [row] = database.committed(`SELECT 1 FROM "${name}" WHERE account_id = ? LIMIT 1`, id)
      if (row) return `a row of ${name}`
    }
    const text = names.map(column => `coalesce(CAST("${column}" AS TEXT), '')`).join(" || ' ' || ")
    for (const word of words)
      if (database.committed(`SELECT 1 FROM "${name}" WHERE instr(${text}, ?) > 0 LIMIT 1`, word).length > 0)
        return `${word} in ${name}`
  }
  const secrets = `SELECT 1 FROM withdrawals WHERE account_id = ? AND (length(payout_to) > 0 OR reason IS NOT NULL)`
  if (database.committed(secrets, id).length > 0) return 'the details of a payout'
  return null
}
