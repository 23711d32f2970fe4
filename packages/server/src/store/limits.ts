import { Fault } from '../domain/error.ts'

export interface StoreLimits {
  /** Most use cases in one commit. */
  readonly batch: number
  /** Most use cases that wait. Further calls fail with `overloaded`. */
  readonly waiting: number
  /** Time limit of one use case, in milliseconds. */
  readonly workMs: number
  /** Time limit for another process's write lock, or for a free connection, in milliseconds. */
  readonly lockMs: number
  /** Most read connections (SQLite), or most connections (PostgreSQL). */
  readonly connections: number
  /** Most attempts of a use case that fails with a PostgreSQL deadlock or serialisation failure. */
  readonly attempts: number
}

export const USUAL_LIMITS: StoreLimits = {
  batch: 128,
  waiting: 10_000,
  workMs: 10_000,
  lockMs: 5_000,
  connections: 10,
  attempts: 12,
}

/** Too many callers wait. */
export function overloaded(): Fault {
  return new Fault('unavailable', 'overloaded', 'service unavailable', {
    retryAfterSecs: 1,
    cause: 'too many use cases are waiting for the database',
  })
}

/** The store is closing or closed. */
export function closing(): Fault {
  return new Fault('unavailable', 'closing', 'service unavailable', { cause: 'the store is closed' })
}
