import { concatBytes } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import { f4Jumble } from '../src/f4jumble.ts'

// Encoders of the tests: independent of those in src.

/** An unsigned 32-bit integer, little-endian. */
export function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** A compactSize up to 65535. */
export function compactSize(value: number): Uint8Array {
  return value < 0xfd ? Uint8Array.of(value) : Uint8Array.of(0xfd, value & 0xff, value >> 8)
}

/** A unified container (ZIP 316) of arbitrary items. */
export function container(prefix: string, ...items: readonly Uint8Array[]): string {
  return paddedContainer(prefix, prefix, ...items)
}

/** A unified container whose padding has the prefix `padded`, which may be wrong. */
export function paddedContainer(prefix: string, padded: string, ...items: readonly Uint8Array[]): string {
  const padding = new Uint8Array(16)
  padding.set(new TextEncoder().encode(padded))
  return bech32m.encode(prefix, bech32m.toWords(f4Jumble(concatBytes(...items, padding))), false)
}

/** An encoded item of a unified container, with arbitrary contents. */
export function item(typecode: number, length: number): Uint8Array {
  return concatBytes(compactSize(typecode), compactSize(length), new Uint8Array(length).fill(7))
}
