import {
  isSameDatabase,
  STEP_BYTES,
  startStepOf,
  stepOf,
  unknownParts,
  watchAfterMove,
} from '../domain/database-identity.ts'
import type { Clock, Log, Random, Rows, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'

/** What was done to the address counters of a copy. */
export interface CounterMove {
  /** How many viewing keys there are; the counter of each was moved on. */
  readonly viewingKeys: number
  /** Unix seconds until which all of them are watched, at the least. */
  readonly watchedUntil: number
}

/**
 * Keeps restored copies of the database from handing out addresses that the original has shown since the copy was made.
 * The database records its own identity. Where it differs from the identity at hand, the database is a copy: the
 * counters of all viewing keys move on by random steps, all keys are watched for as long as invoices that are lost from
 * the copy may be paid, and the identity is recorded, in one transaction.
 */
export interface Origin {
  /** Moves the counters on if this database is a copy. To be called before any use case. */
  check(): Promise<void>
  /**
   * Moves the counters on by a small random step, at each start of a process that hands out addresses: a copy that looks
   * exactly like its original is noticed by nothing.
   */
  begin(): Promise<void>
  /** As `Store.write`, with `check` made at the beginning of the same transaction. */
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>
  /** Moves the counters on at once, for a copy that cannot be told from its original. */
  moveCounters(): Promise<CounterMove>
  /** Whether the next `check` moves the counters on. Changes nothing. */
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

  async function move(rows: Rows, identity: string): Promise<CounterMove> {
    const watchedUntil = watchAfterMove(nowSecs(clock), lateWatchDays)
    const viewingKeys = await rows.viewingKeys.moveOn(() => stepOf(random.bytes(STEP_BYTES)), watchedUntil)
    await rows.origin.record(identity)
    return { viewingKeys, watchedUntil }
  }

  /** Under the lock, so that of several processes that find a copy, one moves its counters. */
  async function moveCopy(rows: Rows): Promise<CounterMove | null> {
    const origin = await rows.origin.lock()
    if (!isSameDatabase(origin)) return move(rows, origin.current)
    await rows.origin.record(origin.current)
    return null
  }

  function report(moved: CounterMove | null): void {
    if (moved === null || moved.viewingKeys === 0) return
    log.warn(
      moved,
      'this database is a restored copy, a promoted standby or new to this version: ' +
        'the address counters of all viewing keys were moved on, so that no address is used twice',
    )
  }

  function warnOfUnknown(identity: string): void {
    const unknown = unknownParts(identity)
    if (unknown.length === 0) return
    log.warn(
      { unknown },
      'the database server does not tell its whole identity: run `zatgate restored` after every restore and fail-over',
    )
  }

  return {
    async check() {
      const origin = await store.glance(rows => rows.origin.read())
      warnOfUnknown(origin.current)
      if (origin.recorded !== origin.current) report(await store.write(moveCopy))
    },

    async begin() {
      await store.write(rows => rows.viewingKeys.moveOn(() => startStepOf(random.bytes(STEP_BYTES)), 0))
    },

    async write(work) {
      const { result, moved } = await store.write(async rows => {
        const moved = isSameDatabase(await rows.origin.read()) ? null : await moveCopy(rows)
        return { result: await work(rows), moved }
      })
      report(moved)
      return result
    },

    moveCounters: () => store.write(async rows => move(rows, (await rows.origin.lock()).current)),

    async isCopy() {
      const origin = await store.read(async rows => ({
        ...(await rows.origin.read()),
        keys: await rows.viewingKeys.all(),
      }))
      return origin.keys.length > 0 && !isSameDatabase(origin)
    },
  }
}
