import { query } from '../../world/query.ts'
import type { World } from '../../world/world.ts'
import type { EventRow } from '../event/new-events.ts'

/** A withdrawal with the invoice of its deposit, as the database returns them. */
export interface WithdrawalRow {
  readonly invoice_id: bigint
  readonly public_id: string
  readonly status: string
  readonly amount_zat: bigint
  readonly received_zat: bigint
  readonly fiat_currency: string
  readonly fiat_amount: string
  readonly rate: string
  readonly reference: string | null
  readonly reason: string | null
  readonly invoice_status: string
  readonly invoice_amount: bigint
  readonly invoice_received: bigint
  readonly needs_attention: bigint
  readonly confirmations: bigint
  readonly expires_at: bigint
}

const WITHDRAWALS = `SELECT w.invoice_id, w.public_id, w.status, w.amount_zat, w.received_zat, w.fiat_currency, w.fiat_amount,
  w.rate, w.reference, w.reason, i.status AS invoice_status,
  i.amount_zat AS invoice_amount, i.received_zat AS invoice_received, i.needs_attention, i.confirmations, i.expires_at
  FROM withdrawals w JOIN invoices i ON i.id = w.invoice_id ORDER BY w.invoice_id`

export const readWithdrawals = query<WithdrawalRow>(WITHDRAWALS)

/** A payment of a deposit, with the time of its recorded block. */
export interface DepositRow {
  readonly txid: string
  readonly location: 'mempool' | 'mined' | 'dropped'
  readonly height: bigint | null
  readonly value_zat: bigint
  readonly seen_at: bigint
  /** Null when the block is not recorded any more. */
  readonly time: bigint | null
}

const DEPOSITS = `SELECT p.txid, p.location, p.height, p.value_zat, p.seen_at, h.time FROM payments p
  LEFT JOIN headers h ON h.height = p.height WHERE p.invoice_id = ?`

export const readDeposits = query<DepositRow>(DEPOSITS)

/** Height of the last recorded block. */
export function recordedTip({ database }: World): number {
  const [row] = database.committed<{ height: bigint | null }>('SELECT max(height) AS height FROM headers')
  return Number(row?.height ?? -1)
}

/** A `withdrawal.updated` event. */
export interface UpdateEvent {
  readonly withdrawal_id: string
  readonly status: string
}

/** The `withdrawal.updated` events among these, in their order. */
export function updatesOf(events: readonly EventRow[]): UpdateEvent[] {
  const updates = events.filter(({ type }) => type === 'withdrawal.updated')
  return updates.map(({ body }) => JSON.parse(body) as UpdateEvent)
}
