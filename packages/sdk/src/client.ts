import { follow } from './follow.ts'
import type { Transport } from './transport.ts'
import { createTransport } from './transport.ts'
import type * as wire from './wire.ts'

export interface ClientOptions {
  /** Where the service is, such as `https://pay.example.org`. */
  readonly baseUrl: string
  /** Creates invoices. Keep it on your server. */
  readonly apiKey?: string
  /** For everything about the account. Keep it on your server. */
  readonly sessionToken?: string
  /** For one try of a call, answer included. Default 10,000. */
  readonly timeoutMs?: number
  /** How often a call that is safe to repeat is repeated. Default 2. */
  readonly retries?: number
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface CreateOptions extends CallOptions {
  /**
   * The same key and body within 24 hours give the same answer: use your order's id, so that a crash between the call
   * and your own record of it cannot make two. 1 to 255 printable characters; a random one when left out.
   */
  readonly idempotencyKey?: string
}

/**
 * The service's API, one method per endpoint. What fails, rejects with a ZatgateError; a call whose credential was not
 * given to the constructor throws a TypeError.
 *
 * Reads, and what makes an invoice or a withdrawal (it carries an idempotency key), are repeated after a lost
 * connection, a time-out, 429, 502, 503 or 504; nothing else ever is.
 */
export class ZatgateClient {
  readonly #transport: Transport
  readonly #baseUrl: string
  readonly #apiKey: string | undefined
  readonly #sessionToken: string | undefined

  constructor(options: ClientOptions) {
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '')
    this.#apiKey = options.apiKey
    this.#sessionToken = options.sessionToken
    this.#transport = createTransport({
      baseUrl: this.#baseUrl,
      timeoutMs: options.timeoutMs ?? 10_000,
      retries: options.retries ?? 2,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    })
  }

  // Invoices

  /** Needs the API key. */
  createInvoice(request: wire.CreateInvoiceRequest, options: CreateOptions = {}): Promise<wire.CreatedInvoice> {
    return this.#create('/v1/invoices', this.#needApiKey(), request, options)
  }

  getInvoice(id: string, options: CallOptions = {}): Promise<wire.Invoice> {
    return this.#transport.json('GET', `/v1/invoices/${segment(id)}`, options)
  }

  /**
   * Each message about the invoice as it comes, the present state first, until it is paid, underpaid or expired.
   * Connects again by itself; a state may be told twice. Abort the signal, or leave the loop, to stop.
   *
   * @throws ZatgateError 404 `no_such_invoice`; `network_error` when no connection comes about for a minute
   */
  followInvoice(id: string, options: CallOptions = {}): AsyncGenerator<wire.InvoiceMessage, void, undefined> {
    return follow(`${this.#baseUrl.replace(/^http/, 'ws')}/v1/invoices/${segment(id)}/ws`, options.signal)
  }

  /** Needs the session token, as does everything below except the lists of assets and plans. */
  listInvoices(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.InvoiceListItem[]> {
    return this.#session('GET', `/v1/account/invoices${query(page)}`, undefined, options)
  }

  // Swaps

  listSwapAssets(options: CallOptions = {}): Promise<wire.Asset[]> {
    return this.#transport.json('GET', '/v1/swap/assets', options)
  }

  /** Needs no key: the invoice id is the access token. */
  startSwap(invoiceId: string, request: wire.StartSwapRequest, options: CallOptions = {}): Promise<wire.SwapQuote> {
    return this.#transport.json('POST', `/v1/invoices/${segment(invoiceId)}/swap`, { body: request, ...options })
  }

  // Account

  getAccount(options: CallOptions = {}): Promise<wire.Account> {
    return this.#session('GET', '/v1/account', undefined, options)
  }

  updateAccount(request: wire.UpdateAccountRequest, options: CallOptions = {}): Promise<wire.Account> {
    return this.#session('PATCH', '/v1/account', request, options)
  }

  setViewingKey(viewingKey: string, options: CallOptions = {}): Promise<wire.AccountWithFirstAddress> {
    const request: wire.SetViewingKeyRequest = { viewing_key: viewingKey }
    return this.#session('PUT', '/v1/account/viewing-key', request, options)
  }

  listApiKeys(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.ApiKey[]> {
    return this.#session('GET', `/v1/account/api-keys${query(page)}`, undefined, options)
  }

  createApiKey(name: string, options: CallOptions = {}): Promise<wire.CreatedApiKey> {
    const request: wire.CreateApiKeyRequest = { name }
    return this.#session('POST', '/v1/account/api-keys', request, options)
  }

  revokeApiKey(id: string, options: CallOptions = {}): Promise<void> {
    return this.#session('DELETE', `/v1/account/api-keys/${segment(id)}`, undefined, options)
  }

  listSessions(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.Session[]> {
    return this.#session('GET', `/v1/account/sessions${query(page)}`, undefined, options)
  }

  endSession(id: string, options: CallOptions = {}): Promise<void> {
    return this.#session('DELETE', `/v1/account/sessions/${segment(id)}`, undefined, options)
  }

  /** Ends the session of this client's own token. */
  logout(options: CallOptions = {}): Promise<void> {
    return this.#session('POST', '/v1/auth/logout', undefined, options)
  }

  /** The invoices of a period as CSV or JSON, as it streams in. The time-out covers the start of the answer only. */
  exportInvoices(request: wire.ExportQuery, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const path = `/v1/account/export${query(request)}`
    return this.#transport.stream('GET', path, { token: this.#needSessionToken(), ...options })
  }

  // Webhooks

  /** @throws ZatgateError 404 `webhook_not_set` */
  getWebhook(options: CallOptions = {}): Promise<wire.Webhook> {
    return this.#session('GET', '/v1/account/webhook', undefined, options)
  }

  setWebhook(url: string, options: CallOptions = {}): Promise<wire.SetWebhookResponse> {
    const request: wire.SetWebhookRequest = { url }
    return this.#session('PUT', '/v1/account/webhook', request, options)
  }

  removeWebhook(options: CallOptions = {}): Promise<void> {
    return this.#session('DELETE', '/v1/account/webhook', undefined, options)
  }

  /** The old secret is dead from then on, for retries under way too. */
  rotateWebhookSecret(options: CallOptions = {}): Promise<wire.RotatedSecret> {
    return this.#session('POST', '/v1/account/webhook/rotate-secret', undefined, options)
  }

  testWebhook(options: CallOptions = {}): Promise<wire.DeliveryAccepted> {
    return this.#session('POST', '/v1/account/webhook/test', undefined, options)
  }

  listDeliveries(filter: wire.DeliveryQuery = {}, options: CallOptions = {}): Promise<wire.DeliveryAttempt[]> {
    return this.#session('GET', `/v1/account/webhook/deliveries${query(filter)}`, undefined, options)
  }

  resendDelivery(deliveryId: string, options: CallOptions = {}): Promise<wire.DeliveryAccepted> {
    return this.#session('POST', `/v1/account/webhook/deliveries/${segment(deliveryId)}/resend`, undefined, options)
  }

  // Plans, billing, withdrawals

  listPlans(options: CallOptions = {}): Promise<wire.Plan[]> {
    return this.#transport.json('GET', '/v1/plans', options)
  }

  getBilling(options: CallOptions = {}): Promise<wire.Billing> {
    return this.#session('GET', '/v1/account/billing', undefined, options)
  }

  /** The invoice to pay for one period of the plan. */
  subscribe(plan: string, options: CreateOptions = {}): Promise<wire.CreatedInvoice> {
    const request: wire.SubscribeRequest = { plan }
    return this.#create('/v1/account/billing/subscribe', this.#needSessionToken(), request, options)
  }

  listWithdrawals(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.Withdrawal[]> {
    return this.#session('GET', `/v1/account/withdrawals${query(page)}`, undefined, options)
  }

  createWithdrawal(request: wire.CreateWithdrawalRequest, options: CreateOptions = {}): Promise<wire.Withdrawal> {
    return this.#create('/v1/account/withdrawals', this.#needSessionToken(), request, options)
  }

  getWithdrawal(id: string, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#session('GET', `/v1/account/withdrawals/${segment(id)}`, undefined, options)
  }

  cancelWithdrawal(id: string, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#session('POST', `/v1/account/withdrawals/${segment(id)}/cancel`, undefined, options)
  }

  #session<T>(method: string, path: string, body: unknown, options: CallOptions): Promise<T> {
    return this.#transport.json(method, path, { token: this.#needSessionToken(), body, signal: options.signal })
  }

  #create<T>(path: string, token: string, body: unknown, options: CreateOptions): Promise<T> {
    return this.#transport.json('POST', path, {
      token,
      body,
      headers: { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() },
      repeatable: true,
      signal: options.signal,
    })
  }

  #needApiKey(): string {
    return this.#apiKey ?? missingCredential('apiKey')
  }

  #needSessionToken(): string {
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
  return pairs.size === 0 ? '' : `?${pairs}`
}
