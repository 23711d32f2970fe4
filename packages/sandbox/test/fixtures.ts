import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { type IncomingViewingKey, parseViewingKey } from '@zatgate/zcash/viewing-key'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import { ManualClock } from '../../server/test/harness/manual-clock.ts'
import { demoViewingKey } from '../src/chain/keys.ts'

export const SEED = new Uint8Array(32).fill(7)

/** A manual clock at the time of the tests. */
export function createClock(): ManualClock {
  return new ManualClock(Date.UTC(2026, 10, 21) / 1000)
}

export const merchantKey: IncomingViewingKey = parseViewingKey(demoViewingKey(SEED)).orchard!

export function merchantAddress(index = 0n): string {
  return encodeAddress('regtest', orchardReceiver(merchantKey, index))
}

export function paymentUri(amount: bigint, index = 0n, memo = 'an invoice'): string {
  return formatPaymentUri({ address: merchantAddress(index), amount, memo })
}
