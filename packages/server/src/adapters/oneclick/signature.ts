import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { base58 } from '@scure/base'

type Members = Readonly<Record<string, unknown>>

/** The part of a quote response that the signature covers. */
export interface SignedQuote {
  readonly timestamp: string
  /** `ed25519:<base58>` */
  readonly signature: string
  readonly quoteRequest: Members
  readonly quote: Members
}

/** The provider's production signing key, from its documentation. */
export const PRODUCTION_SIGNING_KEY = 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc'

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32

/** Always signed. */
const REQUEST = [
  'dry',
  'swapType',
  'slippageTolerance',
  'originAsset',
  'depositType',
  'destinationAsset',
  'amount',
  'refundTo',
  'refundType',
  'recipient',
  'recipientType',
  'deadline',
] as const

/** Signed unless empty: missing, null, 0 or ''. */
const REQUEST_OPTIONAL = [
  'quoteWaitingTimeMs',
  'referral',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
] as const

const QUOTE = [
  'amountIn',
  'amountInFormatted',
  'amountInUsd',
  'minAmountIn',
  'amountOut',
  'amountOutFormatted',
  'amountOutUsd',
  'minAmountOut',
] as const

/** Signed unless empty, and never in a dry run. */
const QUOTE_OPTIONAL = [
  'depositAddress',
  'depositMemo',
  'deadline',
  'timeWhenInactive',
  'timeEstimate',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
  'refundFee',
  'withdrawFee',
] as const

/**
 * Verifies the provider's signature of a quote: Ed25519 over the text of `quoteDigest`, as in `quote-signature` of the
 * provider's SDK. Returns false for a malformed signature or key.
 *
 * @param publicKey `ed25519:<base58>`
 */
export function isSignedBy(response: SignedQuote, publicKey: string): boolean {
  const signature = decode(response.signature, SIGNATURE_BYTES)
  const key = decode(publicKey, KEY_BYTES)
  if (!signature || !key) return false
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }
  return verify(null, Buffer.from(quoteDigest(response)), createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

/**
 * Base58 of the SHA-256 of the signed members as JSON, sorted by name. Request and quote share one namespace: for a name
 * in both, the quote's value is used, even if it is empty.
 */
export function quoteDigest({ quoteRequest, quote, timestamp }: SignedQuote): string {
  const signed = new Map<string, unknown>([
    ...REQUEST.map(name => [name, quoteRequest[name]] as const),
    ...REQUEST_OPTIONAL.map(name => [name, quoteRequest[name] || undefined] as const),
    ...QUOTE.map(name => [name, quote[name]] as const),
    ...(quoteRequest.dry ? [] : QUOTE_OPTIONAL.map(name => [name, quote[name] || undefined] as const)),
    ['timestamp', timestamp],
  ])
  const sorted = [...signed].sort(([a], [b]) => (a < b ? -1 : 1))
  return base58.encode(sha256(new TextEncoder().encode(JSON.stringify(Object.fromEntries(sorted)))))
}

function decode(text: string, bytes: number): Uint8Array | null {
  const encoded = /^ed25519:([1-9A-HJ-NP-Za-km-z]{1,90})$/.exec(text)?.[1]
  if (encoded === undefined) return null
  const decoded = base58.decode(encoded)
  return decoded.length === bytes ? decoded : null
}
