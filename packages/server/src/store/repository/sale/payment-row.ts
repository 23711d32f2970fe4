import type { Insertable, Selectable } from 'kysely'
import type { Payment, PaymentLocation } from '../../../domain/sale/payment.ts'
import type { NewPayment, PaymentRow } from '../../../ports/repository/sale/payment.ts'
import { num, numOrNull } from '../../mapping.ts'
import type { PaymentsTable } from '../../tables.ts'

/** Identifies a payment. */
export function keyOf({ txid, pool, outputIndex }: Pick<Payment, 'txid' | 'pool' | 'outputIndex'>): string {
  return `${txid} ${pool} ${outputIndex}`
}

export function toRow(payment: NewPayment): Insertable<PaymentsTable> {
  return {
    invoice_id: payment.invoiceId,
    txid: payment.txid,
    pool: payment.pool,
    output_index: payment.outputIndex,
    value_zat: payment.valueZat,
    location: payment.location.at,
    height: payment.location.at === 'mined' ? payment.location.height : null,
    expiry_height: payment.expiryHeight,
    seen_at: payment.seenAt,
    last_seen_height: payment.lastSeenHeight,
    awaits_witness: payment.awaitsWitness ? 1 : 0,
  }
}

export function toPayment(row: Selectable<PaymentsTable>): PaymentRow {
  return {
    invoiceId: num(row.invoice_id),
    txid: row.txid,
    pool: row.pool,
    outputIndex: num(row.output_index),
    valueZat: BigInt(row.value_zat),
    location: toLocation(row),
    seq: num(row.id),
    seenAt: num(row.seen_at),
    expiryHeight: numOrNull(row.expiry_height),
    inSnapshot: num(row.in_snapshot) === 1,
    lastSeenHeight: num(row.last_seen_height ?? row.height ?? 0),
    awaitsWitness: num(row.awaits_witness) === 1,
    missing: toMissing(row),
  }
}

function toMissing({ vanished_since, vanished_height }: Selectable<PaymentsTable>): PaymentRow['missing'] {
  if (vanished_since === null || vanished_height === null) return null
  return { since: num(vanished_since), height: num(vanished_height) }
}

function toLocation({ location: at, height }: Selectable<PaymentsTable>): PaymentLocation {
  return at === 'mined' ? { at, height: Number(height) } : { at }
}
