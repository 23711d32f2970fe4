/** An error of the API as the document describes it. */
export interface ApiError {
  readonly status: number
  /** The exact message, or an example of it where `varies`. */
  readonly message: string
  readonly when: string
  /** The message contains what the request or its state determines. */
  readonly varies?: true
  /** Members of the body besides code, message and detail. */
  readonly extra?: Readonly<Record<string, string | number>>
  readonly detail?: string
  /** The code in the body, if the name in this table differs. */
  readonly code?: string
}

const UNAVAILABLE = { status: 503, message: 'service unavailable' } as const
const RECENT = 'enter a new code in the dashboard, or use a session token issued for scripts'

/** Every error with its own code. `invalid_<field>` is derived from the fields of an operation. */
export const API_ERRORS = {
  bad_request: { status: 400, message: 'bad request', when: 'The request is malformed HTTP.' },
  invalid_json: { status: 400, message: 'invalid json', when: 'The body is empty, no JSON, or no object.' },
  unknown_field: {
    ...{ status: 400, message: 'unknown field amount', varies: true },
    when: 'The body has a field that the operation does not have.',
    detail: 'one of amount_zat, expires_in_secs',
  },
  unknown_parameter: {
    ...{ status: 400, message: 'unknown parameter page', varies: true },
    when: 'The URL has a query parameter that the operation does not have.',
    detail: 'this endpoint has no parameters',
  },
  invalid_text: { status: 400, message: 'invalid text', when: 'A text contains a NUL character.' },
  viewing_key_not_set: { status: 400, message: 'viewing key not set', when: 'The account has no viewing key.' },
  refund_to_required: { status: 400, message: 'refund_to required', when: 'The refund address is missing or empty.' },
  unsupported_asset_id: { status: 400, message: 'unsupported asset_id', when: 'The asset is not in the list.' },
  swap_refused: {
    ...{ status: 400, message: 'recipient is not valid', varies: true },
    when: "The swap provider refuses the quote. The message is the provider's own.",
  },
  unknown_plan: {
    ...{ status: 400, message: 'unknown plan', when: 'The service sells no plan of this name.' },
    detail: 'one of Free, Pro, Business',
  },
  missing_api_key: { status: 401, message: 'missing api key', when: 'The request has no `Authorization` header.' },
  bad_api_key: { status: 401, message: 'bad api key', when: 'The key is unknown or revoked, or is no API key.' },
  missing_session_token: {
    ...{ status: 401, message: 'missing session token' },
    when: 'The request has no `Authorization` header.',
  },
  bad_session_token: {
    ...{ status: 401, message: 'bad session token' },
    when: 'The token is unknown, expired or ended, or is no session token.',
  },
  monthly_invoice_limit_reached: {
    ...{ status: 402, message: 'monthly invoice limit reached for the Free plan', varies: true },
    when: 'The account has created as many invoices this month as its plan allows.',
    extra: { limit: 50, used: 50, plan: 'Free', resets_at: 1796083200 },
  },
  recent_sign_in_required: {
    ...{ status: 403, message: 'recent sign-in required', detail: RECENT },
    when: 'The token began in a browser, where no code was entered in the last ten minutes.',
  },
  no_such_invoice: { status: 404, message: 'no such invoice', when: 'The id is unknown.' },
  no_such_api_key: { status: 404, message: 'no such api key', when: 'The account has no API key with this id.' },
  no_such_session: { status: 404, message: 'no such session', when: 'The account has no session with this id.' },
  no_such_delivery: { status: 404, message: 'no such delivery', when: 'The account has no delivery with this id.' },
  no_such_withdrawal: {
    ...{ status: 404, message: 'no such withdrawal' },
    when: 'The account has no withdrawal with this id.',
  },
  webhook_not_set: { status: 404, message: 'webhook not set', when: 'The account has no webhook.' },
  webhook_required: {
    ...{ status: 409, code: 'webhook_not_set', message: 'webhook not set' },
    when: 'The account has no webhook.',
  },
  invoice_not_pending: {
    ...{ status: 409, message: 'invoice is not pending' },
    when: 'The invoice is detected, paid, underpaid or expired.',
  },
  swap_in_progress: {
    ...{ status: 409, message: 'a swap is already in progress (PROCESSING)', varies: true },
    when: 'The swap provider has seen a deposit to the present swap.',
  },
  idempotency_key_reused: {
    ...{ status: 409, message: 'idempotency key reused' },
    when: 'The `Idempotency-Key` was used within 24 hours with another body.',
  },
  account_being_deleted: {
    ...{ status: 409, message: 'account is being deleted' },
    when: 'The owner has requested the deletion of the account.',
    detail: 'to change it, keep the account first: sign in to the dashboard and open Settings',
  },
  viewing_key_expired: {
    ...{ status: 409, message: 'viewing key expired' },
    when: 'The viewing key (ZIP 316 Revision 2) has expired.',
    detail: 'the viewing key expired on 2026-11-01T00:00:00Z: set another viewing key',
  },
  viewing_key_expires_too_soon: {
    ...{ status: 409, message: 'viewing key expires too soon' },
    when: 'The viewing key would expire before the invoice.',
    detail:
      'the viewing key expires on 2026-11-01T00:00:00Z, before the invoice would: set another viewing key, or a shorter expires_in_secs',
  },
  viewing_key_exhausted: {
    ...{ status: 409, message: 'the viewing key has no unused address left: set another viewing key' },
    when: 'All addresses of the viewing key were used.',
  },
  too_many_watched_keys: {
    ...{ status: 409, message: 'too many watched viewing keys' },
    when: 'The account has as many watched viewing keys as its plan allows.',
    extra: { limit: 5, plan: 'Free' },
  },
  watched_key_capacity_reached: {
    ...{ status: 409, message: 'watched viewing key limit of this service reached' },
    when: 'The service watches as many viewing keys as it can.',
  },
  too_many_api_keys: {
    ...{
      status: 409,
      message: 'too many api keys',
      detail: 'an account can have at most 100 active API keys: revoke one first',
    },
    when: 'The account has 100 active API keys.',
  },
  webhook_removed: {
    ...{ status: 409, message: 'webhook removed at the same time: try again' },
    when: 'Another request removed the webhook meanwhile.',
  },
  billing_not_configured: {
    ...{ status: 409, message: 'billing not configured' },
    when: 'The operator of the service has set no viewing key for billing.',
  },
  plan_never_ends: {
    ...{ status: 409, message: 'plan never ends' },
    when: 'The plan of the account has no end date, so it cannot be renewed.',
  },
  withdrawal_not_cancelable: {
    ...{ status: 409, message: 'withdrawal not cancelable', detail: 'the order is completed' },
    when: 'A deposit has arrived, or the withdrawal has ended.',
  },
  body_too_large: { status: 413, message: 'body too large', when: 'The body has more than 64 KiB.' },
  unsupported_media_type: {
    ...{ status: 415, message: 'unsupported media type', detail: 'send Content-Type: application/json' },
    when: 'The body is not sent as JSON.',
  },
  upgrade_required: {
    ...{ status: 426, message: 'upgrade required', detail: 'open this URL as a WebSocket' },
    when: 'The request does not open a WebSocket.',
  },
  too_many_requests: {
    ...{ status: 429, message: 'too many requests' },
    when: 'The client or the account has sent too many requests.',
  },
  export_in_progress: {
    ...{ status: 429, message: 'another export of this account is in progress' },
    when: 'An export of the account is not read to its end yet.',
  },
  too_many_changes: {
    ...{ status: 429, message: 'too many changes, try again later' },
    when: 'The session has changed the account 1,000 times in a day, or 200 times since its last code.',
  },
  too_many_orders: {
    ...{ status: 429, message: 'too many orders, try again later' },
    when: 'The account has created too many orders in a short time.',
  },
  too_many_swap_requests: {
    ...{ status: 429, message: 'too many swap requests, try again later' },
    when: 'More than 5 requests for one invoice in 10 minutes.',
  },
  too_many_deliveries: {
    ...{ status: 429, message: 'too many deliveries are waiting, try again later' },
    when: 'Too many deliveries of the account wait to be sent.',
  },
  too_many_websockets_of_client: {
    ...{ status: 429, message: 'too many websockets of one client' },
    when: 'The client has as many open WebSockets as one client may have.',
  },
  internal_error: { status: 500, message: 'internal error', when: 'A fault of the service.' },
  swap_provider_unavailable: {
    ...{ status: 502, message: 'swap provider unavailable' },
    when: 'The swap provider does not respond, or its response cannot be verified.',
  },
  overloaded: { ...UNAVAILABLE, when: 'Too many requests wait for the database.' },
  database_unavailable: { ...UNAVAILABLE, when: 'The database does not respond.' },
  timed_out: { ...UNAVAILABLE, when: 'The database took too long.' },
  closing: { ...UNAVAILABLE, when: 'This process is being stopped.' },
  viewer_unavailable: { ...UNAVAILABLE, when: 'Too many viewing keys or addresses wait to be computed.' },
  too_many_websockets: {
    ...{ status: 503, message: 'too many websockets' },
    when: 'The service has as many open WebSockets as it can have.',
  },
  rate_unavailable: { status: 503, message: 'rate unavailable', when: 'There is no recent exchange rate.' },
} as const satisfies Readonly<Record<string, ApiError>>

export type ApiErrorName = keyof typeof API_ERRORS

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The errors of the operation besides those that follow from its schema, its authentication and its rate limits. */
    errors?: readonly ApiErrorName[]
  }
}

/** Errors with a `Retry-After` header. */
export const RETRIED_STATUSES: readonly number[] = [429, 503]

/** Errors of all operations that use the database. */
export const COMMON_ERRORS: readonly ApiErrorName[] = [
  'internal_error',
  'overloaded',
  'database_unavailable',
  'timed_out',
  'closing',
]
