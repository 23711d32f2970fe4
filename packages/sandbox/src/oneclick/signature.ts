import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { sha256 } from '../random.ts'

type Fields = Readonly<Record<string, unknown>>

/** The signed parts of a quote response. */
export interface SignedQuote {
  readonly timestamp: string
  readonly quoteRequest: Fields
  readonly quote: Fields
}

/** Request fields that are always signed. */
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

/** Request fields that are signed unless they are falsy (0, an empty string or null). */
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

/** Quote fields that are signed unless they are falsy; never signed in a dry run. */
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

/** The signing key of the simulated provider, derived from the seed. */
export function providerKey(seed: Uint8Array): Uint8Array {
  return sha256(new TextEncoder().encode('1Click signing key'), seed)
}

/** `ed25519:<base58>` */
export function publicKeyText(secretKey: Uint8Array): string {
  return `ed25519:${base58.encode(ed25519.getPublicKey(secretKey))}`
}

/** Signs a quote. Returns `ed25519:<base58>`, which `verifyQuoteSignature` of the 1Click SDK accepts. */
export function signQuote(quote: SignedQuote, secretKey: Uint8Array): string {
  const message = new TextEncoder().encode(quoteHash(quote))
  return `ed25519:${base58.encode(ed25519.sign(message, secretKey))}`
}

/** Base58 of the SHA-256 of the signed fields, as JSON with sorted names. */
export function quoteHash({ quoteRequest, quote, timestamp }: SignedQuote): string {
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

/** Falsy fields become undefined rather than absent, so that they override earlier fields of the same name, as in the SDK. */
function pickPresent(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map(name => [name, fields[name] || undefined]))
}
