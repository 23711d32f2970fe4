import { AppError } from '../domain/error.ts'

export interface StoreLimits {
  /** Most use cases in one commit. */
  readonly maxBatch: number
  /** Most use cases that wait. Further calls fail with `overloaded`. */
  readonly maxWaiting: number
  /** Time limit of one use case, in milliseconds. */
  readonly transactionTimeoutMs: number
  /** Time limit for another process's write lock, or for a free connection, in milliseconds. */
  readonly lockTimeoutMs: number
  /** Most read connections (SQLite), or most connections (PostgreSQL). */
  readonly maxConnections: number
  /** Most attempts of a use case that fails with a PostgreSQL deadlock or serialisation failure. */
  readonly maxAttempts: number
}

export const DEFAULT_LIMITS: StoreLimits = {
  maxBatch: 128,
  maxWaiting: 10_000,
  transactionTimeoutMs: 10_000,
  lockTimeoutMs: 5_000,
  maxConnections: 10,
  maxAttempts: 12,
}

/** Too many callers wait. */
export function overloadedError(): AppError {
  return new AppError('overloaded', { cause: 'too many use cases are waiting for the database' })
}

/** The store is closing or closed. */
export function closingError(): AppError {
  return new AppError('closing', { cause: 'the store is closed' })
}
