import { expectLength, ZcashError } from './errors.ts'

export const MEMO_LENGTH = 512

/** What a memo says (ZIP 302). `bytes`: agreed in private, structured, from the future, or no valid text. */
export type Memo =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** Every 512 bytes mean something: a memo never fails a payment. Throws `wrong_length` for any other number. */
export function decodeMemo(memo: Uint8Array): Memo {
  expectLength('a memo', memo, MEMO_LENGTH)
  const end = memo.findLastIndex(byte => byte !== 0) + 1
  if (memo[0] === 0xf6 && end === 1) return { kind: 'empty' }
  if (memo[0]! <= 0xf4) {
    const text = decodeUtf8(memo.subarray(0, end))
    if (text !== undefined) return { kind: 'text', text }
  }
  return { kind: 'bytes', bytes: memo.slice() }
}

/** 512 bytes; no text gives the "no memo" memo. Throws `memo_too_long`, or `invalid_memo` for text that UTF-8 or the
 * zero padding would change. */
export function encodeMemo(text: string): Uint8Array {
  if (!text.isWellFormed() || text.endsWith('\0')) {
    throw new ZcashError('invalid_memo', 'a memo must be well-formed text that does not end in NUL')
  }
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > MEMO_LENGTH) throw new ZcashError('memo_too_long', `a memo holds ${MEMO_LENGTH} bytes of UTF-8`)
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
