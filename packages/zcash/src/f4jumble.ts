import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { ZcashError } from './errors.ts'

/** The shortest message of F4Jumble, in bytes (ZIP 316, "Jumbling"). */
export const MIN_JUMBLE_LENGTH = 48
/** The longest message of F4Jumble, in bytes (ZIP 316, "Jumbling"). */
export const MAX_JUMBLE_LENGTH = 4_194_368

const HASH_LENGTH = 64
const H_NAME = utf8ToBytes('UA_F4Jumble_H')
const G_NAME = utf8ToBytes('UA_F4Jumble_G')

/**
 * F4Jumble (ZIP 316, "Jumbling"): an unkeyed permutation of messages of 48 to 4,194,368 bytes. The result has the
 * length of the message.
 * @throws ZcashError `wrong_length`
 */
export function f4Jumble(message: Uint8Array): Uint8Array {
  const { left: a, right: b } = split(message)
  const x = xor(b, g(0, a, b.length))
  const y = xor(a, h(0, x, a.length))
  const d = xor(x, g(1, y, b.length))
  const c = xor(y, h(1, d, a.length))
  return concatBytes(c, d)
}

/** The inverse of {@link f4Jumble}. @throws ZcashError `wrong_length` */
export function f4JumbleInverse(jumbled: Uint8Array): Uint8Array {
  const { left: c, right: d } = split(jumbled)
  const y = xor(c, h(1, d, c.length))
  const x = xor(d, g(1, y, d.length))
  const a = xor(y, h(0, x, c.length))
  const b = xor(x, g(0, a, d.length))
  return concatBytes(a, b)
}

function split(message: Uint8Array): { left: Uint8Array; right: Uint8Array } {
  if (message.length < MIN_JUMBLE_LENGTH || message.length > MAX_JUMBLE_LENGTH) {
    throw new ZcashError('wrong_length', `must be ${MIN_JUMBLE_LENGTH} to ${MAX_JUMBLE_LENGTH} bytes`)
  }
  const middle = Math.min(HASH_LENGTH, Math.floor(message.length / 2))
  return { left: message.subarray(0, middle), right: message.subarray(middle) }
}

function h(round: number, input: Uint8Array, length: number): Uint8Array {
  return blake2b(input, { dkLen: length, personalization: concatBytes(H_NAME, Uint8Array.of(round, 0, 0)) })
}

function g(round: number, input: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length)
  for (let j = 0; j * HASH_LENGTH < length; j++) {
    const personalization = concatBytes(G_NAME, Uint8Array.of(round, j & 0xff, j >> 8))
    const block = blake2b(input, { dkLen: HASH_LENGTH, personalization })
    output.set(block.subarray(0, length - j * HASH_LENGTH), j * HASH_LENGTH)
  }
  return output
}

function xor(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, i) => byte ^ right[i]!)
}
