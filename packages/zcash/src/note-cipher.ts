import { chacha20, chacha20poly1305 } from '@noble/ciphers/chacha.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Pool } from './note.ts'

export const COMPACT_LENGTH = 52
export const ENC_CIPHERTEXT_LENGTH = 580
export const OUT_CIPHERTEXT_LENGTH = 80

/** The first byte of a note plaintext, by pool (ZIP 212; ZIP 229 for Ironwood). */
const LEAD_BYTES: Readonly<Record<Pool, number>> = { orchard: 0x02, ironwood: 0x03 }

/** The compact part of a note plaintext (protocol specification §5.5), without its lead byte. */
export interface CompactPlaintext {
  readonly d: Uint8Array
  readonly value: bigint
  readonly rseed: Uint8Array
}

const KDF_PERSONALIZATION = utf8ToBytes('Zcash_OrchardKDF')
const OCK_PERSONALIZATION = utf8ToBytes('Zcash_Orchardock')
const NONCE = new Uint8Array(12)

/** KDF^Orchard (§5.4.5.6) of the encoded shared point and epk. */
export function noteKey(shared: Uint8Array, ephemeralKey: Uint8Array): Uint8Array {
  return blake2b(concatBytes(shared, ephemeralKey), { dkLen: 32, personalization: KDF_PERSONALIZATION })
}

/** PRF^ock (§5.4.2): the key of the sender's own copy. */
export function outgoingKey(ovk: Uint8Array, cvNet: Uint8Array, cmx: Uint8Array, ephemeralKey: Uint8Array): Uint8Array {
  return blake2b(concatBytes(ovk, cvNet, cmx, ephemeralKey), { dkLen: 32, personalization: OCK_PERSONALIZATION })
}

/** The first bytes of a sealed plaintext, unauthenticated (ZIP 307): the caller checks the commitment. */
export function decryptCompact(key: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return chacha20(key, NONCE, ciphertext, undefined, 1)
}

export function encrypt(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  return chacha20poly1305(key, NONCE).encrypt(plaintext)
}

/** undefined when the tag is wrong */
export function decrypt(key: Uint8Array, ciphertext: Uint8Array): Uint8Array | undefined {
  try {
    return chacha20poly1305(key, NONCE).decrypt(ciphertext)
  } catch {
    return undefined
  }
}

export function encodeCompactPlaintext(pool: Pool, { d, value, rseed }: CompactPlaintext): Uint8Array {
  return concatBytes(Uint8Array.of(LEAD_BYTES[pool]), d, numberToBytesLE(value, 8), rseed)
}

/** undefined when the lead byte is not the pool's */
export function decodeCompactPlaintext(pool: Pool, plaintext: Uint8Array): CompactPlaintext | undefined {
  if (plaintext[0] !== LEAD_BYTES[pool]) return undefined
  return {
    d: plaintext.slice(1, 12),
    value: bytesToNumberLE(plaintext.subarray(12, 20)),
    rseed: plaintext.slice(20, 52),
  }
}
