/**
 * The errors of the API, for invalid requests and for failed external services. `code` is stable; `code` and `message`
 * are public, `cause` is only logged.
 */
export type AppErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported_type'
  | 'too_many'
  | 'internal'
  | 'bad_gateway'
  | 'unavailable'

export interface AppErrorOptions {
  /** Public members of the error body besides `code` and `message`. */
  readonly extra?: Readonly<Record<string, string | number | null>>
  /** Seconds until a retry can succeed, sent as `Retry-After`. */
  readonly retryAfterSecs?: number
  /** Logged, never sent. */
  readonly cause?: unknown
}

export class AppError extends Error {
  readonly kind: AppErrorKind
  readonly code: string
  readonly extra: Readonly<Record<string, string | number | null>>
  readonly retryAfterSecs: number | undefined

  constructor(kind: AppErrorKind, code: string, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.kind = kind
    this.code = code
    this.extra = options.extra ?? {}
    this.retryAfterSecs = options.retryAfterSecs
  }
}

/** The database refuses every write: the connection leads to a standby, or the database is set to read-only. */
export class ReadOnlyDatabaseError extends AppError {
  constructor() {
    super('unavailable', 'database_unavailable', 'service unavailable', { cause: READ_ONLY_DATABASE })
  }
}

export const READ_ONLY_DATABASE = 'the database is read-only: a standby, or default_transaction_read_only is on'

/** Derives an error code from a message: `no such invoice` → `no_such_invoice`. */
export function errorCodeOf(message: string): string {
  return message
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}

/** The error for a field that is missing, of the wrong type or out of range. `detail` describes valid values. */
export function invalidField(field: string, detail?: string): AppError {
  return new AppError(
    'invalid',
    `invalid_${errorCodeOf(field)}`,
    `invalid ${field}`,
    detail === undefined ? {} : { extra: { detail } },
  )
}

export function notFound(noun: string): AppError {
  return new AppError('not_found', `no_such_${errorCodeOf(noun)}`, `no such ${noun}`)
}
