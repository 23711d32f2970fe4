import { chacha20, chacha20poly1305 } from '@noble/ciphers/chacha.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { ShieldedPool } from './shielded-pool.ts'

/** Bytes of the compact part of a note plaintext or ciphertext (ZIP 307). */
export const COMPACT_NOTE_LENGTH = 52
/** Bytes of a note ciphertext: 52 compact, 512 memo, 16 authentication tag (protocol specification §5.5). */
export const ENC_CIPHERTEXT_LENGTH = 580
/** Bytes of an outgoing ciphertext: pk_d (32), esk (32), authentication tag (16) (protocol specification §4.20.1). */
export const OUT_CIPHERTEXT_LENGTH = 80

/** The lead byte of a note plaintext: ZIP 212 for Orchard, ZIP 2005 for Ironwood. */
export const LEAD_BYTES: Readonly<Record<ShieldedPool, number>> = { orchard: 0x02, ironwood: 0x03 }

/** The compact part of a note plaintext (protocol specification §5.5), without its lead byte. */
export interface CompactPlaintext {
  /** 11 bytes: the diversifier */
  readonly d: Uint8Array
  /** zat, 0 to 2^64 − 1 */
  readonly value: bigint
  /** 32 bytes */
  readonly rseed: Uint8Array
}

const KDF_PERSONALIZATION = utf8ToBytes('Zcash_OrchardKDF')
const OCK_PERSONALIZATION = utf8ToBytes('Zcash_Orchardock')
const NONCE = new Uint8Array(12)

/**
 * KDF^Orchard (protocol specification §5.4.5.6): the symmetric key of a note ciphertext, 32 bytes. Both inputs are
 * encoded points of 32 bytes.
 */
export function noteEncryptionKey(sharedSecret: Uint8Array, ephemeralKey: Uint8Array): Uint8Array {
  return blake2b(concatBytes(sharedSecret, ephemeralKey), { dkLen: 32, personalization: KDF_PERSONALIZATION })
}

/**
 * PRF^ock of Orchard (protocol specification §5.4.2): the outgoing cipher key, 32 bytes, which lets the sender recover
 * the note. Each input is 32 bytes.
 */
export function outgoingCipherKey(
  ovk: Uint8Array,
  cvNet: Uint8Array,
  cmx: Uint8Array,
  ephemeralKey: Uint8Array,
): Uint8Array {
  return blake2b(concatBytes(ovk, cvNet, cmx, ephemeralKey), { dkLen: 32, personalization: OCK_PERSONALIZATION })
}

/**
 * Decrypts the first bytes of a note ciphertext without authentication (ZIP 307). The caller must verify the note
 * commitment.
 */
export function decryptCompact(key: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return chacha20(key, NONCE, ciphertext, undefined, 1)
}

/** AEAD_CHACHA20_POLY1305 encryption with a zero nonce (protocol specification §5.4.3). Appends a 16-byte tag. */
export function encrypt(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  return chacha20poly1305(key, NONCE).encrypt(plaintext)
}

/** The inverse of {@link encrypt}. Returns undefined if the authentication tag is wrong. */
export function decrypt(key: Uint8Array, ciphertext: Uint8Array): Uint8Array | undefined {
  try {
    return chacha20poly1305(key, NONCE).decrypt(ciphertext)
  } catch {
    return undefined
  }
}

/**
 * Encodes the compact part of a note plaintext, 52 bytes: lead byte ‖ d ‖ value ‖ rseed (protocol specification §5.5).
 */
export function encodeCompactPlaintext(pool: ShieldedPool, { d, value, rseed }: CompactPlaintext): Uint8Array {
  return concatBytes(Uint8Array.of(LEAD_BYTES[pool]), d, numberToBytesLE(value, 8), rseed)
}

/**
 * Decodes the compact part of a note plaintext, at least 52 bytes (protocol specification §5.5). Returns undefined if
 * the lead byte is not the one of the pool.
 */
export function decodeCompactPlaintext(pool: ShieldedPool, plaintext: Uint8Array): CompactPlaintext | undefined {
  if (plaintext[0] !== LEAD_BYTES[pool]) return undefined
  return {
    d: plaintext.slice(1, 12),
    value: bytesToNumberLE(plaintext.subarray(12, 20)),
    rseed: plaintext.slice(20, 52),
  }
}
