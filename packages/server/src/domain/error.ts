import { ERRORS, type ErrorKind, type ErrorRow } from './error-table.ts'

type ErrorName = keyof typeof ERRORS

/** Errors whose text contains a value. */
type VaryingErrorName = {
  [N in ErrorName]: (typeof ERRORS)[N]['text'] extends `${string}…${string}` ? N : never
}[ErrorName]

/** The code of a field that is not valid, such as `invalid_confirmations`. */
type InvalidFieldCode = `invalid_${string}`

type FixedErrorName = Exclude<ErrorName, VaryingErrorName>

/** Errors of objects that do not exist. */
export type NoSuchError = Extract<FixedErrorName, `no_such_${string}`>

interface AppErrorOptions {
  /** Describes valid values, or what to do. Default: that of the table. */
  readonly detail?: string | undefined
  /** Public members of the error body other than `code`, `message` and `detail`. */
  readonly extra?: Readonly<Record<string, string | number | null>>
  /** Seconds until a retry can succeed, sent as `Retry-After`. */
  readonly retryAfterSecs?: number | undefined
  /** Logged, never sent. */
  readonly cause?: unknown
}

interface VaryingErrorOptions extends AppErrorOptions {
  /** Replaces `…` in the text. */
  readonly value: string
  /** Default: the name of the error. */
  readonly code?: InvalidFieldCode
}

/** When a request that the service could not handle may be repeated. */
const RETRY_SECS = 1

/**
 * An error of the table, for invalid requests and for failed external services. `code` is stable; `code` and `message`
 * are public, `cause` is only logged.
 */
export class AppError extends Error {
  readonly kind: ErrorKind
  readonly code: ErrorName | InvalidFieldCode
  readonly extra: Readonly<Record<string, string | number | null>>
  readonly retryAfterSecs: number | undefined

  constructor(name: VaryingErrorName, options: VaryingErrorOptions)
  constructor(name: FixedErrorName, options?: AppErrorOptions)
  constructor(name: ErrorName, options: AppErrorOptions & Partial<VaryingErrorOptions> = {}) {
    const row: ErrorRow = ERRORS[name]
    const { value, code, detail = row.detail, extra } = options
    super(value === undefined ? row.text : row.text.replace('…', () => value), { cause: options.cause })
    this.name = 'AppError'
    this.kind = row.kind
    this.code = code ?? row.code ?? name
    this.extra = detail === undefined ? (extra ?? {}) : { detail, ...extra }
    this.retryAfterSecs = options.retryAfterSecs ?? (row.kind === 'unavailable' ? RETRY_SECS : undefined)
  }
}

/** The database refuses every write: the server is a standby, or the database is set to read-only. */
export class ReadOnlyDatabaseError extends AppError {
  constructor() {
    super('database_unavailable', { cause: READ_ONLY_DATABASE })
  }
}

export const READ_ONLY_DATABASE = 'the database is read-only: a standby, or default_transaction_read_only is on'

/** The error for a field that is missing, of the wrong type or out of range. `detail` describes valid values. */
export function invalidField(field: string, detail?: string): AppError {
  return new AppError('invalid_field', { value: field, code: invalidFieldCode(field), detail })
}

/** `Idempotency-Key` → `invalid_idempotency_key` */
export function invalidFieldCode(field: string): InvalidFieldCode {
  return `invalid_${field.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`
}
