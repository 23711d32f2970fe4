import { NOTHING_RESCANNED, observeRescanned } from '../../domain/chain/rescan-witness.ts'
import type { SinceHeight } from '../../domain/chain/witness.ts'
import { lowest } from '../../domain/extreme.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { PaymentRow } from '../../ports/repository/sale/payment.ts'
import type { Store } from '../../ports/store.ts'
import { lockInvoices, type ReportChanges, type UpdateInvoices, writeInvoices } from '../sale/invoice-state.ts'
import { bisect } from '../set-aside.ts'
import { comparable, paymentKey, type ScannedView } from './server-view.ts'

/** Blocks with payments that a rescan has found, to compare between the servers. Bounds included. */
export interface RescannedRange {
  readonly from: number
  readonly to: number
  /** The transactions to look for. */
  readonly txids: ReadonlySet<string>
}

/**
 * With several servers, confirms what a rescan has found once two of them show it, or once no second server has served the
 * block for a time. The payments are marked in the database, so nothing is lost or hastened by a restart.
 */
export interface RescanWitness {
  /** Height of a block of which a server has not shown a rescanned payment for a time; null: none. */
  readonly disagreed: SinceHeight | null
  /** The next blocks to compare. Null: no payment waits, or all have just been compared. */
  nextRange(): Promise<RescannedRange | null>
  record(range: RescannedRange, views: readonly ScannedView[]): Promise<void>
}

const MAX_BLOCKS = 20
const MAX_PAYMENTS = 500
/** Pause after all waiting payments have been compared. */
const COMPARE_AGAIN_AFTER_SECS = 30
/** Pause after a payment could not be written, with the others of its transaction. */
const WRITE_AGAIN_AFTER_SECS = 3_600
/** The same when no payment at all could be written: the fault may be the database's. */
const ALL_FAILED_AGAIN_AFTER_SECS = 60
const MAX_HEIGHT = 2 ** 32 - 1

export function createRescanWitness(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly log: Log
}): RescanWitness {
  const { store, updateInvoices, reportChanges, clock, log } = deps
  /** The next height to compare: a payment that servers disagree about must not stop the comparison of the others. */
  let next = 0
  let pausedUntil = 0
  let known = NOTHING_RESCANNED
  /** Unix seconds by transaction: until when its payments are left out, because one of them could not be written. */
  let leftOut: ReadonlyMap<string, number> = new Map()

  async function recordAll(range: RescannedRange, views: readonly ScannedView[]): Promise<void> {
    const now = nowSecs(clock)
    const { from, txids } = range
    const to = comparedTo(range, views)
    const written = await writeInvoices(store, async (tx, deferredBy) => {
      await tx.chain.lock()
      const tip = (await tx.chain.tip())?.height ?? 0
      const found = await tx.payments.awaitingWitness(from, to, MAX_PAYMENTS)
      const due = found.filter(({ txid }) => txids.has(txid)).map(payment => ({ payment, key: keyOf(payment) }))
      const recorded = new Map((await tx.chain.headersAbove(from - 1, MAX_BLOCKS)).map(it => [it.height, it.hash]))
      const below = await tx.chain.headerAt(from - 1)
      const servers = await Promise.all(views.map(view => comparable(tx, view, { below, tip })))
      const payments = due.map(({ payment, key }) => {
        const height = heightOf(payment)
        const views = servers.map(({ isNearTip, hashes, shows }) => {
          return { isNearTip, hash: hashes.get(height) ?? null, showsPayment: shows(payment) }
        })
        return { key, height, views, recordedHash: recorded.get(height) ?? null }
      })
      const observed = observeRescanned(known, { from, to, payments, now })
      const witnessed = due.flatMap(({ payment, key }) => (observed.witnessed.has(key) ? [payment] : []))
      const ids = witnessed.map(({ invoiceId }) => invoiceId)
      const locked = await lockInvoices(tx, ids)
      await tx.payments.markWitnessed(witnessed.map(({ seq }) => seq))
      const isLast = (await tx.payments.awaitingWitness(to + 1, MAX_HEIGHT, 1)).length === 0
      const changes = await updateInvoices(tx, ids, now, { locked, tip, deferredBy })
      return { known: observed.known, isLast, changes }
    })
    known = written.known
    next = written.isLast ? 0 : to + 1
    if (written.isLast) pausedUntil = now + COMPARE_AGAIN_AFTER_SECS
    reportChanges(written.changes)
  }

  /** Leaves out the transactions with a payment that cannot be written: they must not stop the comparison of the others. */
  async function recordApart(range: RescannedRange, views: readonly ScannedView[]): Promise<void> {
    const { succeeded, failed } = await bisect([...range.txids], txids =>
      recordAll({ ...range, txids: new Set(txids) }, views),
    )
    if (!failed[0]) return
    const secs = succeeded.length > 0 ? WRITE_AGAIN_AFTER_SECS : ALL_FAILED_AGAIN_AFTER_SECS
    const until = nowSecs(clock) + secs
    leftOut = new Map([...leftOut, ...failed.map(({ item }) => [item, until] as const)])
    log.error(
      { err: failed[0].error, height: range.from, transactions: failed.length, retryAt: until },
      'payments that a rescan has found cannot be confirmed; they are tried again later',
    )
  }

  return {
    get disagreed() {
      return known.disagreed
    },

    async nextRange() {
      const now = nowSecs(clock)
      if (now < pausedUntil && pausedUntil - now <= COMPARE_AGAIN_AFTER_SECS) return null
      leftOut = new Map([...leftOut].filter(([, until]) => until > now && until - now <= WRITE_AGAIN_AFTER_SECS))
      const all = await store.query(tx => tx.payments.awaitingWitness(next, MAX_HEIGHT, MAX_PAYMENTS))
      const found = all.filter(({ txid }) => !leftOut.has(txid))
      const [first] = found
      if (!first) {
        next = 0
        known = NOTHING_RESCANNED
        return null
      }
      const from = heightOf(first)
      const due = found.filter(payment => heightOf(payment) < from + MAX_BLOCKS)
      return { from, to: heightOf(due.at(-1)!), txids: new Set(due.map(({ txid }) => txid)) }
    },

    record: recordApart,
  }
}

/** The last height to compare: a server's view that is cut at its limit says nothing about the blocks above. */
function comparedTo({ from, to }: RescannedRange, views: readonly ScannedView[]): number {
  const ends = views.map(({ blocks, height }) => {
    const last = blocks.at(-1)?.height ?? to
    return last < Math.min(to, height) ? last : to
  })
  return Math.max(from, lowest(ends, to))
}

function keyOf(payment: PaymentRow): string {
  return paymentKey(payment.invoiceId, payment)
}

function heightOf({ location }: PaymentRow): number {
  return location.at === 'mined' ? location.height : 0
}
