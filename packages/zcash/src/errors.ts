/** The reason of a {@link ZcashError}. The codes are stable, so callers can branch on them. */
export type ZcashErrorCode =
  | 'wrong_length'
  | 'invalid_encoding'
  | 'invalid_checksum'
  | 'invalid_padding'
  | 'unknown_prefix'
  | 'unsupported_revision'
  | 'unsupported_item'
  | 'wrong_kind'
  | 'duplicate_item'
  | 'misordered_items'
  | 'no_shielded_item'
  | 'no_key_item'
  | 'invalid_point'
  | 'invalid_scalar'
  | 'invalid_key'
  | 'invalid_seed'
  | 'out_of_range'
  | 'invalid_memo'
  | 'memo_too_long'
  | 'invalid_transaction'
  | 'invalid_block'
  | 'unsupported_version'
  | 'invalid_txid'
  | 'invalid_uri'
  | 'invalid_amount'

/** The only error that this package throws for malformed input. `message` is for people and contains no secret. */
export class ZcashError extends Error {
  override readonly name = 'ZcashError'
  readonly code: ZcashErrorCode

  constructor(code: ZcashErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Checks that `bytes` is a byte array of exactly `length` bytes. `name` names the value in the message.
 * @throws ZcashError `wrong_length`
 */
export function expectLength(name: string, bytes: Uint8Array, length: number): void {
  if (!(bytes instanceof Uint8Array) || bytes.length !== length) {
    throw new ZcashError('wrong_length', `${name} must be ${length} bytes`)
  }
}

/** The scan kernel cannot run, or has found an error in its results: nothing is known, and the caller takes the plain path. */
export class KernelError extends Error {
  override readonly name = 'KernelError'
}
