import { unsafe } from '@noble/ciphers/aes.js'
import { KernelError } from '../errors.ts'
import type { Method } from './recode.ts'
import { instantiate, type KernelFunctions, type KernelMemory, type Places } from './wasm.ts'
import type { Window } from './window.ts'

/** Bytes of an encoded point at INPUT, with what follows it. */
export const INPUT_ITEM = 40
const POINT = 80
const ENCODED_POINT = 32
const DIVERSIFIER = 11
/** Bytes between two diversifiers, and between two messages of `jumble`. */
const DIVERSIFIER_STRIDE = 16
const MESSAGE_STRIDE = 64
const ENTRY = 160
const STEP = 6
const PAGE = 65_536

/** Multiplications: of pair n, point `points[n]` of the tables times scalar `scalars[n]` of the digits. */
export interface Pairs {
  readonly points: Uint32Array
  readonly scalars: Uint32Array
  /** The number of the item at INPUT that `findCandidates` reads. */
  readonly actions: Uint32Array
}

/** Room for `size` pairs. */
export function createPairs(size: number): Pairs {
  return { points: new Uint32Array(size), scalars: new Uint32Array(size), actions: new Uint32Array(size) }
}

/** Recoded scalars in the order that the kernel reads: the codes of all for the lowest window, for the next one, … */
export interface Digits {
  readonly method: Method
  readonly count: number
  readonly codes: Uint16Array
}

/** Gathers the codes of scalars that were recoded for one method. */
export function toDigits(method: Method, scalars: readonly Uint16Array[]): Digits {
  const count = scalars.length
  const codes = new Uint16Array(method.windows.length * count)
  for (let i = 0; i < method.windows.length; i++) {
    for (let k = 0; k < count; k++) codes[i * count + k] = scalars[k]![i]!
  }
  return { method, count, codes }
}

/** An instance of the kernel and its memory. */
export class Machine {
  readonly run: KernelFunctions
  readonly at: Places
  readonly #memory: KernelMemory
  #program: Method | undefined
  #digits: Digits | undefined
  #tables = { start: 0, stride: 0 }

  /** @throws Error if WebAssembly or the processor lacks what the kernel needs */
  constructor(wasm: Uint8Array) {
    const { memory, run, at } = instantiate(wasm)
    this.#memory = memory
    this.run = run
    this.at = at
  }

  /** The size of the memory. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength
  }

  /** A view of the memory, which is valid until a call that needs more memory. */
  bytes(start: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, start, length)
  }

  /** The bytes of a table of one point. */
  static tableBytes(method: Method): number {
    return partsOf(method).reduce((sum, { window, count }) => sum + window.size * count, 0) * ENTRY
  }

  /** Decodes the points at INPUT and closes the gaps of those that are not valid. Returns the numbers of the valid ones. */
  decodePoints(count: number): number[] {
    this.run.decodePoints(count)
    const flags = this.bytes(this.at.OUTPUT, count)
    const points = this.bytes(this.at.POINTS, count * POINT)
    const valid: number[] = []
    for (let i = 0; i < count; i++) {
      if (flags[i] !== 1) continue
      points.copyWithin(valid.length * POINT, i * POINT, (i + 1) * POINT)
      valid.push(i)
    }
    return valid
  }

  /** The most diversifiers in one call: each takes a slot of two pairs when it is hashed. */
  get maxBases(): number {
    return this.at.MAX_PAIRS / 2
  }

  /**
   * The encodings of [k] g_d for each diversifier d, `maxBases` at most, where k is the only scalar of the digits or the
   * one in the place of d.
   */
  multiplyBases(diversifiers: readonly Uint8Array[], digits: Digits): Uint8Array[] {
    const count = diversifiers.length
    const pairs = createPairs(count)
    for (let n = 0; n < count; n++) {
      pairs.points[n] = n
      pairs.scalars[n] = digits.count === 1 ? 0 : n
    }
    this.hashDiversifiers(diversifiers)
    this.useDigits(digits)
    this.buildTables(0, count)
    this.multiply(pairs, count)
    return this.encodeResults(0, count)
  }

  /** The diversifiers at `count` indexes from `first` on, `maxBases` at most. Twin: `deriveDiversifier`. */
  deriveDiversifiers(dk: Uint8Array, first: bigint, count: number): Uint8Array[] {
    const roundKeys = unsafe.expandKeyLE(dk)
    new Uint32Array(this.#memory.buffer, this.at.INPUT, roundKeys.length).set(roundKeys)
    this.run.deriveDiversifiers(first & 0xffffffffffffffffn, first >> 64n, count)
    return this.#items(this.at.POINTS, DIVERSIFIER_STRIDE, count, DIVERSIFIER)
  }

  /** F4Jumble of at most `MAX_POINTS` messages of the same length, 48 to 64 bytes. Twin: `f4Jumble`. */
  jumble(messages: readonly Uint8Array[]): Uint8Array[] {
    const [first] = messages
    if (!first) return []
    const input = this.bytes(this.at.INPUT, messages.length * MESSAGE_STRIDE)
    for (const [i, message] of messages.entries()) input.set(message, i * MESSAGE_STRIDE)
    this.run.jumble(messages.length, first.length)
    return this.#items(this.at.INPUT, MESSAGE_STRIDE, messages.length, first.length)
  }

  /** Hashes at most `maxBases` diversifiers of 11 bytes to points. Twin: `diversifyHash`. */
  hashDiversifiers(diversifiers: readonly Uint8Array[]): void {
    const count = diversifiers.length
    const bytes = this.bytes(this.at.POINTS, count * DIVERSIFIER_STRIDE).fill(0)
    for (const [i, d] of diversifiers.entries()) bytes.set(d, i * DIVERSIFIER_STRIDE)
    this.run.hashDiversifiers(count)
    check(this.run.hashToPoints(count))
  }

  /** The encodings of `count` results of `multiply` from `first` on, 32 bytes each. */
  encodeResults(first: number, count: number): Uint8Array[] {
    const even = first & ~1
    this.run.encodeAccumulators(even, first + count - even + ((first + count) & 1))
    return this.#items(this.at.OUTPUT + (first - even) * ENCODED_POINT, ENCODED_POINT, count, ENCODED_POINT)
  }

  /** Makes these digits the ones that `multiply` uses. */
  useDigits(digits: Digits): void {
    if (this.#digits === digits) return
    this.#reserve(this.at.HEAP + digits.codes.byteLength)
    new Uint16Array(this.#memory.buffer, this.at.HEAP, digits.codes.length).set(digits.codes)
    this.#digits = digits
    this.#useProgram(digits.method)
  }

  /** Builds the tables of `count` decoded points, from `first` on, for the digits in use. */
  buildTables(first: number, count: number): void {
    const { method, codes } = this.#digits!
    const stride = Machine.tableBytes(method)
    const start = align(this.at.HEAP + codes.byteLength)
    this.#reserve(start + stride * count)
    this.#tables = { start, stride }
    const { run } = this
    run.setTables(start, stride)
    run.loadPoints(first, count)
    let step = 0
    let offset = 0
    const runs = partsOf(method)
    const bases: number[] = []
    for (const { window, count: parts } of runs) {
      for (let part = 0; part < parts; part++, offset += window.size * ENTRY) {
        bases.push(offset + window.nextBase * ENTRY)
        run.storeEntries(offset, count)
        if (bases.length > 1) run.storeEntries(bases.at(-2)!, count)
        for (let bit = 0; bit < window.width; bit++) check(run.doublePoints(count))
      }
    }
    run.storeEntries(bases.at(-1)!, count)
    offset = 0
    for (const { window, count: parts } of runs) {
      for (const { steps, doubles } of window.levels) {
        check(run.runProgram(step, steps.length, count, offset, parts, window.size, doubles ? 1 : 0))
        step += steps.length
      }
      offset += parts * window.size * ENTRY
    }
  }

  /** Multiplies the first `count` of the pairs, `maxPairs` at most. The results are in the accumulators of the kernel, and on the curve. */
  multiply({ points, scalars: numbers, actions }: Pairs, count: number): void {
    const { method, count: scalars } = this.#digits!
    const { run } = this
    const { start, stride } = this.#tables
    // An odd number of pairs is filled up with the last one.
    const even = count + (count & 1)
    const words = (start: number) => new Uint32Array(this.#memory.buffer, start, even)
    const tables = words(this.at.PAIR_TABLES)
    const digitNumbers = words(this.at.PAIR_SCALARS)
    const items = words(this.at.PAIR_ACTIONS)
    for (let n = 0; n < even; n++) {
      const pair = Math.min(n, count - 1)
      tables[n] = start + points[pair]! * stride
      digitNumbers[n] = numbers[pair]!
      items[n] = this.at.INPUT + actions[pair]! * INPUT_ITEM
    }
    const digits = (window: number) => this.at.HEAP + 2 * scalars * window
    const last = method.windows.length - 1
    if (method.kind === 'ladder') {
      run.startPairs(even, digits(last), 0)
      for (let i = last - 1; i >= 0; i--) {
        for (let bit = 0; bit < method.windows[i]!.width; bit++) check(run.doublePairs(even))
        check(run.addPairs(even, digits(i), 0))
      }
    } else {
      run.startPairs(even, digits(0), 0)
      let offset = 0
      for (let i = 1; i <= last; i++) {
        offset += method.windows[i - 1]!.size * ENTRY
        check(run.addPairs(even, digits(i), offset))
      }
    }
    check(run.areOnCurve(even))
  }

  /** Copies items of `length` bytes, `stride` bytes apart. */
  #items(start: number, stride: number, count: number, length: number): Uint8Array[] {
    const bytes = this.bytes(start, count * stride)
    return Array.from({ length: count }, (_, i) => bytes.slice(i * stride, i * stride + length))
  }

  #useProgram(method: Method): void {
    if (this.#program === method) return
    const steps = partsOf(method).flatMap(({ window }) => window.levels.flatMap(level => level.steps))
    const program = new Uint16Array(this.#memory.buffer, this.at.PROGRAM, steps.length * (STEP / 2))
    for (const [i, step] of steps.entries()) program.set(step, i * (STEP / 2))
    this.#program = method
  }

  #reserve(end: number): void {
    const missing = end - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE))
  }
}

/** The windows that have their own table parts, in runs of equal ones. */
function partsOf({ kind, windows }: Method): { window: Window; count: number }[] {
  const runs: { window: Window; count: number }[] = []
  for (const window of kind === 'comb' ? windows : windows.slice(0, 1)) {
    const run = runs.at(-1)
    if (run?.window === window) run.count++
    else runs.push({ window, count: 1 })
  }
  return runs
}

function align(address: number): number {
  return Math.ceil(address / 64) * 64
}

function check(done: number): void {
  if (!done) throw new KernelError('a denominator is zero, or a product is not on the curve')
}
