import type { Order } from '../../world/swap-provider/order.ts'
import type { World } from '../../world/world.ts'

/** A row of the swaps, as the database returns it. */
export interface SwapRow {
  readonly id: bigint
  readonly public_id: string
  readonly invoice_id: bigint
  readonly deposit_address: string
  readonly deposit_memo: string | null
  readonly refund_to: string
  /** Decimal digits. */
  readonly amount_in: string
  readonly quote_deadline: bigint
  readonly status: string
  /** The last word of the provider, known or unknown. */
  readonly provider_status: string
  readonly updated_at_ms: bigint
  /** Unix seconds by the clock of the process that applied the last report. */
  readonly last_report_at: bigint | null
}

/** An invoice that has a swap. */
export interface SwapInvoiceRow {
  readonly id: bigint
  readonly public_id: string
  readonly purpose: string
  readonly status: string
  readonly address: string
  readonly amount_zat: bigint
  readonly expires_at: bigint
  readonly swap_id: bigint
  readonly kept_open: bigint
}

/** A start that counts against the limit. */
export interface StartRow {
  readonly id: bigint
  readonly invoice_id: bigint
  /** Unix seconds by the clock of the process. */
  readonly started_at: bigint
}

/** The committed state of swaps. */
export interface SwapLedger {
  readonly swaps: ReadonlyMap<bigint, SwapRow>
  readonly invoices: ReadonlyMap<bigint, SwapInvoiceRow>
  readonly starts: readonly StartRow[]
}

const SWAPS = `SELECT id, public_id, invoice_id, deposit_address, deposit_memo, refund_to, amount_in, quote_deadline,
  status, provider_status, updated_at_ms, last_report_at FROM swaps ORDER BY id`
const INVOICES = `SELECT id, public_id, purpose, status, address, amount_zat, expires_at, swap_id,
  kept_open_by_swap AS kept_open FROM invoices WHERE swap_id IS NOT NULL ORDER BY id`
const STARTS = 'SELECT id, invoice_id, started_at FROM swap_starts ORDER BY id'

export function readSwapLedger({ database }: World): SwapLedger {
  return {
    swaps: byId(database.committed<SwapRow>(SWAPS)),
    invoices: byId(database.committed<SwapInvoiceRow>(INVOICES)),
    starts: database.committed<StartRow>(STARTS),
  }
}

function byId<T extends { readonly id: bigint }>(rows: readonly T[]): Map<bigint, T> {
  return new Map(rows.map(row => [row.id, row]))
}

/** A swap before and after a commit. */
export interface SwapChange {
  /** Undefined for a new swap. */
  readonly before: SwapRow | undefined
  readonly swap: SwapRow
  readonly invoice: SwapInvoiceRow
  /** The provider's truth. */
  readonly order: Order
}

/** Statuses with which the provider has received something. */
const DEPOSIT = new Set(['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING', 'SUCCESS'])

export function hasDeposit(status: string): boolean {
  return DEPOSIT.has(status)
}

/** How far any clock of the service has been wrong, in either direction. */
export function maxClockErrorMs({ clockErrors: { minMs, maxMs } }: World): number {
  return Math.max(-minMs, maxMs)
}
