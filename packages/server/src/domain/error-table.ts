/** The kinds of errors. Each has its own status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported_type'
  | 'upgrade_required'
  | 'too_many'
  | 'headers_too_large'
  | 'internal'
  | 'bad_gateway'
  | 'unavailable'

export type ErrorRow = InternalError & Partial<ApiError>

/** An error that only pages and commands show. */
interface InternalError {
  readonly kind: ErrorKind
  /** The exact message. `…` stands for a value of the request or of its state. */
  readonly text: string
  /** The public member `detail`, unless the thrower passes another. */
  readonly detail?: string
}

/** An error of the API. The OpenAPI document, the reference and docs/errors.md describe it. */
export interface ApiError extends InternalError {
  /** A sentence. */
  readonly when: string
  /** The remedy: one or more sentences. */
  readonly fix: string
  /** The code in the body, if the key in this table differs. */
  readonly code?: 'webhook_not_set'
  /** Values for the example of a body: that of `…`, and members that the thrower computes. */
  readonly example?: {
    readonly value?: string
    readonly detail?: string
    readonly extra?: Readonly<Record<string, string | number>>
  }
}

type ApiErrors = Readonly<Record<string, ApiError>>

const REQUESTS = {
  invalid_json: {
    kind: 'invalid',
    text: 'invalid json',
    when: 'The body is empty, no JSON, or no object.',
    fix: 'Send a JSON object in UTF-8.',
  },
  unknown_field: {
    kind: 'invalid',
    text: 'unknown field …',
    when: 'The body has a field that the operation does not have.',
    fix: '`detail` lists the fields. Put your own data into the `metadata` of an invoice, or keep it in your database by invoice id.',
    example: { value: 'amount', detail: 'one of amount_zat, expires_in_secs' },
  },
  unknown_parameter: {
    kind: 'invalid',
    text: 'unknown parameter …',
    when: 'The URL has a query parameter that the operation does not have.',
    fix: '`detail` lists the parameters.',
    example: { value: 'page', detail: 'this endpoint has no parameters' },
  },
  invalid_text: {
    kind: 'invalid',
    text: 'invalid text',
    when: 'A text contains a NUL character.',
    fix: 'Remove the character.',
    detail: 'no NUL characters',
  },
  invalid_field: {
    kind: 'invalid',
    text: 'invalid …',
    when: 'A field or parameter is missing, malformed or out of range. The code names it, such as `invalid_confirmations`.',
    fix: '`detail` says what is accepted.',
    example: { value: 'confirmations', detail: '1 to 100' },
  },
  body_too_large: {
    kind: 'too_large',
    text: 'body too large',
    when: 'The body has more than 64 KiB, or a logo more than 1 MiB.',
    fix: 'Send a smaller body.',
  },
  unsupported_media_type: {
    kind: 'unsupported_type',
    text: 'unsupported media type',
    when: 'The body is not sent as JSON.',
    fix: 'Send `Content-Type: application/json`.',
    detail: 'send Content-Type: application/json',
  },
  upgrade_required: {
    kind: 'upgrade_required',
    text: 'upgrade required',
    when: 'The request does not open a WebSocket.',
    fix: 'Open the URL as a WebSocket. To read the invoice once, leave out `/ws`.',
    detail: 'open this URL as a WebSocket',
  },
  not_found: {
    kind: 'not_found',
    text: 'not found',
    when: 'The service has nothing at this path.',
    fix: 'Compare the path with the API reference.',
  },
  method_not_allowed: {
    kind: 'method_not_allowed',
    text: 'method not allowed',
    when: 'The path has no operation with this method.',
    fix: 'The header `Allow` lists the methods.',
  },
  gone: {
    kind: 'gone',
    text: 'removed: sign in on the dashboard with your email',
    when: 'The service has no passwords, so signup and login over the API are removed.',
    fix: 'Sign in to the dashboard, and create a session token there.',
  },
  bad_request: {
    kind: 'invalid',
    text: 'bad request',
    when: 'The request is malformed HTTP.',
    fix: 'Use an HTTP library. Look for a proxy that changes requests.',
  },
  request_timeout: {
    kind: 'request_timeout',
    text: 'request timeout',
    when: 'The request was not complete in time.',
    fix: 'Send it again. Headers have 10 seconds, the whole request 30.',
  },
  payload_too_large: {
    kind: 'too_large',
    text: 'payload too large',
    when: 'The chunks of the body have extensions that are too long.',
    fix: 'Send the body with `Content-Length`.',
  },
  request_header_fields_too_large: {
    kind: 'headers_too_large',
    text: 'request header fields too large',
    when: 'The headers have more than 16 KiB.',
    fix: 'Send fewer or smaller headers and cookies.',
  },
} as const satisfies ApiErrors

const CREDENTIALS = {
  missing_api_key: {
    kind: 'unauthenticated',
    text: 'missing api key',
    when: 'The request has no `Authorization` header.',
    fix: 'Send `Authorization: Bearer zg_…`. Some proxies remove this header: let yours pass it on.',
  },
  bad_api_key: {
    kind: 'unauthenticated',
    text: 'bad api key',
    when: 'The key is unknown, revoked or ended, or is no API key.',
    fix: 'Create a key in the dashboard. Invoices are created with an API key (`zg_…` or `zgk_…`). Operations on the account take a session token (`zgs_…`), many also a scoped key (`zgk_…`). A key of another service, such as your sandbox, is unknown here.',
  },
  missing_session_token: {
    kind: 'unauthenticated',
    text: 'missing session token',
    when: 'The request has no `Authorization` header.',
    fix: 'Send `Authorization: Bearer zgs_…`.',
  },
  bad_session_token: {
    kind: 'unauthenticated',
    text: 'bad session token',
    when: 'The token is unknown, expired or ended, or is no session token.',
    fix: 'Create one in the dashboard under Sessions, or with `zatgate session create`. A token is valid for 30 days.',
  },
  recent_sign_in_required: {
    kind: 'forbidden',
    text: 'recent sign-in required',
    when: 'The token belongs to a session in a browser, and no code was entered there in the last ten minutes.',
    fix: 'Enter a new code in the dashboard, or use a token issued for scripts.',
    detail: 'enter a new code in the dashboard, or use a session token issued for scripts',
  },
  missing_scope: {
    kind: 'forbidden',
    text: 'missing scope',
    when: 'The API key may not do this.',
    fix: '`detail` names the scope. Create a key with it; the scopes of a key never change.',
    example: { detail: 'the key needs the scope invoices:write' },
  },
  address_not_allowed: {
    kind: 'forbidden',
    text: 'address not allowed',
    when: 'The API key may be used from certain addresses, and the request comes from another one.',
    fix: '`detail` says from where it came. Send it from one of the addresses of the key, or create a key with others. If `detail` names a proxy of the service, the operator sets `TRUST_PROXY`.',
    example: { detail: 'the request came from 203.0.113.9, which is not in the addresses of the key' },
  },
  bad_metrics_token: {
    kind: 'unauthenticated',
    text: 'bad metrics token',
    when: 'The token of a request for `/metrics` is missing or wrong.',
    fix: 'Send `Authorization: Bearer` with the value of `METRICS_TOKEN`.',
  },
} as const satisfies ApiErrors

const SALES = {
  no_such_invoice: {
    kind: 'not_found',
    text: 'no such invoice',
    when: 'The id is unknown.',
    fix: 'Compare it with the id in the response that created the invoice. Invoices of another service, such as your sandbox, are unknown here.',
  },
  invalid_amount_zat: {
    kind: 'invalid',
    text: 'invalid amount_zat',
    when: 'The amount is not a whole number of zat from 1 to 2100000000000000.',
    fix: '`detail` says what is accepted. 1 ZEC is 100000000 zat. Send a number without decimals, not a text.',
  },
  viewing_key_not_set: {
    kind: 'invalid',
    text: 'viewing key not set',
    when: 'The account has no viewing key.',
    fix: 'Enter the viewing key of your wallet in the dashboard.',
  },
  invalid_viewing_key: {
    kind: 'invalid',
    text: 'invalid viewing_key',
    when: 'The key is of another network, has no Orchard part, or is no unified viewing key.',
    fix: '`detail` names what was entered. Never enter a seed phrase or spending key.',
  },
  viewing_key_expired: {
    kind: 'conflict',
    text: 'viewing key expired',
    when: 'The viewing key (ZIP 316 Revision 2) has expired.',
    fix: 'Export a new key from the wallet.',
    example: { detail: 'the viewing key expired on 2026-11-01T00:00:00Z: set another viewing key' },
  },
  viewing_key_expires_too_soon: {
    kind: 'conflict',
    text: 'viewing key expires too soon',
    when: 'The viewing key would expire before the invoice.',
    fix: 'Export a new key, or send a shorter `expires_in_secs`.',
    example: {
      detail:
        'the viewing key expires on 2026-11-01T00:00:00Z, before the invoice would: set another viewing key, or a shorter expires_in_secs',
    },
  },
  viewing_key_exhausted: {
    kind: 'conflict',
    text: 'the viewing key has no unused address left: set another viewing key',
    when: 'All addresses of the viewing key were used.',
    fix: 'Set another viewing key.',
  },
  too_many_watched_keys: {
    kind: 'conflict',
    text: 'too many watched viewing keys',
    when: 'The account has as many watched viewing keys as its plan allows.',
    fix: 'Earlier keys stay watched while their invoices can be paid, and two days longer. Set one of them again, wait until the time in `detail`, or take a larger plan.',
    example: { extra: { limit: 5, plan: 'Free' } },
  },
  watched_key_capacity_reached: {
    kind: 'conflict',
    text: 'watched viewing key limit of this service reached',
    when: 'The service watches as many viewing keys as it can.',
    fix: 'The operator raises `MAX_WATCHED_KEYS`: see `watched keys` in the output of `zatgate doctor`.',
    detail: 'keys that are watched already can still be used; the operator can raise MAX_WATCHED_KEYS',
  },
  monthly_invoice_limit_reached: {
    kind: 'payment_required',
    text: 'monthly invoice limit reached for the … plan',
    when: 'The account has created as many invoices this UTC month as its plan allows.',
    fix: 'Buy a larger plan, or wait until `resets_at`. On your own service, unset `PLANS_FILE` and `BILLING_VIEWING_KEY`, or assign a plan with `zatgate account plan EMAIL PLAN`.',
    example: { value: 'Free', extra: { limit: 50, used: 50, plan: 'Free', resets_at: 1796083200 } },
  },
  order_exists: {
    kind: 'conflict',
    text: 'order already has an invoice',
    when: 'With `unique_order`: the order has an invoice that is open or paid. `invoice_id` names it.',
    fix: 'Use that invoice, or wait until it has expired.',
    example: { extra: { invoice_id: '6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f' } },
  },
  invoice_gone: {
    kind: 'gone',
    text: 'invoice no longer public',
    when: 'The id alone gives access until 30 days (`PUBLIC_INVOICE_DAYS`) after the late window of the invoice, or after its payment if that is later.',
    fix: 'Read it as its merchant: with a session token, or a key of the account.',
  },
  invoice_not_cancelable: {
    kind: 'conflict',
    text: 'invoice not cancelable',
    when: 'A payment or a swap deposit has arrived or may be on its way, or the invoice is closed.',
    fix: '`detail` says which. Money that arrived is sent back by a refund.',
    example: { detail: 'the invoice is paid' },
  },
  no_such_payment_link: {
    kind: 'not_found',
    text: 'no such payment link',
    when: 'The id is unknown, or the link belongs to another account.',
    fix: 'Use an id of `GET /v1/links`.',
  },
  too_many_payment_links: {
    kind: 'conflict',
    text: 'too many payment links',
    when: 'The account has 1,000 payment links.',
    fix: 'Change one that you do not need any more.',
  },
  no_such_refund: {
    kind: 'not_found',
    text: 'no such refund',
    when: 'The id is unknown, or the refund belongs to another account.',
    fix: 'Use an id of `GET /v1/account/refunds`, or the whole link.',
  },
  refund_gone: {
    kind: 'gone',
    text: 'refund no longer public',
    when: 'The refund was sent or canceled a while ago, and its invoice is no longer public either.',
    fix: 'Read it as its merchant with `GET /v1/account/refunds/{id}`.',
  },
  refund_exceeds_received: {
    kind: 'conflict',
    text: 'refund exceeds what was received',
    when: 'The refunds of the invoice together would exceed the payments that are confirmed, or it has 100 refunds.',
    fix: '`detail` names the amount that is left, or the number of refunds. Wait for the confirmations of a payment, or cancel another refund.',
    example: { detail: '0.125 ZEC can be refunded' },
  },
  refund_address_fixed: {
    kind: 'conflict',
    text: 'the address can no longer be changed',
    when: 'The shop has given or seen the address, or the refund is sent or canceled.',
    fix: 'Ask the shop.',
  },
  refund_closed: {
    kind: 'conflict',
    text: 'refund cannot be changed',
    when: 'It is sent or canceled, or has no address yet.',
    fix: '`detail` says which. A canceled refund stays so: create another.',
    example: { detail: 'it is canceled' },
  },
  idempotency_key_reused: {
    kind: 'conflict',
    text: 'idempotency key reused',
    when: 'The `Idempotency-Key` was used within 24 hours with another body.',
    fix: 'Use a new key for each order, and the same body for each repetition.',
  },
  refund_to_required: {
    kind: 'invalid',
    text: 'refund_to required',
    when: 'The refund address is missing or empty.',
    fix: "Ask the buyer for an address on the asset's chain.",
  },
  unsupported_asset_id: {
    kind: 'invalid',
    text: 'unsupported asset_id',
    when: 'The asset is not in the list.',
    fix: 'Choose one of `GET /v1/swap/assets`.',
  },
  invoice_not_pending: {
    kind: 'conflict',
    text: 'invoice is not pending',
    when: 'The invoice is detected, paid, underpaid or expired, or was marked by hand.',
    fix: 'Start swaps on pending invoices only.',
  },
  swap_needs_amount: {
    kind: 'conflict',
    text: 'the invoice has an open amount',
    when: 'A swap needs an exact amount, and the buyer chooses that of this invoice.',
    fix: 'Pay it in ZEC, or create an invoice with an amount.',
  },
  swap_refused: {
    kind: 'invalid',
    text: '…',
    when: "The swap provider refuses the quote. The message is the provider's own.",
    fix: "Often the refund address is invalid for its chain, or the amount is below the provider's minimum.",
    example: { value: 'recipient is not valid' },
  },
  swap_in_progress: {
    kind: 'conflict',
    text: 'a swap is already in progress (…)',
    when: 'The swap provider has seen a deposit to the present swap.',
    fix: 'Wait for its end. A second deposit is not needed.',
    example: { value: 'PROCESSING' },
  },
  swap_provider_unavailable: {
    kind: 'bad_gateway',
    text: 'swap provider unavailable',
    when: 'The swap provider does not respond, or its response cannot be verified.',
    fix: 'Try again. If it stays, the operator runs `zatgate doctor`.',
  },
} as const satisfies ApiErrors

const WEBHOOKS = {
  webhook_not_set: {
    kind: 'not_found',
    text: 'webhook not set',
    when: 'The account has no webhook.',
    fix: 'Enter its URL first.',
  },
  webhook_required: {
    kind: 'conflict',
    text: 'webhook not set',
    when: 'The account has no webhook.',
    fix: 'Enter its URL first.',
    code: 'webhook_not_set',
  },
  invalid_logo: {
    kind: 'invalid',
    text: 'invalid logo',
    when: 'The body is no image that can be read, or one of more than 4,096 pixels a side.',
    fix: 'Send a smaller PNG, JPEG or WebP image.',
  },
  webhook_removed: {
    kind: 'conflict',
    text: 'webhook removed at the same time: try again',
    when: 'Another request removed the webhook meanwhile.',
    fix: 'Try again.',
  },
  no_such_delivery: {
    kind: 'not_found',
    text: 'no such delivery',
    when: 'The account has no delivery with this id.',
    fix: '`GET /v1/account/webhook/deliveries` lists the attempts with their `delivery_id`. Deliveries are kept for 30 days.',
  },
  no_such_endpoint: {
    kind: 'not_found',
    text: 'no such endpoint',
    when: 'The account has no endpoint with this id.',
    fix: '`GET /v1/account/endpoints` lists them.',
  },
  too_many_endpoints: {
    kind: 'conflict',
    text: 'too many endpoints',
    when: 'The account has ten endpoints beside its webhook.',
    fix: 'Remove one first, or let one endpoint take more types.',
  },
  endpoint_disabled: {
    kind: 'conflict',
    text: 'the endpoint is disabled or paused',
    when: 'The endpoint gets no events: it is disabled, or was paused after three days of failures.',
    fix: 'Enable it with `PATCH /v1/account/endpoints/{id}` and `{"enabled": true}`.',
  },
  events_pruned: {
    kind: 'gone',
    text: 'events after this one are no longer kept',
    when: 'Events after the number in `after` were deleted: they are kept for 90 days, or for `EVENT_RETENTION_DAYS`.',
    fix: 'Read the state of your invoices with `GET /v1/account/invoices`, then go on with `after` one below `first_seq`.',
    example: { extra: { first_seq: 1043 } },
  },
} as const satisfies ApiErrors

const ACCOUNTS = {
  account_being_deleted: {
    kind: 'conflict',
    text: 'account is being deleted',
    when: 'The owner has requested the deletion of the account.',
    fix: 'Keep the account in the dashboard under Account, or with `zatgate account keep`.',
    detail: 'to change it, keep the account first: sign in to the dashboard and open Account',
  },
  no_such_api_key: {
    kind: 'not_found',
    text: 'no such api key',
    when: 'The account has no API key with this id.',
    fix: '`GET /v1/account/api-keys` lists the ids.',
  },
  too_many_api_keys: {
    kind: 'conflict',
    text: 'too many api keys',
    when: 'The account has 100 active API keys.',
    fix: 'Revoke one first.',
    example: { detail: 'an account can have at most 100 active API keys: revoke one first' },
  },
  no_such_session: {
    kind: 'not_found',
    text: 'no such session',
    when: 'The account has no session with this id.',
    fix: '`GET /v1/account/sessions` lists the ids.',
  },
  unknown_plan: {
    kind: 'invalid',
    text: 'unknown plan',
    when: 'The service sells no plan of this name.',
    fix: '`detail` lists the plans.',
    example: { detail: 'one of Free, Pro, Business' },
  },
  plan_never_ends: {
    kind: 'conflict',
    text: 'plan never ends',
    when: 'The plan of the account has no end date, so it cannot be renewed.',
    fix: 'Choose another plan, or keep this one.',
  },
  billing_not_configured: {
    kind: 'conflict',
    text: 'billing not configured',
    when: 'The operator of the service has set no viewing key for billing.',
    fix: 'The operator sets `BILLING_VIEWING_KEY`.',
  },
  no_such_withdrawal: {
    kind: 'not_found',
    text: 'no such withdrawal',
    when: 'The account has no withdrawal with this id.',
    fix: '`GET /v1/account/withdrawals` lists the ids.',
  },
  withdrawal_not_cancelable: {
    kind: 'conflict',
    text: 'withdrawal not cancelable',
    when: 'A deposit has arrived, or the withdrawal has ended.',
    fix: '`detail` names its status. After a deposit, only the operator can end it.',
    example: { detail: 'the order is completed' },
  },
} as const satisfies ApiErrors

const LIMITS = {
  too_many_requests: {
    kind: 'too_many',
    text: 'too many requests',
    when: 'The client or the account has sent too many requests.',
    fix: 'Wait for the seconds in `Retry-After`. If all users of a proxy are limited together, the operator sets `TRUST_PROXY`.',
  },
  too_many_pipelined_requests: {
    kind: 'too_many',
    text: 'more than … requests without a response',
    when: 'A connection has too many requests without a response.',
    fix: 'Wait for responses, or use several connections.',
  },
  too_many_changes: {
    kind: 'too_many',
    text: 'too many changes, try again later',
    when: 'One session has changed the account 1,000 times in a day or 200 times since its last code, or all sessions 5,000 times in a day. API keys have the same limits.',
    fix: 'Wait for the seconds in `Retry-After`, or enter a new code in the dashboard.',
    detail: 'changes within ten minutes of a new code have their own limit',
  },
  too_many_orders: {
    kind: 'too_many',
    text: 'too many orders, try again later',
    when: 'The account has begun 50 plan purchases or 50 withdrawals within an hour.',
    fix: 'Wait for the seconds in `Retry-After`.',
  },
  too_many_swap_requests: {
    kind: 'too_many',
    text: 'too many swap requests, try again later',
    when: 'In 10 minutes, more than 5 swaps were requested for the invoice, or too many for the account or the whole service.',
    fix: 'Wait for the seconds in `Retry-After`. Show the buyer the present quote instead of a new one.',
  },
  too_many_deliveries: {
    kind: 'too_many',
    text: 'too many deliveries are waiting, try again later',
    when: 'Too many deliveries of the account wait to be sent.',
    fix: 'Repair the receiver first, then send again.',
  },
  export_in_progress: {
    kind: 'too_many',
    text: 'another export of this account is in progress',
    when: 'An export of the account is not read to its end yet.',
    fix: 'Wait until it ends. `Retry-After` says when to try again.',
  },
  too_many_event_readers: {
    kind: 'too_many',
    text: 'too many requests wait for events',
    when: 'The account has 20 requests with `wait` in progress, or the service has as many as it can have.',
    fix: 'End unused readers, or read without `wait`.',
  },
  too_many_websockets_of_client: {
    kind: 'too_many',
    text: 'too many websockets of one client',
    when: 'The client has as many open WebSockets as one client may have.',
    fix: 'Close unused ones. Behind a proxy, the operator sets `TRUST_PROXY`. The limit is `MAX_WEBSOCKETS_PER_CLIENT`.',
  },
  too_many_websockets: {
    kind: 'unavailable',
    text: 'too many websockets',
    when: 'The service has as many open WebSockets as it can have.',
    fix: 'The SDK polls meanwhile. The operator raises `MAX_WEBSOCKETS`, or `ulimit -n` if that is lower.',
  },
} as const satisfies ApiErrors

const FAULTS = {
  internal_error: {
    kind: 'internal',
    text: 'internal error',
    when: 'A fault of the service.',
    fix: "Report it with the response's `X-Request-Id`.",
  },
  overloaded: {
    kind: 'unavailable',
    text: 'service unavailable',
    when: 'Too many requests wait for the database.',
    fix: 'Try again after `Retry-After`. The operator checks the database.',
  },
  database_unavailable: {
    kind: 'unavailable',
    text: 'service unavailable',
    when: 'The database does not respond, or is read-only during a failover.',
    fix: 'The operator checks it. Requests are safe to repeat with an `Idempotency-Key`.',
  },
  timed_out: {
    kind: 'unavailable',
    text: 'service unavailable',
    when: 'The database took too long, so the outcome is unknown.',
    fix: 'Repeat the request with the same `Idempotency-Key`.',
  },
  closing: {
    kind: 'unavailable',
    text: 'service unavailable',
    when: 'This process is being stopped, as during an update.',
    fix: 'Repeat the request: another process, or the restarted one, responds.',
  },
  viewer_unavailable: {
    kind: 'unavailable',
    text: 'service unavailable',
    when: 'Too many viewing keys or addresses wait to be computed.',
    fix: 'Try again after `Retry-After`.',
  },
  rate_unavailable: {
    kind: 'unavailable',
    text: 'rate unavailable',
    when: 'Too few sources of exchange rates have answered in the last minute, or they disagree by more than 3 %.',
    fix: 'Try again. If it stays, the operator checks `RATES_SOURCES` with `zatgate doctor`.',
  },
} as const satisfies ApiErrors

/** Errors that only pages, commands and the log show. */
const INTERNAL_ERRORS = {
  no_such_account: { kind: 'not_found', text: 'no such account' },
  no_such_attempt: { kind: 'not_found', text: 'no such attempt' },
  no_such_link: { kind: 'not_found', text: 'no such link' },
  payment_link_closed: { kind: 'conflict', text: 'payment link closed' },
  payment_link_busy: { kind: 'too_many', text: 'too many open invoices of payment links, try again in a few minutes' },
  no_such_keypad: { kind: 'not_found', text: 'no such keypad' },
  no_such_page: { kind: 'not_found', text: 'no such page' },
  no_such_viewing_key: { kind: 'not_found', text: 'no such viewing key' },
  request_aborted: { kind: 'invalid', text: 'request aborted' },
  bad_code: { kind: 'invalid', text: 'the code is wrong or no longer valid' },
  too_many_codes: { kind: 'too_many', text: 'too many codes requested, try again later' },
  too_many_email_changes: { kind: 'too_many', text: 'too many changes of the email, try again later' },
  email_taken: { kind: 'conflict', text: 'email taken' },
  cross_site_request: { kind: 'forbidden', text: 'this form was sent by another site' },
  form_of_other_session: {
    kind: 'forbidden',
    text: 'this form was not opened in this session: open it again',
  },
  https_required: {
    kind: 'forbidden',
    text: 'this page needs https: over plain http browsers keep no sign-in',
  },
  deposit_not_confirmed: { kind: 'conflict', text: 'deposit not confirmed' },
  withdrawal_not_open: { kind: 'conflict', text: 'withdrawal not open' },
  too_many_set_aside: { kind: 'internal', text: 'too many rows are set aside: see "zatgate doctor"' },
  backup_not_here: { kind: 'conflict', text: 'use pg_dump to back up a PostgreSQL database' },
  no_such_folder: { kind: 'invalid', text: 'there is no folder …: create it first' },
  file_exists: { kind: 'conflict', text: '… already exists and is not overwritten' },
  partial_file_exists: {
    kind: 'conflict',
    text: '… already exists: remove it, unless another command is writing it',
  },
} as const satisfies Readonly<Record<string, InternalError>>

/** The errors of the API by their heading in docs/errors.md. */
export const API_ERROR_GROUPS = {
  Requests: REQUESTS,
  Credentials: CREDENTIALS,
  'Invoices, viewing keys and swaps': SALES,
  Webhooks: WEBHOOKS,
  'The account, plans and withdrawals': ACCOUNTS,
  Limits: LIMITS,
  'The service': FAULTS,
} as const satisfies Readonly<Record<string, ApiErrors>>

export const API_ERRORS = {
  ...REQUESTS,
  ...CREDENTIALS,
  ...SALES,
  ...WEBHOOKS,
  ...ACCOUNTS,
  ...LIMITS,
  ...FAULTS,
} as const

export type ApiErrorName = keyof typeof API_ERRORS

/** Every error by its code. */
export const ERRORS = { ...API_ERRORS, ...INTERNAL_ERRORS } as const
