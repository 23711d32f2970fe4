import type { Calls } from './calls.ts'
import type { CallOptions } from './options.ts'
import type * as wire from './wire.ts'

const PATH = '/v1/account/store'

/** How the shop appears to its buyers, and the defaults of its invoices: `client.store`. Needs the session token. */
export class StoreProfile {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** The profile. Members that are not set are null. */
  get(options: CallOptions = {}): Promise<wire.Store> {
    return this.#calls.session('GET', PATH, undefined, options)
  }

  /** Changes members; null clears one. Returns the changed profile. */
  change(request: wire.UpdateStoreRequest, options: CallOptions = {}): Promise<wire.Store> {
    return this.#calls.session('PATCH', PATH, request, options)
  }

  /**
   * Sets the logo: a PNG, JPEG or WebP image of at most 1 MiB and 4,096 pixels a side, stored as a PNG of at most 512.
   * @throws ZatgateError 400 `invalid_logo`
   */
  setLogo(image: Uint8Array, options: CallOptions = {}): Promise<wire.Store> {
    return this.#calls.session('PUT', `${PATH}/logo`, image, options)
  }

  /** Removes the logo. Returns the changed profile. */
  removeLogo(options: CallOptions = {}): Promise<wire.Store> {
    return this.#calls.session('DELETE', `${PATH}/logo`, undefined, options)
  }
}
