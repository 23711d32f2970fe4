/**
 * The errors of the API, for invalid requests and for failed external services. `code` is stable; `code` and `message`
 * are public, `cause` is only logged.
 */
export type FaultKind =
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

export interface FaultOptions {
  /** Public members of the error body besides `code` and `message`. */
  readonly extra?: Readonly<Record<string, string | number | null>>
  /** Seconds until a retry can succeed, sent as `Retry-After`. */
  readonly retryAfterSecs?: number
  /** Logged, never sent. */
  readonly cause?: unknown
}

export class Fault extends Error {
  readonly kind: FaultKind
  readonly code: string
  readonly extra: Readonly<Record<string, string | number | null>>
  readonly retryAfterSecs: number | undefined

  constructor(kind: FaultKind, code: string, message: string, options: FaultOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.kind = kind
    this.code = code
    this.extra = options.extra ?? {}
    this.retryAfterSecs = options.retryAfterSecs
  }
}

/** Derives an error code from a message: `no such invoice` → `no_such_invoice`. */
export function codeOf(message: string): string {
  return message
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}

/** The error for a field that is missing, of the wrong type or out of range. `detail` describes valid values. */
export function invalidField(field: string, detail?: string): Fault {
  return new Fault(
    'invalid',
    `invalid_${codeOf(field)}`,
    `invalid ${field}`,
    detail === undefined ? {} : { extra: { detail } },
  )
}

export function noSuch(noun: string): Fault {
  return new Fault('not_found', `no_such_${codeOf(noun)}`, `no such ${noun}`)
}
