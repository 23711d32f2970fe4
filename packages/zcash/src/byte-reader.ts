import { ZcashError } from './errors.ts'

/** Largest count a compactSize may state (zcashd MAX_SIZE). */
const MAX_COMPACT_SIZE = 0x02000000

/**
 * Reads little-endian fields in order. Whatever is cut short or malformed throws `invalid_transaction`, or
 * `invalid_block` where the bytes are a block's.
 */
export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #subject: 'transaction' | 'block'
  readonly #view: DataView
  #offset = 0

  constructor(bytes: Uint8Array, subject: 'transaction' | 'block' = 'transaction') {
    this.#bytes = bytes
    this.#subject = subject
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get offset(): number {
    return this.#offset
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset
  }

  /** A view of the next `length` bytes, not a copy. */
  bytes(length: number, field: string): Uint8Array {
    const start = this.#advance(length, field)
    return this.#bytes.subarray(start, start + length)
  }

  /** What was read since `start`: a view, not a copy. */
  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#offset)
  }

  uint8(field: string): number {
    return this.#view.getUint8(this.#advance(1, field))
  }

  uint32(field: string): number {
    return this.#view.getUint32(this.#advance(4, field), true)
  }

  /** Bitcoin's variable-length integer; only its shortest form is valid. */
  compactSize(field: string): number {
    const first = this.uint8(field)
    if (first < 0xfd) return first
    const width = first === 0xfd ? 2 : first === 0xfe ? 4 : 8
    const start = this.#advance(width, field)
    const value =
      width === 2
        ? this.#view.getUint16(start, true)
        : width === 4
          ? this.#view.getUint32(start, true)
          : Number(this.#view.getBigUint64(start, true))
    const shortest = width === 2 ? 0xfd : width === 4 ? 0x10000 : 0x100000000
    if (value < shortest) throw this.invalid(`${field} is not in its shortest form`)
    if (value > MAX_COMPACT_SIZE) throw this.invalid(`${field} is too large`)
    return value
  }

  /** A compactSize count of items of at least `itemLength` bytes, refused unless that many can still follow. */
  count(itemLength: number, field: string): number {
    const count = this.compactSize(field)
    if (count * itemLength > this.remaining)
      throw this.invalid(`${field} promises more than the ${this.#subject} holds`)
    return count
  }

  expectEnd(): void {
    if (this.remaining > 0) throw this.invalid(`${this.remaining} bytes are left over after the ${this.#subject}`)
  }

  /** The error for these bytes, to be thrown by the caller. */
  invalid(reason: string): ZcashError {
    return new ZcashError(`invalid_${this.#subject}`, `Not a valid ${this.#subject}: ${reason}`)
  }

  #advance(length: number, field: string): number {
    if (length > this.remaining) throw this.invalid(`it ends inside ${field}`)
    const start = this.#offset
    this.#offset += length
    return start
  }
}
