import { orchardReceiver } from '@zatgate/zcash/address'
import { COIN_TYPES, type Network } from '@zatgate/zcash/network'
import { encodeFullViewingKey, fullViewingKey, orchardSpendingKey } from '@zatgate/zcash/spending-key'
import { externalIncoming } from '@zatgate/zcash/viewing-key'

/** The networks that a sandbox chain can simulate. Both have the same keys (SLIP 44 coin type 1), encoded differently. */
export type SandboxNetwork = Exclude<Network, 'main'>

/** ZIP 32 accounts under the chain's seed. */
const ACCOUNTS = { merchant: 0, wallet: 1, stranger: 2, operator: 3 } as const

type Holder = keyof typeof ACCOUNTS

/** The viewing key (UFVK) of the sandbox's merchant: what the demo account watches with. */
export function demoViewingKey(seed: Uint8Array, network: SandboxNetwork = 'regtest'): string {
  return encodeFullViewingKey(fullKey(seed, 'merchant'), network)
}

/** The viewing key (UFVK) of the one who runs the service, for billing. */
export function operatorViewingKey(seed: Uint8Array, network: SandboxNetwork = 'regtest'): string {
  return encodeFullViewingKey(fullKey(seed, 'operator'), network)
}

/** Where the sandbox wallet's change goes: 43 bytes. */
export function walletReceiver(seed: Uint8Array): Uint8Array {
  return firstReceiver(seed, 'wallet')
}

/** Somebody who has nothing to do with any of this: 43 bytes. */
export function foreignReceiver(seed: Uint8Array): Uint8Array {
  return firstReceiver(seed, 'stranger')
}

function firstReceiver(seed: Uint8Array, holder: Holder): Uint8Array {
  return orchardReceiver(externalIncoming(fullKey(seed, holder)), 0n)
}

function fullKey(seed: Uint8Array, holder: Holder) {
  return fullViewingKey(orchardSpendingKey(seed, COIN_TYPES.regtest, ACCOUNTS[holder]))
}
