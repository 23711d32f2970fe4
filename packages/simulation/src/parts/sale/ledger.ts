import { queryOne } from '../../world/query.ts'
import type { World } from '../../world/world.ts'

/** A row of the invoices, as the database returns it. */
export interface InvoiceRow {
  readonly id: bigint
  readonly public_id: string
  readonly account_id: bigint
  readonly viewing_key_id: bigint
  readonly purpose: 'sale' | 'plan' | 'withdrawal'
  readonly address: string
  readonly amount_zat: bigint
  /** 1: the buyer chooses the amount; `amount_zat` is the least. */
  readonly open_amount: bigint | null
  readonly tolerance_bps: bigint | null
  /** JSON: `amount` and `currency`. */
  readonly price: string | null
  /** JSON: `price` of 1 ZEC and others. */
  readonly rate: string | null
  readonly metadata: string | null
  readonly own_confirmations: bigint | null
  readonly canceled_at: bigint | null
  readonly confirmations: bigint
  readonly status: string
  readonly received_zat: bigint
  readonly due_zat: bigint
  readonly overpaid_zat: bigint
  readonly created_at: bigint
  readonly expires_at: bigint
  readonly watch_until: bigint
  readonly needs_attention: bigint
  readonly underpaid_at: bigint | null
  readonly kept_open: bigint
  readonly swap_id: bigint | null
}

/** A row of the payments. */
export interface PaymentRow {
  readonly id: bigint
  readonly invoice_id: bigint
  readonly txid: string
  readonly pool: string
  readonly output_index: bigint
  readonly value_zat: bigint
  readonly location: 'mempool' | 'mined' | 'dropped'
  readonly height: bigint | null
  /** Since when a list lacked it, Unix seconds; null while it is not known to be absent. */
  readonly vanished_since: bigint | null
  /** 1: a rescan has found it, and no second server has shown it. */
  readonly awaits_witness: bigint
}

/** The committed state of invoices, payments and recorded chain. */
export interface Ledger {
  readonly invoices: readonly InvoiceRow[]
  readonly payments: ReadonlyMap<bigint, readonly PaymentRow[]>
  /** Height of the last recorded block; -1 before the first. */
  readonly tip: number
  /** Hash of the last recorded block. */
  readonly tipHash: string
  /** Its time in Unix seconds. */
  readonly tipTime: number
}

const INVOICES = `SELECT id, public_id, account_id, viewing_key_id, purpose, address, amount_zat, open_amount,
  tolerance_bps, price, rate, metadata, own_confirmations, canceled_at, confirmations, status, received_zat, due_zat,
  overpaid_zat, created_at, expires_at, watch_until, needs_attention, underpaid_at, kept_open_by_swap AS kept_open, swap_id
  FROM invoices ORDER BY id`
const KEY = 'SELECT watch_until FROM viewing_keys WHERE id = ?'
const PAYMENTS = `SELECT id, invoice_id, txid, pool, output_index, value_zat, location, height, vanished_since,
  awaits_witness FROM payments ORDER BY id`
const TIP = 'SELECT height, hash, time FROM headers ORDER BY height DESC LIMIT 1'

/** The newest recorded block. Its time is in Unix seconds. */
export const readTip = queryOne<{ height: bigint; hash: string; time: bigint }>(TIP)

export function readLedger(world: World): Ledger {
  const { database } = world
  const tip = readTip(world)
  return {
    invoices: database.committed<InvoiceRow>(INVOICES),
    payments: Map.groupBy(database.committed<PaymentRow>(PAYMENTS), ({ invoice_id }) => invoice_id),
    tip: tip ? Number(tip.height) : -1,
    tipHash: tip?.hash ?? '',
    tipTime: Number(tip?.time ?? 0),
  }
}

/** Until when the viewing key is scanned for payments, in Unix seconds. */
export function keyWatchedUntil({ database }: World, viewingKeyId: bigint): number {
  const [key] = database.committed<{ watch_until: bigint }>(KEY, viewingKeyId)
  return Number(key?.watch_until ?? 0n)
}

/** Whether the viewing key is gone, with its account or long after its last invoice. */
export function isKeyDeleted({ database }: World, viewingKeyId: bigint): boolean {
  const [key] = database.committed<{ size: bigint }>(
    'SELECT length(sealed) AS size FROM viewing_keys WHERE id = ?',
    viewingKeyId,
  )
  return key?.size === 0n
}

export function sumOf(payments: readonly { readonly value_zat: bigint }[]): bigint {
  return payments.reduce((sum, { value_zat }) => sum + value_zat, 0n)
}

/** Payments that are in the mempool or mined. */
export function liveOf(payments: readonly PaymentRow[]): PaymentRow[] {
  return payments.filter(({ location }) => location !== 'dropped')
}
