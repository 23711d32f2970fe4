import { base64urlnopad } from '@scure/base'
import { isWellFormed } from './encode.ts'
import { ZcashError, type ZcashErrorCode } from './errors.ts'
import { MEMO_LENGTH } from './memo.ts'

/** The largest amount, in zat: 21,000,000 ZEC (ZIP 321, "Transfer amount"). */
export const MAX_MONEY = 2_100_000_000_000_000n

const ZAT_PER_ZEC = 100_000_000n
/** The characters of the largest memo in base64url. */
const MAX_MEMO_TEXT_LENGTH = 683
/** Characters. Far above any request for one payment; bounds the cost of hostile input. */
const MAX_URI_LENGTH = 8192
const MAX_AMOUNT_LENGTH = 64

/** A payment request for one payment (ZIP 321). */
export interface PaymentRequest {
  /** as written: letters and digits, of any address kind but Sprout; otherwise not checked */
  readonly address: string
  /** zat, 0 to {@link MAX_MONEY}; if absent, the payer chooses the amount */
  readonly amount?: bigint
  /** at most 512 bytes, not padded */
  readonly memo?: Uint8Array
  readonly label?: string
  readonly message?: string
}

/** The input of {@link formatPaymentUri}. */
export type PaymentUriInput = Omit<PaymentRequest, 'memo'> & {
  /** bytes, or text to encode as UTF-8 (ZIP 302); at most 512 bytes */
  readonly memo?: Uint8Array | string
}

/**
 * Formats a payment request URI (ZIP 321) for one payment: `zcash:<address>?amount=…&memo=…`.
 * @throws ZcashError `invalid_uri` for an address, label, message or length that {@link parsePaymentUri} rejects;
 *   `invalid_amount`, `invalid_memo`, `memo_too_long`
 */
export function formatPaymentUri({ address, amount, memo, label, message }: PaymentUriInput): string {
  const params: string[] = []
  if (amount !== undefined) params.push(`amount=${formatZec(amount)}`)
  if (memo !== undefined) params.push(`memo=${base64urlnopad.encode(memoBytes(memo))}`)
  if (label !== undefined) params.push(`label=${encodeText('label', label)}`)
  if (message !== undefined) params.push(`message=${encodeText('message', message)}`)
  checkAddress(address, memo !== undefined)
  const uri = `zcash:${address}${params.length > 0 ? `?${params.join('&')}` : ''}`
  if (uri.length > MAX_URI_LENGTH) throw invalidUri(`it is longer than ${MAX_URI_LENGTH} characters`)
  return uri
}

/**
 * Parses a payment request URI (ZIP 321) for one payment. Rejects text outside the grammar, repeated parameters, `req-`
 * parameters, `asset_id` and URIs above 8192 characters. Ignores other unknown parameters.
 * @throws ZcashError `invalid_uri`, `invalid_amount`, `invalid_memo`, `memo_too_long`
 */
export function parsePaymentUri(uri: string): PaymentRequest {
  const params = parseParams(uri)
  const address = params.get('address')
  const amount = params.get('amount')
  const memo = params.get('memo')
  const label = params.get('label')
  const message = params.get('message')
  if (address === undefined) throw invalidUri('it has no address')
  checkAddress(address, memo !== undefined)
  return {
    address,
    ...(amount !== undefined && { amount: parseZec(amount) }),
    ...(memo !== undefined && { memo: decodeMemoText(memo) }),
    ...(label !== undefined && { label: decodeText('label', label) }),
    ...(message !== undefined && { message: decodeText('message', message) }),
  }
}

/**
 * Formats an amount in zat as decimal ZEC without an exponent or trailing zeros (ZIP 321, "Transfer amount").
 * @throws ZcashError `invalid_amount` outside 0 to {@link MAX_MONEY}
 */
export function formatZec(zat: bigint): string {
  if (zat < 0n || zat > MAX_MONEY) {
    throw new ZcashError('invalid_amount', 'An amount must lie between 0 and 21000000 ZEC')
  }
  const whole = zat / ZAT_PER_ZEC
  const fraction = (zat % ZAT_PER_ZEC).toString().padStart(8, '0').replace(/0+$/, '')
  return fraction === '' ? `${whole}` : `${whole}.${fraction}`
}

/**
 * Parses decimal ZEC (ZIP 321, "Transfer amount") to zat: digits, or digits, a point and 1 to 8 digits; at most 64
 * characters.
 * @throws ZcashError `invalid_amount`, also above {@link MAX_MONEY}
 */
export function parseZec(text: string): bigint {
  const match = text.length <= MAX_AMOUNT_LENGTH ? /^([0-9]+)(?:\.([0-9]{1,8}))?$/.exec(text) : null
  if (!match) {
    throw new ZcashError('invalid_amount', 'An amount is decimal ZEC such as 1 or 0.25, with at most 8 decimal places')
  }
  const [, whole = '', fraction = ''] = match
  const zat = BigInt(whole) * ZAT_PER_ZEC + BigInt(fraction.padEnd(8, '0'))
  if (zat > MAX_MONEY) throw new ZcashError('invalid_amount', 'An amount must not be above 21000000 ZEC')
  return zat
}

const PARAMETER = /^([A-Za-z][A-Za-z0-9+-]*|asset_id)(?:\.([1-9][0-9]{0,3}))?(?:=(.*))?$/s
const QUERY_TEXT = /^(?:[A-Za-z0-9\-._~!$'()*+,;:@]|%[0-9A-Fa-f]{2})*$/
const VALUED = new Set(['address', 'amount', 'memo', 'label', 'message'])

/** The parameters by name, including the address. They belong to one payment and appear at most once. */
function parseParams(uri: string): Map<string, string> {
  if (uri.length > MAX_URI_LENGTH) throw invalidUri(`it is longer than ${MAX_URI_LENGTH} characters`)
  if (!uri.startsWith('zcash:')) throw invalidUri('it does not start with zcash:')
  const mark = uri.indexOf('?')
  const params = new Map<string, string>()
  const indices = new Set<string>()
  const address = uri.slice('zcash:'.length, mark < 0 ? undefined : mark)
  if (address !== '') {
    params.set('address', address)
    indices.add('')
  }
  const query = mark < 0 ? [] : uri.slice(mark + 1).split('&')
  for (const param of query.filter(text => text !== '')) {
    const { name, index, value } = parseParam(param)
    if (params.has(name) && indices.has(index)) throw invalidUri(`it gives ${name} twice`)
    indices.add(index)
    if (indices.size > 1) throw invalidUri('it requests more than one payment')
    params.set(name, value)
  }
  return params
}

function parseParam(param: string): { name: string; index: string; value: string } {
  const match = PARAMETER.exec(param)
  if (!match) throw invalidUri('a parameter is malformed')
  const [, name = '', index = '', value] = match
  if (name.startsWith('req-')) throw invalidUri(`it requires ${name}, which is not supported`)
  if (name === 'asset_id') throw invalidUri('it requests an asset other than ZEC')
  if (VALUED.has(name) && value === undefined) throw invalidUri(`${name} has no value`)
  if (value !== undefined && !QUERY_TEXT.test(value))
    throw invalidUri(`${name} contains a character that must be escaped`)
  return { name, index, value: value ?? '' }
}

/** Transparent addresses, including TEX addresses (ZIP 320), cannot receive a memo. */
const TRANSPARENT = /^(?:t[123m]|tex1|textest1|texregtest1)/
/** Sprout addresses cannot receive payments (ZIP 211). */
const SPROUT = /^(?:zc|zt(?!estsapling1))/

function checkAddress(address: string, hasMemo: boolean): void {
  if (!/^[A-Za-z0-9]+$/.test(address)) throw invalidUri('an address consists of letters and digits')
  if (SPROUT.test(address)) throw invalidUri('a Sprout address cannot receive payments')
  if (hasMemo && TRANSPARENT.test(address)) throw invalidUri('a transparent address cannot receive a memo')
}

function memoBytes(memo: Uint8Array | string): Uint8Array {
  const bytes = typeof memo === 'string' ? utf8('invalid_memo', 'The memo', memo) : memo
  if (bytes.length > MEMO_LENGTH) throw memoTooLong()
  return bytes
}

function decodeMemoText(text: string): Uint8Array {
  if (text.length > MAX_MEMO_TEXT_LENGTH) throw memoTooLong()
  try {
    return base64urlnopad.decode(text)
  } catch {
    throw new ZcashError('invalid_memo', 'A memo is base64url without padding')
  }
}

function encodeText(name: string, text: string): string {
  utf8('invalid_uri', `The ${name}`, text)
  return encodeURIComponent(text)
}

function decodeText(name: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw invalidUri(`${name} is not UTF-8`)
  }
}

function utf8(code: ZcashErrorCode, what: string, text: string): Uint8Array {
  if (!isWellFormed(text)) throw new ZcashError(code, `${what} is not well-formed text`)
  return new TextEncoder().encode(text)
}

function memoTooLong(): ZcashError {
  return new ZcashError('memo_too_long', `A memo has at most ${MEMO_LENGTH} bytes`)
}

function invalidUri(reason: string): ZcashError {
  return new ZcashError('invalid_uri', `Not a payment request for one payment: ${reason}`)
}
