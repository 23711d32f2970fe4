import { orchardReceiver } from '@zatgate/zcash/address'
import { COIN_TYPES, type Network } from '@zatgate/zcash/network'
import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '@zatgate/zcash/spending-key'
import { externalIncomingViewingKey } from '@zatgate/zcash/viewing-key'

/** The networks that the sandbox simulates. Both derive the same keys (SLIP 44 coin type 1) and encode them differently. */
export type SandboxNetwork = Exclude<Network, 'main'>

/** ZIP 32 account indexes, derived from the seed of the chain. */
const ACCOUNTS = { merchant: 0, wallet: 1, foreign: 2, operator: 3 } as const

type AccountName = keyof typeof ACCOUNTS

/** The viewing key (UFVK) of the merchant, which the demo account uses. */
export function demoViewingKey(seed: Uint8Array, network: SandboxNetwork = 'regtest'): string {
  return encodeFullViewingKey(fullKey(seed, 'merchant'), network)
}

/** The viewing key (UFVK) of the operator, for billing. */
export function operatorViewingKey(seed: Uint8Array, network: SandboxNetwork = 'regtest'): string {
  return encodeFullViewingKey(fullKey(seed, 'operator'), network)
}

/** The receiver of the sandbox wallet's change, 43 bytes. */
export function walletReceiver(seed: Uint8Array): Uint8Array {
  return firstReceiver(seed, 'wallet')
}

/** A receiver of no account and no wallet, for unrelated transactions: 43 bytes. */
export function foreignReceiver(seed: Uint8Array): Uint8Array {
  return firstReceiver(seed, 'foreign')
}

function firstReceiver(seed: Uint8Array, account: AccountName): Uint8Array {
  return orchardReceiver(externalIncomingViewingKey(fullKey(seed, account)), 0n)
}

function fullKey(seed: Uint8Array, account: AccountName) {
  return deriveFullViewingKey(deriveOrchardSpendingKey(seed, COIN_TYPES.regtest, ACCOUNTS[account]))
}
