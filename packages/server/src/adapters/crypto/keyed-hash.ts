import { createHmac, hkdfSync } from 'node:crypto'
import type { KeyedHash } from '../../ports.ts'

/**
 * HMAC-SHA256 under a key derived from the newest encryption key (HKDF, RFC 5869). What it makes lives for a day at
 * most, so that nothing needs the older keys.
 */
export function createKeyedHash(keys: readonly Uint8Array[]): KeyedHash {
  const newest = keys[0]
  if (!newest) throw new RangeError('a keyed hash needs a key')
  const key = Buffer.from(hkdfSync('sha256', newest, '', 'zatgate keyed hash', 32))
  return {
    hash: (context, text) =>
      createHmac('sha256', key)
        .update(JSON.stringify([context, text]))
        .digest(),
  }
}
