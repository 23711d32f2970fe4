import type { ErrorBody } from './wire.ts'

/** Error codes set by the client, not by the server. `status` is 0, except possibly with `invalid_response`. */
export type ClientFailure = 'network_error' | 'timeout' | 'aborted' | 'invalid_response'

/** The error of every failed call. */
export class ZatgateError extends Error {
  /** The HTTP status, or 0 without a response. */
  readonly status: number
  /** The stable code of the error body (such as `no_such_invoice`), or a ClientFailure. */
  readonly code: string
  /** The error body, or null when it was absent or invalid. */
  readonly body: ErrorBody | null
  /** The page of the service that shows what the code means and what to do, or null. */
  readonly docUrl: string | null
  /** The `Retry-After` header in seconds, or null. */
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
    this.docUrl = options.body?.doc_url ?? null
    this.retryAfterSecs = options.retryAfterSecs ?? null
  }
}
