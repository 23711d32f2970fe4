import type { ErrorBody } from './wire.ts'

/** Codes of failures that are not the server's word; with all but the last, `status` is 0. */
export type ClientFailure = 'network_error' | 'timeout' | 'aborted' | 'invalid_response'

/** What every failed call rejects with. */
export class ZatgateError extends Error {
  /** The HTTP status, or 0 when no answer came. */
  readonly status: number
  /** The stable code of the error body (`no_such_invoice`), or a ClientFailure. */
  readonly code: string
  /** The whole error body where there was a readable one. */
  readonly body: ErrorBody | null
  /** Seconds after which the server said to come again. */
  readonly retryAfterSecs: number | null

  constructor(
    status: number,
    code: string,
    message: string,
    options: { body?: ErrorBody; retryAfterSecs?: number | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ZatgateError'
    this.status = status
    this.code = code
    this.body = options.body ?? null
    this.retryAfterSecs = options.retryAfterSecs ?? null
  }
}
