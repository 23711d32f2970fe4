import {
  isSameDatabase,
  STEP_BYTES,
  startStepOf,
  stepOf,
  unknownParts,
  watchAfterMove,
} from '../domain/database-identity.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { Rows, Store } from '../ports/store.ts'

/** The result of advancing the address counters. */
export interface CounterMove {
  /** Number of viewing keys. The counter of each was advanced. */
  readonly viewingKeys: number
  /** Unix seconds. All keys are watched at least until then. */
  readonly watchedUntil: number
}

/**
 * Prevents a restored copy of the database from reusing addresses that the original showed after the copy was made. The
 * database records its own identity. If the recorded identity differs from the current one, the database is a copy. One
 * transaction then advances the counters of all viewing keys by random steps, watches all keys for as long as invoices
 * missing from the copy can be paid, and records the current identity.
 */
export interface Origin {
  /** Advances the counters if this database is a copy. Must be called before any other service. */
  check(): Promise<void>
  /**
   * Advances the counters by a small random step. Each process that reserves addresses calls it at its start, because an
   * exact copy cannot be detected.
   */
  begin(): Promise<void>
  /** As `Store.write`, and runs `check` at the beginning of the same transaction. */
  write<T>(work: (tx: Rows) => Promise<T>): Promise<T>
  /** Advances the counters unconditionally, for a copy that cannot be detected. */
  moveCounters(): Promise<CounterMove>
  /** Whether the next `check` would advance the counters. Read-only. */
  isCopy(): Promise<boolean>
}

export function createOrigin(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly lateWatchDays: number
  readonly log: Log
}): Origin {
  const { store, clock, random, lateWatchDays, log } = deps

  async function advance(tx: Rows, identity: string): Promise<CounterMove> {
    const watchedUntil = watchAfterMove(nowSecs(clock), lateWatchDays)
    const viewingKeys = await tx.viewingKeys.moveOn(() => stepOf(random.bytes(STEP_BYTES)), watchedUntil)
    await tx.origin.record(identity)
    return { viewingKeys, watchedUntil }
  }

  /** Takes a lock, so that only one of several processes advances the counters of a copy. */
  async function advanceIfCopy(tx: Rows): Promise<CounterMove | null> {
    const state = await tx.origin.lock()
    if (!isSameDatabase(state)) return advance(tx, state.current)
    await tx.origin.record(state.current)
    return null
  }

  function report(advanced: CounterMove | null): void {
    if (advanced === null || advanced.viewingKeys === 0) return
    log.warn(
      advanced,
      'this database is a restored copy, a promoted standby or new to this version: ' +
        'the address counters of all viewing keys were advanced, so that no address is used twice',
    )
  }

  function warnAboutUnknownParts(identity: string): void {
    const unknown = unknownParts(identity)
    if (unknown.length === 0) return
    log.warn(
      { unknown },
      'the database server does not report its whole identity: run `zatgate restored` after every restore and fail-over',
    )
  }

  return {
    async check() {
      const state = await store.glance(tx => tx.origin.read())
      warnAboutUnknownParts(state.current)
      if (state.recorded !== state.current) report(await store.write(advanceIfCopy))
    },

    async begin() {
      await store.write(tx => tx.viewingKeys.moveOn(() => startStepOf(random.bytes(STEP_BYTES)), 0))
    },

    async write(work) {
      const { result, advanced } = await store.write(async tx => {
        const advanced = isSameDatabase(await tx.origin.read()) ? null : await advanceIfCopy(tx)
        return { result: await work(tx), advanced }
      })
      report(advanced)
      return result
    },

    moveCounters: () => store.write(async tx => advance(tx, (await tx.origin.lock()).current)),

    async isCopy() {
      const state = await store.read(async tx => ({
        ...(await tx.origin.read()),
        keys: await tx.viewingKeys.all(),
      }))
      return state.keys.length > 0 && !isSameDatabase(state)
    },
  }
}
