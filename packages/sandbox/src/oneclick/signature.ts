import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { sha256 } from '../random.ts'

type Fields = Readonly<Record<string, unknown>>

/** The part of a quote answer that its signature is about. */
export interface SignedAnswer {
  readonly timestamp: string
  readonly quoteRequest: Fields
  readonly quote: Fields
}

/** Fields of the request that are signed as they are, whatever they hold. */
const REQUEST_FIELDS = [
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
]

/** Fields of the request that are signed only when they hold something: neither 0 nor an empty text nor null. */
const OPTIONAL_REQUEST_FIELDS = [
  'quoteWaitingTimeMs',
  'referral',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
]

const QUOTE_FIELDS = [
  'amountIn',
  'amountInFormatted',
  'amountInUsd',
  'minAmountIn',
  'amountOut',
  'amountOutFormatted',
  'amountOutUsd',
  'minAmountOut',
]

/** Fields of the quote that are signed when they hold something, and never in a dry run. */
const OPTIONAL_QUOTE_FIELDS = [
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
]

/** The secret key of a provider that exists in one sandbox only. */
export function providerKey(seed: Uint8Array): Uint8Array {
  return sha256(new TextEncoder().encode('1Click signing key'), seed)
}

/** `ed25519:<base58>` */
export function publicKeyText(secretKey: Uint8Array): string {
  return `ed25519:${base58.encode(ed25519.getPublicKey(secretKey))}`
}

/** The signature of 1Click's quotes, `ed25519:<base58>`, as `verifyQuoteSignature` of its SDK checks it. */
export function signQuote(answer: SignedAnswer, secretKey: Uint8Array): string {
  const message = new TextEncoder().encode(quoteHash(answer))
  return `ed25519:${base58.encode(ed25519.sign(message, secretKey))}`
}

/** Base58 of the SHA-256 of the signed fields as JSON with sorted names. */
export function quoteHash({ quoteRequest, quote, timestamp }: SignedAnswer): string {
  const optionalQuoteFields = quoteRequest.dry ? [] : OPTIONAL_QUOTE_FIELDS
  const signed = {
    ...pick(quoteRequest, REQUEST_FIELDS),
    ...pickPresent(quoteRequest, OPTIONAL_REQUEST_FIELDS),
    ...pick(quote, QUOTE_FIELDS),
    ...pickPresent(quote, optionalQuoteFields),
    timestamp,
  }
  const sorted = Object.fromEntries(Object.entries(signed).sort(([a], [b]) => (a < b ? -1 : 1)))
  return base58.encode(sha256(new TextEncoder().encode(JSON.stringify(sorted))))
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map(name => [name, fields[name]]))
}

/** A field that holds nothing is still named, so that it hides one of the same name before it, as in the SDK. */
function pickPresent(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map(name => [name, fields[name] || undefined]))
}
