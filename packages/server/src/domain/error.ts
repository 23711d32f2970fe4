/**
 * The one shape of everything that can be wrong with a request or a neighbour: a stable `code` and a `message` that
 * anyone may read, and a `cause` that only the log sees.
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
  /** Members that go beside `code` and `message` in the error body. Public. */
  readonly extra?: Readonly<Record<string, string | number | null>>
  /** Seconds until a retry can succeed; becomes `Retry-After`. */
  readonly retryAfterSecs?: number
  /** Private: logged, never sent. */
  readonly cause?: unknown
}

export class Fault extends Error {
  readonly kind: FaultKind
  readonly code: string
  readonly extra: Readonly<Record<string, string | number | null>>
  readonly retryAfterSecs: number | undefined

  constructor(kind: FaultKind, code: string, message: string, options: FaultOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.kind = kind
    this.code = code
    this.extra = options.extra ?? {}
    this.retryAfterSecs = options.retryAfterSecs
  }
}

/** `no such invoice` → `no_such_invoice`: the code of a fault whose message says it all. */
export function codeOf(message: string): string {
  return message
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}

/** A field that is missing, of the wrong type or out of range. `detail` says what would be right. */
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
