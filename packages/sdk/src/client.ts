import { webCrypto } from '#web-crypto'
import { poll } from './poll.ts'
import { subscribe } from './subscribe.ts'
import type { Transport } from './transport.ts'
import { createTransport } from './transport.ts'
import type * as wire from './wire.ts'

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

/** Options of calls that create an invoice or a withdrawal. */
export interface CreateOptions extends CallOptions {
  /**
   * Calls with the same key and body within 24 hours return the same response. Use your order id, so that a crash
   * between the call and your own record of it cannot create a duplicate. 1 to 255 printable characters. Default: random.
   */
  readonly idempotencyKey?: string
}

/**
 * The service's API, one method per endpoint. Failed calls reject with a ZatgateError. A call throws a TypeError when the
 * constructor did not get the credential it needs.
 *
 * GET requests and calls that create an invoice or a withdrawal (they carry an idempotency key) are retried after a lost
 * connection, a timeout, or status 429, 502, 503 or 504. Other calls are never retried.
 */
export class ZatgateClient {
  readonly #transport: Transport
  readonly #baseUrl: string
  readonly #apiKey: string | undefined
  readonly #sessionToken: string | undefined
  /** The attempts of a call together. */
  readonly #maxCallMs: number

  constructor(options: ClientOptions) {
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '')
    this.#apiKey = options.apiKey
    this.#sessionToken = options.sessionToken
    const { timeoutMs = 10_000, retries = 2 } = options
    this.#maxCallMs = timeoutMs * (retries + 1)
    this.#transport = createTransport({
      baseUrl: this.#baseUrl,
      timeoutMs,
      retries,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    })
  }

  // Invoices

  /** Needs the API key. */
  createInvoice(request: wire.CreateInvoiceRequest, options: CreateOptions = {}): Promise<wire.CreatedInvoice> {
    return this.#create('/v1/invoices', this.#requireApiKey(), request, options)
  }

  /**
   * The current state of an invoice. Needs no credential: the invoice id is the access token. With the session token of
   * its account the response has all that the merchant gave, such as `metadata`.
   * @throws ZatgateError 404 `no_such_invoice`
   */
  getInvoice(id: string, { include, ...options }: CallOptions & wire.ReadInvoiceQuery = {}): Promise<wire.Invoice> {
    const path = `/v1/invoices/${segment(id)}${query({ include })}`
    return this.#transport.json('GET', path, { token: this.#sessionToken, ...options })
  }

  /**
   * Closes an invoice without a payment. A payment on its way still counts. Needs the session token.
   * @throws ZatgateError 409 `invoice_not_cancelable`
   */
  cancelInvoice(id: string, options: CallOptions = {}): Promise<wire.Invoice> {
    return this.#session('POST', `/v1/invoices/${segment(id)}/cancel`, undefined, options)
  }

  /**
   * Yields the current state of the invoice, then every change, until it is paid, underpaid or expired. Reconnects
   * automatically, so a state may repeat. Abort the signal or leave the loop to stop. Where the runtime has no global
   * WebSocket (Node before 22), it reads the invoice every two seconds instead.
   *
   * @throws ZatgateError 404 `no_such_invoice`; `network_error` after a minute without a message from the service,
   *   in which the device did not sleep
   */
  followInvoice(id: string, options: CallOptions = {}): AsyncGenerator<wire.InvoiceMessage, void, undefined> {
    if (typeof WebSocket === 'undefined')
      return poll(() => this.getInvoice(id, options), this.#maxCallMs, options.signal)
    return subscribe(`${this.#baseUrl.replace(/^http/, 'ws')}/v1/invoices/${segment(id)}/ws`, options.signal)
  }

  /** Needs the session token, like all methods below except rates, listSwapAssets, startSwap and listPlans. */
  listInvoices(page: wire.InvoiceQuery = {}, options: CallOptions = {}): Promise<wire.InvoiceListItem[]> {
    return this.#session('GET', `/v1/account/invoices${query(page)}`, undefined, options)
  }

  /** The price of 1 ZEC now. Needs no credential. @throws ZatgateError 503 `rate_unavailable` */
  rates(currencies: readonly string[] = [], options: CallOptions = {}): Promise<wire.RateList> {
    return this.#transport.json('GET', `/v1/rates${query({ currency: currencies.join(',') || undefined })}`, options)
  }

  // Swaps

  /** The assets that buyers can swap from. Needs no credential. */
  listSwapAssets(options: CallOptions = {}): Promise<wire.Asset[]> {
    return this.#transport.json('GET', '/v1/swap/assets', options)
  }

  /** Needs no credential: the invoice id is the access token. */
  startSwap(invoiceId: string, request: wire.StartSwapRequest, options: CallOptions = {}): Promise<wire.SwapQuote> {
    return this.#transport.json('POST', `/v1/invoices/${segment(invoiceId)}/swap`, { body: request, ...options })
  }

  // Account

  /** The account with its plan and its use of the current month. */
  getAccount(options: CallOptions = {}): Promise<wire.Account> {
    return this.#session('GET', '/v1/account', undefined, options)
  }

  /** Changes the settings of the account. Returns the changed account. */
  updateAccount(request: wire.UpdateAccountRequest, options: CallOptions = {}): Promise<wire.Account> {
    return this.#session('PATCH', '/v1/account', request, options)
  }

  /** Sets the viewing key (UFVK or UIVK). Returns the account and its first address, for comparison with the wallet. */
  setViewingKey(viewingKey: string, options: CallOptions = {}): Promise<wire.AccountWithFirstAddress> {
    const request: wire.SetViewingKeyRequest = { viewing_key: viewingKey }
    return this.#session('PUT', '/v1/account/viewing-key', request, options)
  }

  /** The API keys, newest first, without the secrets. */
  listApiKeys(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.ApiKey[]> {
    return this.#session('GET', `/v1/account/api-keys${query(page)}`, undefined, options)
  }

  /** Creates an API key. The response is the only one that contains the key. */
  createApiKey(name: string, options: CallOptions = {}): Promise<wire.CreatedApiKey> {
    const request: wire.CreateApiKeyRequest = { name }
    return this.#session('POST', '/v1/account/api-keys', request, options)
  }

  /** Revokes an API key. It stops working immediately. */
  revokeApiKey(id: string, options: CallOptions = {}): Promise<void> {
    return this.#session('DELETE', `/v1/account/api-keys/${segment(id)}`, undefined, options)
  }

  /** The active sessions, newest first. */
  listSessions(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.Session[]> {
    return this.#session('GET', `/v1/account/sessions${query(page)}`, undefined, options)
  }

  /** Ends a session. Its token stops working immediately. */
  endSession(id: string, options: CallOptions = {}): Promise<void> {
    return this.#session('DELETE', `/v1/account/sessions/${segment(id)}`, undefined, options)
  }

  /** Ends the session of this client's session token. */
  logout(options: CallOptions = {}): Promise<void> {
    return this.#session('POST', '/v1/auth/logout', undefined, options)
  }

  /** Streams the invoices of a period as CSV or JSON. The timeout covers only the start of the response. */
  exportInvoices(request: wire.ExportQuery, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const path = `/v1/account/export${query(request)}`
    return this.#transport.stream('GET', path, { token: this.#requireSessionToken(), ...options })
  }

  // Webhooks

  /** @throws ZatgateError 404 `webhook_not_set` */
  getWebhook(options: CallOptions = {}): Promise<wire.Webhook> {
    return this.#session('GET', '/v1/account/webhook', undefined, options)
  }

  /** Sets the URL of the webhook. The first call creates the webhook; only its response contains the signing secret. */
  setWebhook(url: string, options: CallOptions = {}): Promise<wire.WebhookWithSecret> {
    const request: wire.SetWebhookRequest = { url }
    return this.#session('PUT', '/v1/account/webhook', request, options)
  }

  /** Removes the webhook and cancels its pending deliveries. */
  removeWebhook(options: CallOptions = {}): Promise<void> {
    return this.#session('DELETE', '/v1/account/webhook', undefined, options)
  }

  /** The previous secret no longer works, not even for pending retries. */
  rotateWebhookSecret(options: CallOptions = {}): Promise<wire.RotatedSecret> {
    return this.#session('POST', '/v1/account/webhook/rotate-secret', undefined, options)
  }

  /** Queues a delivery of a test event. */
  testWebhook(options: CallOptions = {}): Promise<wire.DeliveryAccepted> {
    return this.#session('POST', '/v1/account/webhook/test', undefined, options)
  }

  /** The log of delivery attempts, newest first. */
  listDeliveries(filter: wire.DeliveryQuery = {}, options: CallOptions = {}): Promise<wire.DeliveryAttempt[]> {
    return this.#session('GET', `/v1/account/webhook/deliveries${query(filter)}`, undefined, options)
  }

  /** Queues another delivery of the same event. */
  resendDelivery(deliveryId: string, options: CallOptions = {}): Promise<wire.DeliveryAccepted> {
    return this.#session('POST', `/v1/account/webhook/deliveries/${segment(deliveryId)}/resend`, undefined, options)
  }

  // Plans, billing, withdrawals

  /** The plans of the service. Needs no credential. */
  listPlans(options: CallOptions = {}): Promise<wire.Plan[]> {
    return this.#transport.json('GET', '/v1/plans', options)
  }

  /** The current plan, its end, and the use of the current month. */
  getBilling(options: CallOptions = {}): Promise<wire.Billing> {
    return this.#session('GET', '/v1/account/billing', undefined, options)
  }

  /** Creates the invoice that pays for one period of the plan. */
  subscribe(plan: string, options: CreateOptions = {}): Promise<wire.CreatedInvoice> {
    const request: wire.SubscribeRequest = { plan }
    return this.#create('/v1/account/billing/subscribe', this.#requireSessionToken(), request, options)
  }

  /** The withdrawal orders, newest first. */
  listWithdrawals(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.Withdrawal[]> {
    return this.#session('GET', `/v1/account/withdrawals${query(page)}`, undefined, options)
  }

  /**
   * Creates a withdrawal order. The merchant pays `amount_zat` to its address, and the operator pays out the fiat
   * amount.
   */
  createWithdrawal(request: wire.CreateWithdrawalRequest, options: CreateOptions = {}): Promise<wire.Withdrawal> {
    return this.#create('/v1/account/withdrawals', this.#requireSessionToken(), request, options)
  }

  /** The current state of a withdrawal order. */
  getWithdrawal(id: string, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#session('GET', `/v1/account/withdrawals/${segment(id)}`, undefined, options)
  }

  /** Cancels a withdrawal order that has no deposit. Returns the canceled order. */
  cancelWithdrawal(id: string, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#session('POST', `/v1/account/withdrawals/${segment(id)}/cancel`, undefined, options)
  }

  #session<T>(method: string, path: string, body: unknown, options: CallOptions): Promise<T> {
    return this.#transport.json(method, path, { token: this.#requireSessionToken(), body, signal: options.signal })
  }

  #create<T>(path: string, token: string, body: unknown, options: CreateOptions): Promise<T> {
    return this.#transport.json('POST', path, {
      token,
      body,
      headers: { 'idempotency-key': options.idempotencyKey ?? webCrypto.randomUUID() },
      retryable: true,
      signal: options.signal,
    })
  }

  #requireApiKey(): string {
    return this.#apiKey ?? missingCredential('apiKey')
  }

  #requireSessionToken(): string {
    return this.#sessionToken ?? missingCredential('sessionToken')
  }
}

function missingCredential(option: string): never {
  throw new TypeError(`this call needs the client's ${option} option`)
}

function segment(id: string): string {
  return encodeURIComponent(id)
}

function query(members: object): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) if (value !== undefined) pairs.set(name, String(value))
  const text = pairs.toString()
  return text && `?${text}`
}
