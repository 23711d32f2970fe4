import {
  COUNTER_STEP_BYTES,
  copyStep,
  eventSkip,
  isSameDatabase,
  startStep,
  unknownParts,
  watchUntilAfterCopy,
} from '../domain/database-identity.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { Store, Tx } from '../ports/store.ts'
import { recordCommand } from './account/audit.ts'

/** The result of advancing the address counters. */
export interface CounterAdvance {
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
export interface DatabaseIdentity {
  /** Advances the counters if this database is a copy. Must be called before any other service. */
  advanceCountersIfCopy(): Promise<void>
  /**
   * Advances the counters by a small random step. Each process that reserves addresses calls it at its start, because an
   * exact copy cannot be detected.
   */
  advanceCountersAtStart(): Promise<void>
  /** As `Store.write`, and runs `check` at the beginning of the same transaction. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Advances the counters unconditionally, for a copy that cannot be detected: the operator's command. */
  advanceCounters(): Promise<CounterAdvance>
  /** Whether the next `check` would advance the counters. Read-only. */
  isCopy(): Promise<boolean>
}

export function createDatabaseIdentity(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly lateWatchDays: number
  readonly log: Log
}): DatabaseIdentity {
  const { store, clock, random, lateWatchDays, log } = deps

  async function advance(tx: Tx, identity: string): Promise<CounterAdvance> {
    const watchedUntil = watchUntilAfterCopy(nowSecs(clock), lateWatchDays)
    const viewingKeys = await tx.viewingKeys.advanceAllIndexes(
      () => copyStep(random.bytes(COUNTER_STEP_BYTES)),
      watchedUntil,
    )
    await tx.events.skipNumbers(eventSkip(clock.nowMs(), random.bytes(COUNTER_STEP_BYTES)))
    await tx.databaseIdentity.record(identity)
    return { viewingKeys, watchedUntil }
  }

  /** Takes a lock, so that only one of several processes advances the counters of a copy. */
  async function advanceIfCopy(tx: Tx): Promise<CounterAdvance | null> {
    const state = await tx.databaseIdentity.lock()
    if (!isSameDatabase(state)) return advance(tx, state.current)
    await tx.databaseIdentity.record(state.current)
    return null
  }

  function report(advanced: CounterAdvance | null): void {
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
    async advanceCountersIfCopy() {
      const state = await store.query(tx => tx.databaseIdentity.read())
      warnAboutUnknownParts(state.current)
      if (state.recorded !== state.current) report(await store.write(advanceIfCopy))
    },

    async advanceCountersAtStart() {
      await store.write(tx => tx.viewingKeys.advanceAllIndexes(() => startStep(random.bytes(COUNTER_STEP_BYTES)), 0))
    },

    async write(work) {
      const { result, advanced } = await store.write(async tx => {
        const advanced = isSameDatabase(await tx.databaseIdentity.read()) ? null : await advanceIfCopy(tx)
        return { result: await work(tx), advanced }
      })
      report(advanced)
      return result
    },

    advanceCounters: () =>
      store.write(async tx => {
        await recordCommand(tx, { accountId: null, kind: 'counters_advanced', at: nowSecs(clock) })
        return advance(tx, (await tx.databaseIdentity.lock()).current)
      }),

    async isCopy() {
      const state = await store.read(async tx => ({
        ...(await tx.databaseIdentity.read()),
        keys: await tx.viewingKeys.list(),
      }))
      return state.keys.length > 0 && !isSameDatabase(state)
    },
  }
}
