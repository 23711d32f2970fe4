import type { Header } from '../domain/chain.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Reassess, Report } from './invoice-state.ts'

/** The chain of recorded block headers, and its rewinds. */
export interface Headers {
  /** The newest recorded header and the oldest recorded height; null before the first block. */
  position(): Promise<Position | null>
  headerAt(height: number): Promise<Header | null>
  /**
   * Removes the blocks above a height in bounded transactions, each of which leaves a consistent chain. Payments in
   * these blocks count as unmined until they are mined again or dropped.
   *
   * @param basis the recorded block that the decision is based on
   * @returns false, with nothing changed, when `basis` is no longer recorded because another process changed the chain
   */
  rewind(toHeight: number, basis: Header | null): Promise<boolean>
  /**
   * Removes all blocks from the first one that does not follow its predecessor, so that they are read again. Null when
   * all blocks are linked. Only databases of older versions can contain such a break.
   */
  repair(): Promise<{ readonly brokenAt: number } | null>
  /**
   * Restarts the recorded chain at a block of the server's chain. The operator uses it after a reorganisation deeper
   * than the recorded blocks. Payments above the block count as unmined until they are mined again.
   */
  accept(base: Header): Promise<void>
}

export interface Position {
  readonly tip: Header
  readonly oldest: number
}

/** Payments that one rewind transaction unmines, which bounds its duration. */
const PAYMENTS_PER_STEP = 1_000

export function createHeaders(deps: {
  readonly store: Store
  readonly reassess: Reassess
  readonly report: Report
  readonly clock: Clock
  readonly log: Log
}): Headers {
  const { store, reassess, report, clock, log } = deps

  /** Rewinds in one transaction. Returns the height reached; null when `basis` is no longer recorded. */
  async function rewindStep(toHeight: number, basis: Header | null, first: boolean): Promise<number | null> {
    const now = nowSecs(clock)
    const step = await store.write(async tx => {
      await tx.chain.lock()
      if (basis && (await tx.chain.headerAt(basis.height))?.hash !== basis.hash) return null
      if (first) await tx.chain.noteRewind(toHeight)
      const stepFloor = await tx.payments.heightAboveWhich(PAYMENTS_PER_STEP, toHeight)
      // At least one block: the payments of a single block always fit into one transaction.
      const top = Math.max((await tx.chain.tip())?.height ?? toHeight, stepFloor)
      const height = Math.max(toHeight, Math.min(stepFloor, top - 1))
      const touched = await tx.payments.unmineAbove(height)
      await tx.chain.removeAbove(height)
      return { height, changes: await reassess(tx, touched, now) }
    })
    if (!step) return null
    report(step.changes)
    return step.height
  }

  async function rewind(toHeight: number, basis: Header | null): Promise<boolean> {
    let reached = await rewindStep(toHeight, basis, true)
    while (reached !== null && reached > toHeight) reached = await rewindStep(toHeight, null, false)
    return reached !== null
  }

  return {
    position: () =>
      store.read(async tx => {
        const tip = await tx.chain.tip()
        const oldest = await tx.chain.oldestHeight()
        return tip && oldest !== null ? { tip, oldest } : null
      }),

    headerAt: height => store.glance(tx => tx.chain.headerAt(height)),

    rewind,

    async repair() {
      const broken = await store.glance(tx => tx.chain.brokenLink())
      if (!broken || !(await rewind(broken.height - 1, broken))) return null
      log.error({ height: broken.height }, 'the recorded blocks are not linked; they are read again from this height')
      return { brokenAt: broken.height }
    },

    async accept(base) {
      await rewind(base.height, null)
      const now = nowSecs(clock)
      const changes = await store.write(async tx => {
        await tx.chain.lock()
        const touched = await tx.payments.unmineAbove(base.height)
        await tx.chain.removeAll()
        await tx.chain.append([base])
        return reassess(tx, touched, now)
      })
      report(changes)
    },
  }
}
