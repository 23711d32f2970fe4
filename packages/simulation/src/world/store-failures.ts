import type { Owner, Scheduler } from '../runtime/scheduler.ts'
import { diskError, type StoreHooks, type StoreStep } from '../store/hooks.ts'
import { writtenTables } from '../store/table-names.ts'

/** Probabilities of the failures of the database, set by the actions. */
export interface StoreFailures {
  /** A statement fails. */
  statement: number
  /** A commit fails, and nothing is written. */
  commit: number
  /** A commit succeeds, and its response is lost. */
  unknown: number
  /** How a single commit fails, after `nextIn` others. */
  next: 'commit' | 'unknown' | null
  nextIn: number
  /** The response of the next commit that has changed this table is lost. */
  lostCommitTo: string | null
  /** Writes that reach the database late, while other transactions go on. */
  late: LateWrites | null
}

export interface LateWrites {
  readonly table: string
  readonly ms: number
  /** How many writes will be late. */
  count: number
}

export const NO_FAILURES: StoreFailures = {
  statement: 0,
  commit: 0,
  unknown: 0,
  next: null,
  nextIn: 0,
  lostCommitTo: null,
  late: null,
}

/**
 * Lets the scheduler switch tasks at each step of the database, and injects the failures.
 * @param onFailure called before each injected failure
 */
export function createStoreHooks(
  scheduler: Scheduler,
  failures: StoreFailures,
  onCommit: StoreHooks['onCommit'],
  onFailure: () => void,
): StoreHooks {
  const isDrawn = (probability: number) => probability > 0 && scheduler.draw.chance(probability)

  /** Whether this commit is the single one that fails in this way. */
  function isNext(failure: 'commit' | 'unknown'): boolean {
    if (failures.next !== failure || failures.nextIn-- > 0) return false
    failures.next = null
    return true
  }

  function injectFailure(): never {
    onFailure()
    throw diskError()
  }

  function fail({ kind }: StoreStep): void {
    if (kind === 'statement' && isDrawn(failures.statement)) injectFailure()
    if (kind === 'commit' && (isDrawn(failures.commit) || isNext('commit'))) injectFailure()
  }

  async function delay({ sql = '' }: StoreStep): Promise<void> {
    const { late } = failures
    if (!late || !writtenTables(sql).includes(late.table)) return
    onFailure()
    late.count -= 1
    if (late.count === 0) failures.late = null
    await new Promise<void>(resolve => scheduler.startTimer(late.ms, resolve))
  }

  /** The process whose commit has just succeeded, and whose response is lost. */
  let uninformed: Owner | null = null

  return {
    fail,
    async before(step) {
      await scheduler.pause()
      if (failures.late !== null) await delay(step)
      fail(step)
    },
    async after({ kind, process }) {
      const isLost = kind === 'commit' && uninformed === process
      if (isLost) uninformed = null
      await scheduler.pause()
      if (kind === 'commit' && (isLost || isDrawn(failures.unknown) || isNext('unknown'))) injectFailure()
    },
    onCommit(process, useCases, tables) {
      if (failures.lostCommitTo !== null && tables.has(failures.lostCommitTo)) {
        failures.lostCommitTo = null
        uninformed = process
      }
      onCommit(process, useCases, tables)
    },
  }
}
