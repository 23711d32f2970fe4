import type { Draw } from '../../runtime/draw.ts'
import { ASSETS, ZEC_NORMALISED_ID } from './asset.ts'
import type { Order } from './order.ts'
import { signatureOf } from './signature.ts'

/** The part of a quote that a dishonest provider changes. All but `signature` are signed correctly. */
export const TAMPERINGS = [
  'recipient',
  'refundTo',
  'amountOut',
  'minAmountIn',
  'destinationAsset',
  'deadline',
  'timestamp',
  'signature',
] as const
export type Tampering = (typeof TAMPERINGS)[number]

/** The members of a request for a quote that the provider reads. */
export interface QuoteRequestBody {
  readonly originAsset: string
  readonly amount: string
  readonly recipient: string
  readonly refundTo: string
  /** ISO 8601. */
  readonly deadline: string
}

/** The smallest amount that the provider delivers. */
const MIN_AMOUNT_ZAT = 500n
const HOUR_MS = 3_600_000

/** Why the provider refuses a request: its message or messages. Null when it does not. */
export function refusalOf(body: QuoteRequestBody, nowMs: number): string | readonly string[] | null {
  if (!ASSETS.some(({ assetId }) => assetId === body.originAsset)) return 'tokenIn is not valid'
  if (BigInt(body.amount) < MIN_AMOUNT_ZAT) return `Amount is too low for bridge, try at least ${MIN_AMOUNT_ZAT}`
  return Date.parse(body.deadline) <= nowMs ? ['deadline must be in the future'] : null
}

/** Makes a quote with its own deposit address. @param number of the order, which makes the amounts differ */
export function makeOrder(body: QuoteRequestBody, number: number, nowMs: number, draw: Draw): Order {
  const asset = ASSETS.find(({ assetId }) => assetId === body.originAsset)!
  const deadlineMs = Date.parse(body.deadline)
  const amountIn = BigInt(body.amount) * 3n + BigInt(number)
  const terms = {
    asset,
    depositAddress: `deposit-${number}-${draw.hex(6)}`,
    depositMemo: asset.blockchain === 'stellar' ? String(number) : null,
    recipient: body.recipient,
    amountZat: BigInt(body.amount),
    amountIn,
    minAmountIn: (amountIn * 99n) / 100n,
    refundTo: body.refundTo,
    deadlineMs,
    quoteDeadlineMs: deadlineMs + draw.pick([0, HOUR_MS, 72 * HOUR_MS]),
    quotedAtMs: nowMs,
  }
  return {
    ...terms,
    signed: signed({ ...body }, terms),
    states: [{ status: 'PENDING_DEPOSIT', updatedAtMs: nowMs }],
    deposited: 0n,
    delivered: false,
    hiddenUntilMs: 0,
    statusRequests: 0,
  }
}

type Members = Readonly<Record<string, unknown>>

function signed(
  body: Members,
  order: Pick<
    Order,
    | 'asset'
    | 'amountZat'
    | 'amountIn'
    | 'minAmountIn'
    | 'depositAddress'
    | 'depositMemo'
    | 'quoteDeadlineMs'
    | 'quotedAtMs'
  >,
): Order['signed'] {
  const amount = String(order.amountZat)
  const deadline = new Date(order.quoteDeadlineMs).toISOString()
  return withSignature({
    timestamp: new Date(order.quotedAtMs).toISOString(),
    quoteRequest: { ...body, originAsset: order.asset.normalisedId, destinationAsset: ZEC_NORMALISED_ID },
    quote: {
      amountIn: String(order.amountIn),
      amountInFormatted: '5.0',
      amountInUsd: '1.5',
      minAmountIn: String(order.minAmountIn),
      amountOut: amount,
      amountOutFormatted: '5.0',
      amountOutUsd: '1.5',
      minAmountOut: amount,
      timeEstimate: 150,
      deadline,
      timeWhenInactive: deadline,
      depositAddress: order.depositAddress,
      ...(order.depositMemo !== null && { depositMemo: order.depositMemo }),
    },
  })
}

/** The quote with one part changed. */
export function tamper({ signed }: Order, part: Tampering): Order['signed'] {
  const { quoteRequest, quote, timestamp } = signed
  const request = (changes: Members) => withSignature({ ...signed, quoteRequest: { ...quoteRequest, ...changes } })
  const terms = (changes: Members) => withSignature({ ...signed, quote: { ...quote, ...changes } })
  switch (part) {
    case 'recipient':
      return request({ recipient: quoteRequest.refundTo })
    case 'refundTo':
      return request({ refundTo: quoteRequest.recipient })
    case 'destinationAsset':
      return request({ destinationAsset: '1cs_v1:ltc:native:coin' })
    case 'deadline':
      return request({ deadline: new Date(Date.parse(String(quoteRequest.deadline)) + 1_000).toISOString() })
    case 'amountOut':
      return terms({ amountOut: String(BigInt(String(quote.amountOut)) - 1n) })
    case 'minAmountIn':
      return terms({ minAmountIn: String(BigInt(String(quote.amountIn)) + 1n) })
    case 'timestamp':
      return withSignature({ ...signed, timestamp: new Date(Date.parse(timestamp) - HOUR_MS).toISOString() })
    case 'signature':
      return { ...signed, signature: withSignature({ ...signed, timestamp: new Date(0).toISOString() }).signature }
  }
}

function withSignature(quote: Omit<Order['signed'], 'signature'>): Order['signed'] {
  const { timestamp, quoteRequest, quote: terms } = quote
  const unsigned = { timestamp, quoteRequest, quote: terms }
  return { ...unsigned, signature: signatureOf(unsigned) }
}
