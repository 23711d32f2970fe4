import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '@zatgate/zcash/spending-key'
import type { KeyExpiry } from '@zatgate/zcash/viewing-key'

/** A regtest UFVK, deterministic by `seed`. With `expiry` it has Revision 2. */
export function testViewingKey(seed = 1, expiry?: KeyExpiry): string {
  const key = deriveFullViewingKey(deriveOrchardSpendingKey(new Uint8Array(32).fill(seed), 1, 0))
  return encodeFullViewingKey(key, 'regtest', expiry)
}
