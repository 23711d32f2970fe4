/** HTTP to addresses that others chose: only to public ones, and never longer or more than the caller allows. */
export interface Outbound {
  /** @throws OutboundError, and nothing else */
  send(request: OutboundRequest): Promise<OutboundAnswer>
  /** Gives up what is under way, and the idle connections. */
  close(): void
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST'
  /** Absolute, http or https. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** From the look-up of the name to the last byte of the answer. */
  readonly deadlineMs: number
  /** An answer with a larger body fails. */
  readonly maxBytes: number
  /** So much of the body is kept, the rest read and dropped. Default: all of it. */
  readonly keepBytes?: number
  readonly signal?: AbortSignal
}

export interface OutboundAnswer {
  /** Redirects are answers like any other: nothing follows them. */
  readonly status: number
  /** Names in lower case; several of one name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** As it came, never decompressed. */
  readonly body: Uint8Array
}

export type OutboundFailure =
  /** The URL may not be called: its scheme, or an address that is not public. */
  | 'refused'
  /** The name has no address. */
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  /** The connection ended before the answer did. */
  | 'reset'
  | 'timeout'
  | 'not_http'
  | 'too_large'
  | 'aborted'

/** Why there is no answer, in words that the owner of the URL may read. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure
  /** What there was of an answer: its head, and the body as far as it came and is kept. */
  readonly partial: OutboundAnswer | null

  constructor(failure: OutboundFailure, message: string, partial: OutboundAnswer | null = null) {
    super(message)
    this.name = 'OutboundError'
    this.failure = failure
    this.partial = partial
  }
}
