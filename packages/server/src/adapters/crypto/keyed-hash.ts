import { createHmac, hkdfSync } from 'node:crypto'
import type { KeyedHash } from '../../ports/keyed-hash.ts'

/**
 * HMAC-SHA256 under a key derived from the newest encryption key (HKDF, RFC 5869). Its hashes are kept for one day at
 * most, so older keys are not needed.
 */
export function createKeyedHash(keys: readonly Uint8Array[]): KeyedHash {
  const newest = keys[0]
  if (!newest) throw new RangeError('a keyed hash needs at least one key')
  const key = Buffer.from(hkdfSync('sha256', newest, '', 'zatgate keyed hash', 32))
  return {
    hash: (context, text) =>
      createHmac('sha256', key)
        .update(JSON.stringify([context, text]))
        .digest(),
  }
}
