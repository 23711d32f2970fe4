import { Calls, query, segment } from './calls.ts'
import { Endpoints } from './endpoints.ts'
import { Events } from './events.ts'
import { PaymentLinks } from './links.ts'
import type { CallOptions, ClientOptions, CreateApiKeyOptions, CreateOptions } from './options.ts'
import { poll } from './poll.ts'
import type { InvoiceRequest, RefundRequest } from './request.ts'
import { StoreProfile } from './store-profile.ts'
import { subscribe } from './subscribe.ts'
import { createTransport } from './transport.ts'
import type * as wire from './wire.ts'

/**
 * The service's API, one method per endpoint. Failed calls reject with a ZatgateError. A call throws a TypeError when the
 * constructor did not get the credential it needs.
 *
 * GET requests, and calls that create something once (they carry an idempotency key), are retried after a lost connection,
 * a timeout, or status 429, 502, 503 or 504. Other calls are never retried.
 */
export class ZatgateClient {
  readonly events: Events
  readonly endpoints: Endpoints
  readonly links: PaymentLinks
  readonly store: StoreProfile
  readonly #calls: Calls
  readonly #baseUrl: string
  readonly #maxCallMs: number

  constructor(options: ClientOptions) {
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '')
    const { timeoutMs = 10_000, retries = 2, apiKey, sessionToken } = options
    this.#maxCallMs = timeoutMs * (retries + 1)
    const send: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init))
    const transport = createTransport({ baseUrl: this.#baseUrl, timeoutMs, retries, fetch: send })
    this.#calls = new Calls(transport, { apiKey, sessionToken })
    this.events = new Events(this.#calls)
    this.endpoints = new Endpoints(this.#calls)
    this.links = new PaymentLinks(this.#calls)
    this.store = new StoreProfile(this.#calls)
  }

  // Invoices

  /** Needs the API key. @throws ZatgateError 402, 409 `order_exists`, 503 `rate_unavailable` */
  createInvoice(request: InvoiceRequest, options: CreateOptions = {}): Promise<wire.CreatedInvoice> {
    return this.#calls.create('/v1/invoices', this.#calls.apiKey(), request, options)
  }

  /**
   * The current state of an invoice. Needs no credential: the invoice id is the access token. With the session token of
   * its account, or a scoped API key with `invoices:read`, the response has all that the merchant gave, such as `metadata`.
   * @throws ZatgateError 404 `no_such_invoice`
   */
  getInvoice(id: string, { include, ...options }: CallOptions & wire.ReadInvoiceQuery = {}): Promise<wire.Invoice> {
    const path = `/v1/invoices/${segment(id)}${query({ include })}`
    return this.#calls.transport.json('GET', path, { token: this.#calls.knownOwner, ...options })
  }

  /**
   * Closes an invoice without a payment. A payment on its way still counts. Needs the session token, or a scoped API
   * key with `invoices:write`.
   * @throws ZatgateError 409 `invoice_not_cancelable`
   */
  cancelInvoice(id: string, options: CallOptions = {}): Promise<wire.Invoice> {
    return this.#calls.owner('POST', `/v1/invoices/${segment(id)}/cancel`, undefined, options)
  }

  /** Keeps what you say of an invoice; its status stays what the chain shows. Needs what `cancelInvoice` needs. */
  markInvoice(id: string, request: wire.MarkInvoiceRequest, options: CallOptions = {}): Promise<wire.Invoice> {
    return this.#calls.owner('POST', `/v1/invoices/${segment(id)}/mark`, request, options)
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

  /** Newest first, also by status, order and time. Needs the session token, or a scoped API key with `invoices:read`. */
  listInvoices(filter: wire.InvoiceQuery = {}, options: CallOptions = {}): Promise<wire.InvoiceListItem[]> {
    return this.#calls.owner('GET', `/v1/invoices${query(filter)}`, undefined, options)
  }

  /** The same list. Needs the session token, as all methods below that say nothing else. */
  listAccountInvoices(filter: wire.InvoiceQuery = {}, options: CallOptions = {}): Promise<wire.InvoiceListItem[]> {
    return this.#calls.session('GET', `/v1/account/invoices${query(filter)}`, undefined, options)
  }

  /** The price of 1 ZEC now. Needs no credential. @throws ZatgateError 503 `rate_unavailable` */
  rates(currencies: readonly string[] = [], options: CallOptions = {}): Promise<wire.RateList> {
    const currency = currencies.join(',') || undefined
    return this.#calls.transport.json('GET', `/v1/rates${query({ currency })}`, options)
  }

  /** The assets that buyers can swap from. Needs no credential. */
  listSwapAssets(options: CallOptions = {}): Promise<wire.Asset[]> {
    return this.#calls.transport.json('GET', '/v1/swap/assets', options)
  }

  /** Needs no credential: the invoice id is the access token. */
  startSwap(invoiceId: string, request: wire.StartSwapRequest, options: CallOptions = {}): Promise<wire.SwapQuote> {
    return this.#calls.transport.json('POST', `/v1/invoices/${segment(invoiceId)}/swap`, { body: request, ...options })
  }

  /** The account with its plan and its use of the current month. */
  getAccount(options: CallOptions = {}): Promise<wire.Account> {
    return this.#calls.session('GET', '/v1/account', undefined, options)
  }

  /** Changes the settings of the account. Returns the changed account. */
  updateAccount(request: wire.UpdateAccountRequest, options: CallOptions = {}): Promise<wire.Account> {
    return this.#calls.session('PATCH', '/v1/account', request, options)
  }

  /** Sets the viewing key (UFVK or UIVK). Returns the account and its first address, for comparison with the wallet. */
  setViewingKey(viewingKey: string, options: CallOptions = {}): Promise<wire.AccountWithFirstAddress> {
    const request: wire.SetViewingKeyRequest = { viewing_key: viewingKey }
    return this.#calls.session('PUT', '/v1/account/viewing-key', request, options)
  }

  /** The API keys, newest first, without the secrets. */
  listApiKeys(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.ApiKey[]> {
    return this.#calls.session('GET', `/v1/account/api-keys${query(page)}`, undefined, options)
  }

  /** Creates an API key. The response is the only one that contains the key. Without scopes it creates invoices only. */
  createApiKey(name: string, { signal, ...rights }: CreateApiKeyOptions = {}): Promise<wire.CreatedApiKey> {
    const request: wire.CreateApiKeyRequest = { name, ...rights }
    return this.#calls.session('POST', '/v1/account/api-keys', request, signal ? { signal } : {})
  }

  /** Revokes an API key. It stops working immediately. */
  revokeApiKey(id: string, options: CallOptions = {}): Promise<void> {
    return this.#calls.session('DELETE', `/v1/account/api-keys/${segment(id)}`, undefined, options)
  }

  /** The active sessions, newest first. */
  listSessions(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.Session[]> {
    return this.#calls.session('GET', `/v1/account/sessions${query(page)}`, undefined, options)
  }

  /** Ends a session. Its token stops working immediately. */
  endSession(id: string, options: CallOptions = {}): Promise<void> {
    return this.#calls.session('DELETE', `/v1/account/sessions/${segment(id)}`, undefined, options)
  }

  /** Ends the session of this client's session token. */
  logout(options: CallOptions = {}): Promise<void> {
    return this.#calls.session('POST', '/v1/auth/logout', undefined, options)
  }

  /** Streams the invoices of a period as CSV or JSON. The timeout covers only the start of the response. */
  exportInvoices(request: wire.ExportQuery, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#calls.stream(`/v1/account/export${query(request)}`, options)
  }

  /** Likewise the refunds of a period, without addresses. JSON is a list of `ExportedRefund`. */
  exportRefunds(request: wire.ExportQuery, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#calls.stream(`/v1/account/refunds/export${query(request)}`, options)
  }

  // Webhooks

  /** @throws ZatgateError 404 `webhook_not_set` */
  getWebhook(options: CallOptions = {}): Promise<wire.Webhook> {
    return this.#calls.session('GET', '/v1/account/webhook', undefined, options)
  }

  /** Sets the URL of the webhook. The first call creates the webhook; only its response contains the signing secret. */
  setWebhook(url: string, options: CallOptions = {}): Promise<wire.WebhookWithSecret> {
    const request: wire.SetWebhookRequest = { url }
    return this.#calls.session('PUT', '/v1/account/webhook', request, options)
  }

  /** Removes the webhook and cancels its pending deliveries. */
  removeWebhook(options: CallOptions = {}): Promise<void> {
    return this.#calls.session('DELETE', '/v1/account/webhook', undefined, options)
  }

  /** The previous secret no longer works, not even for pending retries. */
  rotateWebhookSecret(options: CallOptions = {}): Promise<wire.RotatedSecret> {
    return this.#calls.session('POST', '/v1/account/webhook/rotate-secret', undefined, options)
  }

  /** Queues a delivery of a test event. A scoped API key with `webhooks:write` can do this too. */
  testWebhook(options: CallOptions = {}): Promise<wire.DeliveryAccepted> {
    return this.#calls.owner('POST', '/v1/account/webhook/test', undefined, options)
  }

  /** The log of delivery attempts, newest first. For a scoped API key as `testWebhook`. */
  listDeliveries(filter: wire.DeliveryQuery = {}, options: CallOptions = {}): Promise<wire.DeliveryAttempt[]> {
    return this.#calls.owner('GET', `/v1/account/webhook/deliveries${query(filter)}`, undefined, options)
  }

  /** Queues another delivery of the same event. For a scoped API key as `testWebhook`. */
  resendDelivery(deliveryId: string, options: CallOptions = {}): Promise<wire.DeliveryAccepted> {
    const path = `/v1/account/webhook/deliveries/${segment(deliveryId)}/resend`
    return this.#calls.owner('POST', path, undefined, options)
  }

  // Plans, billing, withdrawals

  /** The plans of the service. Needs no credential. */
  listPlans(options: CallOptions = {}): Promise<wire.Plan[]> {
    return this.#calls.transport.json('GET', '/v1/plans', options)
  }

  /** The current plan, its end, and the use of the current month. */
  getBilling(options: CallOptions = {}): Promise<wire.Billing> {
    return this.#calls.session('GET', '/v1/account/billing', undefined, options)
  }

  /** Creates the invoice that pays for one period of the plan. */
  subscribe(plan: string, options: CreateOptions = {}): Promise<wire.CreatedInvoice> {
    const request: wire.SubscribeRequest = { plan }
    return this.#calls.create('/v1/account/billing/subscribe', this.#calls.sessionToken(), request, options)
  }

  /** The withdrawal orders, newest first. A scoped API key with `withdrawals:read` can do this too. */
  listWithdrawals(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.Withdrawal[]> {
    return this.#calls.owner('GET', `/v1/account/withdrawals${query(page)}`, undefined, options)
  }

  /**
   * Creates a withdrawal order. The merchant pays `amount_zat` to its address, and the operator pays out the fiat
   * amount.
   */
  createWithdrawal(request: wire.CreateWithdrawalRequest, options: CreateOptions = {}): Promise<wire.Withdrawal> {
    return this.#calls.create('/v1/account/withdrawals', this.#calls.sessionToken(), request, options)
  }

  /** The current state of a withdrawal order. For a scoped API key as `listWithdrawals`. */
  getWithdrawal(id: string, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#calls.owner('GET', `/v1/account/withdrawals/${segment(id)}`, undefined, options)
  }

  /** Cancels a withdrawal order that has no deposit. Returns the canceled order. */
  cancelWithdrawal(id: string, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#calls.session('POST', `/v1/account/withdrawals/${segment(id)}/cancel`, undefined, options)
  }

  // Refunds. They need the session token, or a scoped API key with `refunds:write`; with `invoices:read` it reads them.

  /**
   * Creates an order to refund a part, or without an amount all that is left. Your own wallet pays it.
   * @throws ZatgateError 409 `refund_exceeds_received`, 503 `rate_unavailable`
   */
  createRefund(invoiceId: string, request: RefundRequest = {}, options: CreateOptions = {}): Promise<wire.Refund> {
    const path = `/v1/account/invoices/${segment(invoiceId)}/refunds`
    return this.#calls.create(path, this.#calls.ownerToken(), request, options)
  }

  /** The refunds of an invoice, and what is left to refund. */
  listInvoiceRefunds(invoiceId: string, options: CallOptions = {}): Promise<wire.InvoiceRefunds> {
    return this.#calls.owner('GET', `/v1/account/invoices/${segment(invoiceId)}/refunds`, undefined, options)
  }

  /** Newest first. */
  listRefunds(page: wire.RefundQuery = {}, options: CallOptions = {}): Promise<wire.Refund[]> {
    return this.#calls.owner('GET', `/v1/account/refunds${query(page)}`, undefined, options)
  }

  /** Once you have read an address that the buyer gave, the buyer cannot change it. */
  getRefund(id: string, options: CallOptions = {}): Promise<wire.Refund> {
    return this.#calls.owner('GET', `/v1/account/refunds/${segment(id)}`, undefined, options)
  }

  /** One payment request for 1 to 50 refunds, all of them ready. @throws ZatgateError 409 `refund_closed` */
  refundPayment(ids: readonly string[], options: CallOptions = {}): Promise<wire.RefundPayment> {
    return this.#calls.owner('POST', '/v1/account/refunds/payment-request', { ids }, options)
  }

  /** Notes the transaction by which your wallet has paid it. @throws ZatgateError 409 `refund_closed` */
  markRefundSent(id: string, txid: string, options: CallOptions = {}): Promise<wire.Refund> {
    return this.#calls.owner('POST', `/v1/account/refunds/${segment(id)}/sent`, { txid }, options)
  }

  /** @throws ZatgateError 409 `refund_closed` once it is sent */
  cancelRefund(id: string, options: CallOptions = {}): Promise<wire.Refund> {
    return this.#calls.owner('POST', `/v1/account/refunds/${segment(id)}/cancel`, undefined, options)
  }

  /** A refund as its buyer sees it. Needs no credential: the secret at the end of `refund_url` is the access token. */
  getBuyerRefund(link: string, options: CallOptions = {}): Promise<wire.BuyerRefund> {
    return this.#calls.transport.json('GET', `/v1/refunds/${segment(link)}`, options)
  }

  /** Gives the address of a refund, for its buyer. @throws ZatgateError 409 `refund_address_fixed` */
  giveRefundAddress(link: string, address: string, options: CallOptions = {}): Promise<wire.BuyerRefund> {
    return this.#calls.transport.json('PUT', `/v1/refunds/${segment(link)}/address`, { body: { address }, ...options })
  }
}
