import type { Owner } from '../runtime/scheduler.ts'
import type { RefusesRow } from './refused-rows.ts'

/** A step that the store is about to take, or has taken. */
export interface StoreStep {
  readonly process: Owner
  readonly kind: 'begin' | 'statement' | 'commit' | 'rollback'
  readonly sql?: string
  /** How many rows the statement has returned. Set after it. */
  readonly rows?: number
}

/** The scheduler, the injected failures and the judge, as a simulated database sees them. */
export interface StoreHooks {
  /** Awaited before a step. Throws to inject a failure: the step is not made. */
  before(step: StoreStep): Promise<void> | undefined
  /** Throws to inject a failure of a step that cannot wait. */
  fail(step: StoreStep): void
  /** Awaited after a step. Throws to inject a failure: the step was made, but the caller does not learn it. */
  after(step: StoreStep): Promise<void> | undefined
  /**
   * Called right after each commit that changed something.
   * @param useCases the number of use cases that it contains, at least
   * @param tables the tables that it changed
   */
  onCommit(process: Owner, useCases: number, tables: ReadonlySet<string>): void
  /** Default: no row is refused. */
  readonly refuses?: RefusesRow
}

/** The failure that SQLite reports for a disk that does not respond. */
export function diskError(): Error {
  return Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 })
}
