import { type Calls, query, segment } from './calls.ts'
import type { CallOptions } from './options.ts'
import type * as wire from './wire.ts'

const PATH = '/v1/links'

/**
 * Reusable pages from which buyers create invoices: `client.links`. Needs the session token, or a scoped API key with
 * `links:write`, or `links:read` for reads. An unknown id is a ZatgateError 404 `no_such_payment_link`.
 */
export class PaymentLinks {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Newest first. */
  list(page: wire.PageQuery = {}, options: CallOptions = {}): Promise<wire.PaymentLink[]> {
    return this.#calls.owner('GET', `${PATH}${query(page)}`, undefined, options)
  }

  /** The link, with how often it was paid. */
  get(id: string, options: CallOptions = {}): Promise<wire.PaymentLink> {
    return this.#calls.owner('GET', `${PATH}/${segment(id)}`, undefined, options)
  }

  /** Without an amount the buyer chooses it. @throws ZatgateError 409 `too_many_payment_links` */
  create(request: wire.CreatePaymentLinkRequest, options: CallOptions = {}): Promise<wire.PaymentLink> {
    return this.#calls.owner('POST', PATH, request, options)
  }

  /** `paused: true` stops its sales. Open invoices can still be paid. */
  change(id: string, request: wire.ChangePaymentLinkRequest, options: CallOptions = {}): Promise<wire.PaymentLink> {
    return this.#calls.owner('PATCH', `${PATH}/${segment(id)}`, request, options)
  }
}
