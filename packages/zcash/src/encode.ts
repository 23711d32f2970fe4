import { concatBytes } from '@noble/hashes/utils.js'
import { ZcashError } from './errors.ts'

/**
 * Encodes an unsigned 32-bit integer, little-endian. `field` names it in the error message.
 * @throws ZcashError `out_of_range`
 */
export function encodeUint32(field: string, value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new ZcashError('out_of_range', `${field} must be a whole number from 0 to 4294967295`)
  }
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/**
 * Encodes a compactSize, the variable-length integer of Bitcoin, in its shortest form.
 * @throws ZcashError `out_of_range` above 2^32 − 1
 */
export function encodeCompactSize(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value)
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >>> 8)
  return concatBytes(Uint8Array.of(0xfe), encodeUint32('count', value))
}

/** Whether UTF-8 can express the text: it has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
