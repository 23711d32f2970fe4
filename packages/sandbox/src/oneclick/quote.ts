import { randomUUID } from 'node:crypto'
import { base32nopad, base58, bech32 } from '@scure/base'
import { parseAddress } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import type { SandboxNetwork } from '../chain/keys.ts'
import type { SeededRandom } from '../random.ts'
import { convert, formatUnits, formatUsd, withBasisPoints } from './amounts.ts'
import { signQuote } from './signature.ts'
import { findToken, needsMemo, type Token, ZEC } from './tokens.ts'

/** The body of POST /v0/quote: the fields that the simulated provider uses. */
export interface QuoteRequest {
  readonly dry: boolean
  readonly depositMode?: 'SIMPLE' | 'MEMO'
  readonly swapType: 'EXACT_OUTPUT'
  /** basis points */
  readonly slippageTolerance: number
  readonly originAsset: string
  readonly depositType: 'ORIGIN_CHAIN'
  readonly destinationAsset: string
  /** zat, in digits */
  readonly amount: string
  readonly refundTo: string
  readonly refundType: 'ORIGIN_CHAIN'
  readonly recipient: string
  readonly recipientType: 'DESTINATION_CHAIN'
  /** ISO 8601 */
  readonly deadline: string
  readonly quoteWaitingTimeMs?: number
  readonly referral?: string
}

/** The quote of a response. Amounts are decimal digits in smallest units. */
export interface Quote {
  readonly amountIn: string
  readonly amountInFormatted: string
  readonly amountInUsd: string
  readonly minAmountIn: string
  readonly amountOut: string
  readonly amountOutFormatted: string
  readonly amountOutUsd: string
  readonly minAmountOut: string
  /** seconds */
  readonly timeEstimate: number
  readonly refundFee: string
  readonly withdrawFee: string
  /** absent in a dry run, like the fields below */
  readonly deadline?: string
  readonly timeWhenInactive?: string
  readonly depositAddress?: string
  readonly depositMemo?: string
}

/** The body of the response to POST /v0/quote. */
export interface QuoteResponse {
  readonly correlationId: string
  readonly timestamp: string
  readonly signature: string
  readonly quoteRequest: QuoteRequest & Readonly<Record<string, unknown>>
  readonly quote: Quote & Readonly<Record<string, unknown>>
}

/** A rejected quote request: status 400 with one message or, for validation errors, a list of messages. */
export class QuoteRequestError extends Error {
  override readonly name = 'QuoteRequestError'
  readonly messages: string | string[]

  constructor(messages: string | string[]) {
    super([messages].flat().join('; '))
    this.messages = messages
  }
}

/** The smallest amount that the provider accepts. */
const MIN_AMOUNT_ZAT = 100_000n
/** A deposit address stays active for this time after the requested deadline. */
const GRACE_MS = 3 * 24 * 3600 * 1000
/** The fee of the provider and the spread of the market makers, in basis points of the amount. */
const APP_FEE_BASIS_POINTS = 20
const SPREAD_BASIS_POINTS = 10
const TIME_ESTIMATE_SECS = 150

const text = (value: unknown) => typeof value === 'string' && value !== ''

/** The validation of the provider: field, predicate, and the message for invalid values. */
const RULES: readonly (readonly [keyof QuoteRequest, (value: unknown) => boolean, string])[] = [
  ['dry', value => typeof value === 'boolean', 'dry must be a boolean value'],
  [
    'depositMode',
    value => ['SIMPLE', 'MEMO', undefined].includes(value as string),
    'depositMode must be one of the following values: SIMPLE, MEMO',
  ],
  ['swapType', value => value === 'EXACT_OUTPUT', 'swapType must be one of the following values: EXACT_OUTPUT'],
  [
    'slippageTolerance',
    value => Number.isInteger(value) && (value as number) >= 0,
    'slippageTolerance must be a number',
  ],
  ['originAsset', text, 'originAsset should not be empty'],
  ['depositType', value => value === 'ORIGIN_CHAIN', 'depositType must be one of the following values: ORIGIN_CHAIN'],
  ['destinationAsset', text, 'destinationAsset should not be empty'],
  ['amount', value => typeof value === 'string' && /^\d{1,30}$/.test(value), 'amount must be a string'],
  ['refundTo', text, 'refundTo should not be empty'],
  ['refundType', value => value === 'ORIGIN_CHAIN', 'refundType must be one of the following values: ORIGIN_CHAIN'],
  ['recipient', text, 'recipient should not be empty'],
  [
    'recipientType',
    value => value === 'DESTINATION_CHAIN',
    'recipientType must be one of the following values: DESTINATION_CHAIN',
  ],
  [
    'deadline',
    value => text(value) && !Number.isNaN(Date.parse(value as string)),
    'deadline must be a valid ISO 8601 date string',
  ],
]

/** Checks the body of a quote request. Throws {@link QuoteRequestError} with the messages of the provider. */
export function parseQuoteRequest(
  body: Readonly<Record<string, unknown>>,
  { nowMs, network }: { nowMs: number; network: SandboxNetwork },
): { request: QuoteRequest; origin: Token } {
  const problems = RULES.filter(([field, accepts]) => !accepts(body[field])).map(([, , message]) => message)
  if (problems.length > 0) throw new QuoteRequestError(problems)
  const request = body as unknown as QuoteRequest
  const origin = findToken(request.originAsset)
  if (origin === undefined || origin === ZEC) throw new QuoteRequestError('tokenIn is not valid')
  if (findToken(request.destinationAsset) !== ZEC) throw new QuoteRequestError('tokenOut is not valid')
  if (Number(origin.price) === 0) throw new QuoteRequestError('No liquidity available')
  if (BigInt(request.amount) < MIN_AMOUNT_ZAT) {
    throw new QuoteRequestError(`Amount is too low for bridge, try at least ${MIN_AMOUNT_ZAT}`)
  }
  if (!isPayable(request.recipient, network)) throw new QuoteRequestError('recipient is not valid')
  if (!looksLikeAddress(request.refundTo)) throw new QuoteRequestError('refundTo is not valid')
  if (needsMemo(origin) && request.depositMode !== 'MEMO') {
    throw new QuoteRequestError(`depositMode MEMO is required for ${origin.blockchain}`)
  }
  if (Date.parse(request.deadline) <= nowMs) throw new QuoteRequestError('deadline must be in the future')
  return { request, origin }
}

/** Creates a signed exact-output quote. The buyer pays the fees on top of the price. */
export function makeQuote(
  { request, origin }: { request: QuoteRequest; origin: Token },
  { nowMs, random, secretKey }: { nowMs: number; random: SeededRandom; secretKey: Uint8Array },
): QuoteResponse {
  return sign(
    {
      correlationId: randomUUID(),
      timestamp: new Date(nowMs).toISOString(),
      quoteRequest: echo(request, origin),
      quote: { ...amounts(request, origin), ...(request.dry ? {} : deposit(request, origin, random)) },
    },
    secretKey,
  )
}

/** Signs a quote response. */
export function sign(response: Omit<QuoteResponse, 'signature'>, secretKey: Uint8Array): QuoteResponse {
  return { ...response, signature: signQuote(response, secretKey) }
}

/** The request as GET /v0/status returns it: unset fields are null, and quoteWaitingTimeMs is removed. */
export function echoInStatus({
  quoteWaitingTimeMs: _,
  ...request
}: QuoteResponse['quoteRequest']): Record<string, unknown> {
  return { virtualChainRecipient: null, virtualChainRefundRecipient: null, referral: null, ...request }
}

function echo(request: QuoteRequest, origin: Token): QuoteResponse['quoteRequest'] {
  return {
    ...request,
    depositMode: request.depositMode ?? 'SIMPLE',
    originAsset: origin.normalisedId,
    destinationAsset: ZEC.normalisedId,
    confidentiality: 'public',
    quoteWaitingTimeMs: request.quoteWaitingTimeMs ?? 0,
    appFees: [{ recipient: 'sandbox.near', fee: APP_FEE_BASIS_POINTS }],
    insured: false,
  }
}

function amounts(request: QuoteRequest, origin: Token): Quote {
  const amountOut = BigInt(request.amount)
  const amountIn = withBasisPoints(convert(amountOut, ZEC, origin), APP_FEE_BASIS_POINTS + SPREAD_BASIS_POINTS)
  const fee = withBasisPoints(amountIn, -9_999)
  return {
    amountIn: amountIn.toString(),
    amountInFormatted: formatUnits(amountIn, origin.decimals),
    amountInUsd: formatUsd(amountIn, origin.decimals, origin.price),
    minAmountIn: withBasisPoints(amountIn, -Math.min(request.slippageTolerance, 10_000)).toString(),
    amountOut: amountOut.toString(),
    amountOutFormatted: formatUnits(amountOut, ZEC.decimals),
    amountOutUsd: formatUsd(amountOut, ZEC.decimals, ZEC.price),
    minAmountOut: amountOut.toString(),
    timeEstimate: TIME_ESTIMATE_SECS,
    refundFee: fee.toString(),
    withdrawFee: '0',
  }
}

function deposit(request: QuoteRequest, origin: Token, random: SeededRandom): Partial<Quote> {
  const inactiveAt = new Date(Date.parse(request.deadline) + GRACE_MS).toISOString()
  return {
    deadline: inactiveAt,
    timeWhenInactive: inactiveAt,
    depositAddress: depositAddress(origin, random),
    ...(needsMemo(origin) && { depositMemo: random.below(2 ** 32).toString() }),
  }
}

/** A random deposit address in the format of its chain. No one has its key. */
function depositAddress({ blockchain }: Token, random: SeededRandom): string {
  switch (blockchain) {
    case 'btc':
      return bech32.encode('bc', [0, ...bech32.toWords(random.bytes(20))])
    case 'eth':
    case 'base':
      return `0x${Buffer.from(random.bytes(20)).toString('hex')}`
    case 'sol':
      return base58.encode(random.bytes(32))
    case 'stellar':
      return `G${base32nopad.encode(random.bytes(35)).slice(1)}`
    default:
      return Buffer.from(random.bytes(32)).toString('hex')
  }
}

/** Whether the sandbox wallet can pay the address: it needs an Orchard receiver and the network of the chain. */
function isPayable(recipient: string, ownNetwork: SandboxNetwork): boolean {
  try {
    const { network, orchard } = parseAddress(recipient)
    return network === ownNetwork && orchard !== undefined
  } catch (error) {
    if (error instanceof ZcashError) return false
    throw error
  }
}

/** Accepts any text of 3 to 200 address characters, except text that contains "invalid". */
function looksLikeAddress(refundTo: string): boolean {
  return /^[\w.:-]{3,200}$/.test(refundTo) && !/invalid/i.test(refundTo)
}
