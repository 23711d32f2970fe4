import type { Header } from '../domain/chain.ts'
import type { Clock, Log, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { Reassess, Report } from './invoice-state.ts'

/** The recorded chain: which blocks are in it, and how blocks are taken back. */
export interface Headers {
  /** Newest and oldest block that is remembered; null before the first. */
  position(): Promise<Position | null>
  headerAt(height: number): Promise<Header | null>
  /**
   * Forgets the blocks above a height, in bounded transactions that each leave a consistent chain; the payments in them
   * count as unmined until they are seen again or missed.
   *
   * @param judged a recorded block that the decision was made by. False, with nothing changed, when it is no longer
   * recorded: another process has moved the chain meanwhile.
   */
  rewind(toHeight: number, judged: Header | null): Promise<boolean>
  /**
   * Takes back the blocks from the first one on that is not built on the one below it, so that they are read again;
   * null when all are linked. Transactions cannot leave such a chain behind; databases of older versions may hold one.
   */
  repair(): Promise<{ readonly brokenAt: number } | null>
  /**
   * Has the recorded chain begin anew with a block of the server's chain: the way out of a reorganisation deeper than
   * the blocks remembered, on the operator's word. Payments above it count as unmined until they are seen again.
   */
  accept(base: Header): Promise<void>
}

export interface Position {
  readonly tip: Header
  readonly oldest: number
}

/** Payments whose blocks one transaction takes back: as many as are assessed well within a transaction's time. */
const PAYMENTS_PER_STEP = 1_000

export function createHeaders(deps: {
  readonly store: Store
  readonly reassess: Reassess
  readonly report: Report
  readonly clock: Clock
  readonly log: Log
}): Headers {
  const { store, reassess, report, clock, log } = deps

  /** One transaction. The height down to which blocks were taken back; null when `judged` is not recorded any more. */
  async function stepBack(toHeight: number, judged: Header | null, first: boolean): Promise<number | null> {
    const now = nowSecs(clock)
    const step = await store.write(async rows => {
      await rows.chain.lock()
      if (judged && (await rows.chain.headerAt(judged.height))?.hash !== judged.hash) return null
      if (first) await rows.chain.noteRewind(toHeight)
      const bounded = await rows.payments.heightAboveWhich(PAYMENTS_PER_STEP, toHeight)
      // At least one block: no block holds so many payments that it could not be taken back at once.
      const top = Math.max((await rows.chain.tip())?.height ?? toHeight, bounded)
      const height = Math.max(toHeight, Math.min(bounded, top - 1))
      const touched = await rows.payments.unmineAbove(height)
      await rows.chain.removeAbove(height)
      return { height, changes: await reassess(rows, touched, now) }
    })
    if (!step) return null
    report(step.changes)
    return step.height
  }

  async function rewind(toHeight: number, judged: Header | null): Promise<boolean> {
    let reached = await stepBack(toHeight, judged, true)
    while (reached !== null && reached > toHeight) reached = await stepBack(toHeight, null, false)
    return reached !== null
  }

  return {
    position: () =>
      store.read(async rows => {
        const tip = await rows.chain.tip()
        const oldest = await rows.chain.oldestHeight()
        return tip && oldest !== null ? { tip, oldest } : null
      }),

    headerAt: height => store.glance(rows => rows.chain.headerAt(height)),

    rewind,

    async repair() {
      const broken = await store.glance(rows => rows.chain.brokenLink())
      if (!broken || !(await rewind(broken.height - 1, broken))) return null
      log.error(
        { height: broken.height },
        'the recorded blocks were not linked; they are read again from this height on',
      )
      return { brokenAt: broken.height }
    },

    async accept(base) {
      await rewind(base.height, null)
      const now = nowSecs(clock)
      const changes = await store.write(async rows => {
        await rows.chain.lock()
        const touched = await rows.payments.unmineAbove(base.height)
        await rows.chain.removeAll()
        await rows.chain.append([base])
        return reassess(rows, touched, now)
      })
      report(changes)
    },
  }
}
