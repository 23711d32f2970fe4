import { createHmac, hkdfSync } from 'node:crypto'
import type { KeyedHash } from '../../ports/keyed-hash.ts'

/** HMAC-SHA256 under keys derived from the encryption keys (HKDF, RFC 5869), newest first. */
export function createKeyedHash(encryptionKeys: readonly Uint8Array[]): KeyedHash {
  const keys = encryptionKeys.map(key => Buffer.from(hkdfSync('sha256', key, '', 'zatgate keyed hash', 32)))
  const [newest] = keys
  if (!newest) throw new RangeError('a keyed hash needs at least one key')

  function hashWith(key: Buffer, context: string, text: string): Uint8Array {
    return createHmac('sha256', key)
      .update(JSON.stringify([context, text]))
      .digest()
  }

  return {
    hash: (context, text) => hashWith(newest, context, text),
    allHashes: (context, text) => keys.map(key => hashWith(key, context, text)),
  }
}
