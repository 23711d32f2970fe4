import { isWellFormed } from './encode.ts'
import { expectLength, ZcashError } from './errors.ts'

/** The length of a memo field, in bytes (protocol specification §3.2.1). */
export const MEMO_LENGTH = 512

/**
 * The content of a memo (ZIP 302). `empty` is the "no memo" encoding. `bytes` holds all 512 bytes of a memo that is not
 * valid text: a private agreement, arbitrary data or a reserved format.
 */
export type Memo =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/**
 * Decodes a memo of 512 bytes (ZIP 302). Trailing zeros of a text are removed. Every 512 bytes decode to a result, so a
 * malformed memo never rejects a payment.
 * @throws ZcashError `wrong_length` unless `memo` is 512 bytes
 */
export function decodeMemo(memo: Uint8Array): Memo {
  expectLength('a memo', memo, MEMO_LENGTH)
  let end = MEMO_LENGTH
  while (memo[end - 1] === 0) end--
  if (memo[0] === 0xf6 && end === 1) return { kind: 'empty' }
  if (memo[0]! <= 0xf4) {
    const text = decodeUtf8(memo.subarray(0, end))
    if (text !== undefined) return { kind: 'text', text }
  }
  return { kind: 'bytes', bytes: memo.slice() }
}

/**
 * Encodes text as a memo: UTF-8, padded with zeros to 512 bytes (ZIP 302). The empty text gives the "no memo" encoding.
 * @throws ZcashError `memo_too_long` above 512 bytes; `invalid_memo` for text that the encoding would change: text with
 *   lone surrogates or with a trailing NUL
 */
export function encodeMemo(text: string): Uint8Array {
  if (!isWellFormed(text) || text.endsWith('\0')) {
    throw new ZcashError('invalid_memo', 'a memo must be well-formed text that does not end in NUL')
  }
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > MEMO_LENGTH)
    throw new ZcashError('memo_too_long', `a memo holds at most ${MEMO_LENGTH} bytes of UTF-8`)
  const memo = new Uint8Array(MEMO_LENGTH)
  memo.set(bytes)
  if (bytes.length === 0) memo[0] = 0xf6
  return memo
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
