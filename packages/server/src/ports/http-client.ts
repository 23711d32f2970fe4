/** An HTTP client with bounds on time and size. An instance for URLs of users connects only to public addresses. */
export interface HttpClient {
  /**
   * Redirects are returned, not followed. A request may arrive twice: one on a kept connection that ends without a
   * response is sent again on a new one. @throws HttpClientError for every failure
   */
  send(request: HttpRequest): Promise<HttpResponse>
  /** Aborts pending requests and closes idle connections. */
  close(): void
}

/** An outbound request with its bounds on time and size. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** Absolute, http or https. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Time limit from the DNS lookup to the last byte of the response. */
  readonly deadlineMs: number
  /** A response with a larger body fails with `too_large`. */
  readonly maxBytes: number
  /** Bytes of the body to keep; the rest is read and discarded. Default: the whole body. */
  readonly keepBytes?: number
  readonly signal?: AbortSignal
}

/** A complete response of any status. */
export interface HttpResponse {
  readonly status: number
  /** Names in lower case. Repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The received bytes, without decompression. */
  readonly body: Uint8Array
}

/** Why a request failed. */
export type HttpClientFailure =
  /** The URL is not allowed: its scheme, or an address that is not public. */
  | 'refused'
  /** The host name does not resolve. */
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  /** The connection ended before the response was complete. */
  | 'reset'
  | 'timeout'
  | 'not_http'
  | 'too_large'
  | 'aborted'

/** A failed request. The message may be shown to the owner of the URL. */
export class HttpClientError extends Error {
  readonly failure: HttpClientFailure
  /** The response as far as it was received: its head and the kept part of the body. Null without a head. */
  readonly partial: HttpResponse | null

  constructor(failure: HttpClientFailure, message: string, partial: HttpResponse | null = null) {
    super(message)
    this.name = 'HttpClientError'
    this.failure = failure
    this.partial = partial
  }
}
