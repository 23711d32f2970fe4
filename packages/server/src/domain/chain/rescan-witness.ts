import { agreementOf, type SinceHeight, type WitnessedBlock, waitIsOver } from './witness.ts'

/** One server's view of a payment that a rescan has found. */
export interface PaymentView {
  readonly isNearTip: boolean
  /** The hash of its block at the height of the payment. Null: it serves none. */
  readonly hash: string | null
  readonly showsPayment: boolean
}

/**
 * Counts the servers that show a payment in the recorded block, or in equal blocks where none is recorded any more.
 * @param recordedHash null: the block is below the recorded ones
 */
function countViews(views: readonly PaymentView[], recordedHash: string | null): Omit<WitnessedBlock, 'height'> {
  const showing = views.filter(({ showsPayment, hash }) => showsPayment && (recordedHash ?? hash) === hash)
  const byHash = [...Map.groupBy(showing, ({ hash }) => hash).values()]
  const agreeing = byHash.reduce((largest, group) => (group.length > largest.length ? group : largest), [])
  const opposing = views.filter(view => view.isNearTip && view.hash !== null && !agreeing.includes(view))
  return { agreeing: agreeing.length, opposing: opposing.length }
}

/** The knowledge of one process about the payments that a rescan has found. In memory only: after a restart a wait begins again. */
export interface RescanKnowledge {
  /** Unix seconds by key of a payment: since when only one server serves its block. */
  readonly waiting: ReadonlyMap<string, number>
  /** The block of a payment that servers do not agree about. */
  readonly disagreed: SinceHeight | null
}

export const NOTHING_RESCANNED: RescanKnowledge = { waiting: new Map(), disagreed: null }

/** A payment that was looked for in the views of all servers. */
export interface ComparedPayment {
  readonly key: string
  readonly height: number
  readonly views: readonly PaymentView[]
  /** The hash of the recorded block at its height. Null: the height is below the recorded blocks. */
  readonly recordedHash: string | null
}

/** A comparison of the payments in the blocks `from` to `to`, bounds included. */
export interface RescanComparison {
  readonly from: number
  readonly to: number
  readonly payments: readonly ComparedPayment[]
  /** Unix seconds. */
  readonly now: number
}

/**
 * A payment counts when two servers show it, or when one has shown it for a time while no second one served its block.
 * @returns the next knowledge, and the keys of the payments that count
 */
export function observeRescanned(
  known: RescanKnowledge,
  { from, to, payments, now }: RescanComparison,
): { readonly known: RescanKnowledge; readonly witnessed: ReadonlySet<string> } {
  const waiting = new Map(known.waiting)
  const witnessed = new Set<string>()
  let disagreed: ComparedPayment | null = null
  for (const payment of payments) {
    const count = countViews(payment.views, payment.recordedHash)
    const state = agreementOf(count)
    const since = waiting.get(payment.key) ?? now
    waiting.delete(payment.key)
    if (state === 'agreed' || (state === 'waiting' && count.agreeing > 0 && waitIsOver(since, now)))
      witnessed.add(payment.key)
    else if (state === 'waiting') waiting.set(payment.key, since)
    else disagreed ??= payment
  }
  const isElsewhere = known.disagreed && (known.disagreed.height < from || known.disagreed.height > to)
  const kept = isElsewhere ? known.disagreed : null
  return {
    known: {
      waiting,
      disagreed: disagreed ? { since: known.disagreed?.since ?? now, height: disagreed.height } : kept,
    },
    witnessed,
  }
}
