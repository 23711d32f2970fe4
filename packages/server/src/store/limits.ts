import { Fault } from '../domain/error.ts'

export interface StoreLimits {
  /** Use cases in one commit. */
  readonly batch: number
  /** Use cases that wait for their turn; beyond, a caller is turned away. */
  readonly waiting: number
  /** Milliseconds that one use case may take. */
  readonly workMs: number
  /** Milliseconds to wait for another process's write lock, or for a free connection. */
  readonly lockMs: number
  /** Connections that read (SQLite), or all of them (PostgreSQL). */
  readonly connections: number
  /** Times that PostgreSQL's deadlocks and serialisation failures are tried. */
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

export function overloaded(): Fault {
  return new Fault('unavailable', 'overloaded', 'service unavailable', {
    retryAfterSecs: 1,
    cause: 'too many use cases wait for the database',
  })
}

export function closing(): Fault {
  return new Fault('unavailable', 'closing', 'service unavailable', { cause: 'the store is closed' })
}
