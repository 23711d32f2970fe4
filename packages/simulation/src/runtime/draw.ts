/** A deterministic source of random values (sfc32). Equal seeds give equal values on every machine. */
export class Draw {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** @param seed any integer; `label` separates the streams of one seed */
  constructor(seed: number, label = '') {
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / 2 ** 32) >>> 0
    this.#c = hashOf(label)
    for (let i = 0; i < 12; i++) this.next()
  }

  /** An integer from 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) >>> 0
    this.#counter = (this.#counter + 1) >>> 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) >>> 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) >>> 0
    this.#c = (this.#c + sum) >>> 0
    return sum
  }

  /** A number from 0 to below 1. */
  float(): number {
    return this.next() / 2 ** 32
  }

  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.float() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.float() < probability
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list')
    return items[Math.floor(this.float() * items.length)]!
  }

  /** Picks an item, each with the probability of its share of the weights. */
  weighted<T>(items: readonly (readonly [item: T, weight: number])[]): T {
    let left = this.float() * items.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [item, weight] of items) {
      left -= weight
      if (left < 0) return item
    }
    return items.at(-1)![0]
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.next() & 0xff)
  }

  hex(bytes: number): string {
    return Buffer.from(this.bytes(bytes)).toString('hex')
  }

  /** A seed for another stream. */
  seed(): number {
    return this.next()
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
