import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { type IncomingViewingKey, parseViewingKey } from '@zatgate/zcash/viewing-key'
import { makePaymentUri } from '@zatgate/zcash/zip321'
import { demoViewingKey } from '../src/keys.ts'

export const SEED = new Uint8Array(32).fill(7)

/** A clock that stands still until it is told otherwise. */
export class TestClock {
  #ms = Date.UTC(2026, 10, 21)

  nowMs(): number {
    return this.#ms
  }

  advanceSecs(secs: number): void {
    this.#ms += secs * 1000
  }
}

export const merchantKey: IncomingViewingKey = parseViewingKey(demoViewingKey(SEED)).orchard!

export function merchantAddress(index = 0n): string {
  return encodeAddress('regtest', orchardReceiver(merchantKey, index))
}

export function paymentUri(amount: bigint, index = 0n, memo = 'an invoice'): string {
  return makePaymentUri({ address: merchantAddress(index), amount, memo })
}
