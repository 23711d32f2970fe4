import { type Calls, segment } from './calls.ts'
import type { CallOptions } from './options.ts'
import type * as wire from './wire.ts'

const PATH = '/v1/account/endpoints'

/**
 * Endpoints that get events beside the webhook of the account: `client.endpoints`. Needs the session token, or a scoped API
 * key with `webhooks:write`. An unknown id is a ZatgateError 404 `no_such_endpoint`.
 */
export class Endpoints {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Oldest first. */
  list(options: CallOptions = {}): Promise<wire.Endpoint[]> {
    return this.#calls.owner('GET', PATH, undefined, options)
  }

  /** The endpoint, without its secret. */
  get(id: string, options: CallOptions = {}): Promise<wire.Endpoint> {
    return this.#calls.owner('GET', pathOf(id), undefined, options)
  }

  /**
   * Creates an endpoint that gets the events from now on. Only this response contains the signing secret.
   * @throws ZatgateError 409 `too_many_endpoints`
   */
  create(request: wire.CreateEndpointRequest, options: CallOptions = {}): Promise<wire.EndpointWithSecret> {
    return this.#calls.owner('POST', PATH, request, options)
  }

  /** `enabled: true` also resumes a paused endpoint. */
  change(id: string, request: wire.ChangeEndpointRequest, options: CallOptions = {}): Promise<wire.Endpoint> {
    return this.#calls.owner('PATCH', pathOf(id), request, options)
  }

  /** Cancels its pending deliveries. */
  remove(id: string, options: CallOptions = {}): Promise<void> {
    return this.#calls.owner('DELETE', pathOf(id), undefined, options)
  }

  /** The earlier secret also signs for 24 hours. */
  rotateSecret(
    id: string,
    request: wire.RotateEndpointSecretRequest = {},
    options: CallOptions = {},
  ): Promise<wire.RotatedSecret> {
    return this.#calls.owner('POST', pathOf(id, '/rotate-secret'), request, options)
  }

  /** Queues a test event for this endpoint; others that chose the type `test` get it too. @throws ZatgateError 409 `endpoint_disabled` */
  test(id: string, options: CallOptions = {}): Promise<wire.DeliveryAccepted> {
    return this.#calls.owner('POST', pathOf(id, '/test'), undefined, options)
  }

  /**
   * Sends all events since a time that the endpoint has not received.
   * @param since Unix seconds, at most 30 days ago @throws ZatgateError 409 `endpoint_disabled`
   */
  recover(id: string, since: number, options: CallOptions = {}): Promise<wire.EndpointRecovery> {
    const request: wire.RecoverEndpointRequest = { since }
    return this.#calls.owner('POST', pathOf(id, '/recover'), request, options)
  }
}

function pathOf(id: string, action = ''): string {
  return `${PATH}/${segment(id)}${action}`
}
