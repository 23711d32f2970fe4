import { ZcashError } from './errors.ts'

/** The largest value of a compactSize (MAX_SIZE in zcashd). */
const MAX_COMPACT_SIZE = 0x02000000

/**
 * Reads the little-endian fields of a transaction or a block in order. Truncated or malformed input throws a
 * ZcashError: `invalid_transaction` or `invalid_block`. The `field` arguments name the field in the message.
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

  /** The number of bytes read. */
  get offset(): number {
    return this.#offset
  }

  /** The number of bytes left. */
  get remaining(): number {
    return this.#bytes.length - this.#offset
  }

  /** Reads the next `length` bytes: a view, not a copy. */
  bytes(length: number, field: string): Uint8Array {
    const start = this.#advance(length, field)
    return this.#bytes.subarray(start, start + length)
  }

  /** The bytes from the offset `start` to the current offset: a view, not a copy. */
  viewFrom(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#offset)
  }

  /** Reads an unsigned 8-bit integer. */
  uint8(field: string): number {
    return this.#view.getUint8(this.#advance(1, field))
  }

  /** Reads an unsigned 32-bit integer. */
  uint32(field: string): number {
    return this.#view.getUint32(this.#advance(4, field), true)
  }

  /** Reads a compactSize, the variable-length integer of Bitcoin. Only the shortest form is valid. */
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
    if (value < shortest) throw this.invalidError(`${field} is not in its shortest form`)
    if (value > MAX_COMPACT_SIZE) throw this.invalidError(`${field} is too large`)
    return value
  }

  /**
   * Reads a compactSize count of items of at least `itemLength` bytes each. Rejects counts above what the rest can
   * hold.
   */
  count(itemLength: number, field: string): number {
    const count = this.compactSize(field)
    if (count * itemLength > this.remaining)
      throw this.invalidError(`${field} claims more items than the ${this.#subject} can hold`)
    return count
  }

  /** Throws if bytes are left. */
  expectEnd(): void {
    if (this.remaining > 0) throw this.invalidError(`it has ${this.remaining} extra bytes at its end`)
  }

  /** Creates the error for invalid bytes; the caller throws it. */
  invalidError(reason: string): ZcashError {
    return new ZcashError(`invalid_${this.#subject}`, `Not a valid ${this.#subject}: ${reason}`)
  }

  #advance(length: number, field: string): number {
    if (length > this.remaining) throw this.invalidError(`it ends inside ${field}`)
    const start = this.#offset
    this.#offset += length
    return start
  }
}
