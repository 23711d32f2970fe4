import type { Payment } from '../sale/payment.ts'
import type { Conclusions, ListState } from './chain-knowledge.ts'

/** A payment is dropped when mempool lists lack it for this time, and a new block has been found meanwhile. */
const DROP_AFTER_VANISHED_SECS = 120

/** Since when the mempool lists of one server, read one soon after the other, lack an unmined payment. */
export interface VanishedSince {
  /** Unix seconds. */
  readonly since: number
  /** Height of the last recorded block at that time. */
  readonly height: number
}

/** A mempool list to compare the recorded unmined payments with. */
export interface ComparedList
  extends Pick<Conclusions, 'provesVanished' | 'uncompared'>,
    Pick<ListState, 'listedAt' | 'continuesAbsences'> {
  /** Ids of all transactions in the mempool. */
  readonly txids: ReadonlySet<string>
  /** The last payment sequence number before the list was requested. Later payments may be absent from it. */
  readonly lastSeq: number
  /** If not, no payment is taken for vanished: another process would count the absence from the time of a wrong clock on. */
  readonly clockIsRight: boolean
  /** Unix seconds. */
  readonly now: number
  /** Height of the last recorded block. */
  readonly tip: number
}

/**
 * - `present`: in the list, as it was recorded.
 * - `returned`: in the list, and not recorded as present.
 * - `unproven`: recorded as present and not in the list, which does not prove that it left the mempool.
 * - `vanished`: not in the list, which proves it. The wait for its return begins.
 * - `absent`: not in the list, and nothing has changed: the wait goes on, or nothing is proven.
 * - `dropped`: the wait is over.
 */
export type Presence = 'present' | 'returned' | 'unproven' | 'vanished' | 'absent' | 'dropped'

type UnminedPayment = Pick<Payment, 'txid' | 'seq' | 'inSnapshot'> & { readonly vanished: VanishedSince | null }

/** Compares an unmined payment with a mempool list. */
export function presenceOf(payment: UnminedPayment, list: ComparedList): Presence {
  const { txid, seq, inSnapshot } = payment
  if (list.txids.has(txid)) return inSnapshot && payment.vanished === null ? 'present' : 'returned'
  const isProven = list.provesVanished && list.clockIsRight && seq <= list.lastSeq
  if (!isProven) return inSnapshot ? 'unproven' : 'absent'
  const vanished = vanishedSince(payment, list)
  if (vanished === null) return 'vanished'
  // The payment may have returned while the list was recorded.
  const isOver = list.listedAt - vanished.since >= DROP_AFTER_VANISHED_SECS && list.tip > vanished.height
  return isOver ? 'dropped' : 'absent'
}

/** Since when the payment is absent. Null: the wait starts again, since the lists do not prove that it was absent all the time. */
function vanishedSince(
  { txid, vanished }: UnminedPayment,
  { continuesAbsences, uncompared, now }: ComparedList,
): VanishedSince | null {
  const wasAbsent = continuesAbsences && uncompared !== null && !uncompared.has(txid)
  // A time ahead of the clock was written by a wrong clock.
  return wasAbsent && vanished && vanished.since <= now ? vanished : null
}
