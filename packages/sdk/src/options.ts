import type { ZatgateError } from './error.ts'
import type { CreateApiKeyRequest, WebhookEvent } from './wire.ts'

/** Options of the ZatgateClient constructor. */
export interface ClientOptions {
  /** URL of the service, such as `https://pay.example.org`. */
  readonly baseUrl: string
  /** Needed to create invoices. Keep it on your server. */
  readonly apiKey?: string
  /** Needed for calls about the account. Keep it on your server. */
  readonly sessionToken?: string
  /** Timeout of one attempt in milliseconds, including the response body. Default 10,000. */
  readonly timeoutMs?: number
  /** Maximum retries of a call that is safe to repeat. Default 2. */
  readonly retries?: number
  /** The `fetch` to use. Default: the global one. */
  readonly fetch?: typeof fetch
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call: it rejects with the code `aborted`. */
  readonly signal?: AbortSignal
}

/** Options of `createApiKey`: the members of the request without the name. */
export interface CreateApiKeyOptions extends CallOptions, Omit<CreateApiKeyRequest, 'name'> {}

/** Options of calls that create an invoice, a refund, a plan purchase or a withdrawal. */
export interface CreateOptions extends CallOptions {
  /**
   * Calls with the same key and body within 24 hours return the same response. Use your order id, so that a crash
   * between the call and your own record of it cannot create a duplicate. 1 to 255 printable characters. Default: random.
   */
  readonly idempotencyKey?: string
}

/** Options of `events.follow`. */
export interface FollowOptions {
  /** The `seq` of the last event that was handled. Default: from the oldest that is kept, 90 days back. */
  readonly after?: number
  /** Default: all types. */
  readonly types?: readonly WebhookEvent['type'][]
  /** Aborts: the loop ends without an error. */
  readonly signal?: AbortSignal
  /** Called after each failed request that is repeated, with the pause before that in milliseconds. */
  readonly onRetry?: (error: ZatgateError, pauseMs: number) => void
}
