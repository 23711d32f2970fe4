import { hash } from 'node:crypto'

/**
 * A deterministic random generator: SHA-256 in counter mode over a seed and a label. Different seeds or labels give
 * independent bytes, so each use has its own label. For the simulated chain only, not for real secrets.
 */
export class SeededRandom {
  readonly #key: Uint8Array
  #counter = 0
  #unused: Uint8Array = new Uint8Array(0)

  constructor(seed: Uint8Array, label: string) {
    this.#key = sha256(new TextEncoder().encode(label), seed)
  }

  bytes(length: number): Uint8Array {
    const out = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      if (this.#unused.length === 0) this.#unused = this.#nextBlock()
      const count = Math.min(this.#unused.length, length - filled)
      out.set(this.#unused.subarray(0, count), filled)
      this.#unused = this.#unused.subarray(count)
      filled += count
    }
    return out
  }

  /** A canonical Pallas base field element, 32 bytes: below 2^254, which is below the modulus. */
  fieldElement(): Uint8Array {
    const bytes = this.bytes(32)
    bytes[31]! &= 0x3f
    return bytes
  }

  /** An integer from 0 to `limit` − 1; `limit` is at most 2^32. */
  below(limit: number): number {
    const value = new DataView(this.bytes(8).buffer).getBigUint64(0, true)
    return Number(value % BigInt(limit))
  }

  /** A new array with the same items in a random order. */
  shuffle<T>(items: readonly T[]): T[] {
    const out = [...items]
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const held = out[i]!
      out[i] = out[j]!
      out[j] = held
    }
    return out
  }

  #nextBlock(): Uint8Array {
    const counter = new Uint8Array(8)
    new DataView(counter.buffer).setBigUint64(0, BigInt(this.#counter++), true)
    return sha256(this.#key, counter)
  }
}

/** SHA-256 of the concatenated parts. */
export function sha256(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(hash('sha256', Buffer.concat(parts), 'buffer'))
}
