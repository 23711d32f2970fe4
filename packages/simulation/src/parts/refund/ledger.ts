import { query, queryOne } from '../../world/query.ts'
import type { World } from '../../world/world.ts'
import type { EventRow } from '../event/new-events.ts'

/** A refund with its invoice and account, as the database returns them. */
export interface RefundRow {
  readonly public_id: string
  readonly account_id: bigint
  /** The email of the account. */
  readonly email: string
  /** The public id of the invoice. */
  readonly invoice: string
  /** The sum of the sent refunds that the invoice has. */
  readonly refunded: bigint | null
  readonly status: string
  readonly amount_zat: bigint
  readonly price: string | null
  readonly rate: string | null
  readonly reason: string | null
  readonly address: string | null
  /** 1: the buyer gave the address. */
  readonly from_buyer: bigint
  readonly seen_at: bigint | null
  readonly link_id: string
  readonly txid: string | null
  /** The idempotency key of its request. */
  readonly key: string | null
}

const REFUNDS = `SELECT r.public_id, r.account_id, a.email, i.public_id AS invoice, i.refunded_zat AS refunded, r.status,
  r.amount_zat, r.price, r.rate, r.reason, r.address, r.address_from_buyer AS from_buyer, r.seen_at, r.link_id, r.txid,
  r.idempotency_key AS key
  FROM refunds r JOIN invoices i ON i.id = r.invoice_id JOIN accounts a ON a.id = r.account_id`

export const readRefunds = query<RefundRow>(`${REFUNDS} ORDER BY r.id`)

export const readRefund = queryOne<RefundRow>(`${REFUNDS} WHERE r.public_id = ?`)

/** Whether the address does not change any more: it is seen, or the merchant gave it, or the refund has ended. */
export function isFixed({ status, address, from_buyer: fromBuyer, seen_at: seenAt }: RefundRow): boolean {
  return status === 'sent' || status === 'canceled' || seenAt !== null || (address !== null && fromBuyer === 0n)
}

/** With several servers, confirmations count up to the height that two of them agree on. */
const TIP = `SELECT max(height) AS tip, (SELECT value FROM counters WHERE name = 'witnessed_height') AS witnessed
  FROM headers`
const CONFIRMED = `SELECT i.public_id AS invoice, sum(p.value_zat) AS zat FROM payments p
  JOIN invoices i ON i.id = p.invoice_id WHERE p.location = 'mined' AND p.awaits_witness = 0
  AND p.height + max(i.confirmations, 1) - 1 <= ? GROUP BY 1`

/** By invoice, the sum of its confirmed payments. */
export function readConfirmed({ database }: World): Map<string, bigint> {
  const [row] = database.committed<{ tip: bigint | null; witnessed: bigint | null }>(TIP)
  const tip = row?.tip ?? -1n
  const witnessed = row?.witnessed ?? tip
  const sums = database.committed<{ invoice: string; zat: bigint }>(CONFIRMED, witnessed < tip ? witnessed : tip)
  return new Map(sums.map(({ invoice, zat }) => [invoice, zat]))
}

/** A `refund.updated` event. */
export interface RefundEvent {
  readonly refund_id: string
  readonly status: string
  readonly amount_zat: number
  readonly txid: string | null
}

/** The `refund.updated` events among these, in their order. */
export function refundEventsOf(events: readonly EventRow[]): RefundEvent[] {
  const updates = events.filter(({ type }) => type === 'refund.updated')
  return updates.map(({ body }) => JSON.parse(body) as RefundEvent)
}

const KEPT = `SELECT account_id, day, refunded_zat FROM daily_totals WHERE refunded_zat <> 0`
const COUNTED = `SELECT account_id, updated_at / 86400 * 86400 AS day, sum(amount_zat) AS refunded_zat FROM refunds
  WHERE status = 'sent' GROUP BY 1, 2`
/** An account that is being deleted loses its refunds before its totals. */
const WRONG_DAY = `SELECT account_id, day FROM (SELECT * FROM (${KEPT} EXCEPT ${COUNTED})
  UNION ALL SELECT * FROM (${COUNTED} EXCEPT ${KEPT}))
  WHERE account_id IN (SELECT id FROM accounts WHERE deletion_requested_at IS NULL AND erased_at IS NULL) LIMIT 1`

/** A day of an account whose refunded sum is not that of the refunds which were sent on it; null: none. */
export function findWrongDay({ database }: World): string | null {
  const [wrong] = database.committed<{ account_id: bigint; day: bigint }>(WRONG_DAY)
  return wrong ? `account ${wrong.account_id}, day ${wrong.day}` : null
}
