import { providerUnavailable, refusedByProvider } from '../../domain/swap.ts'
import type { Outbound, OutboundRequest } from '../../ports/http-client.ts'
import type { QuoteRequest, SwapOffer, SwapProvider } from '../../ports/repository/swap.ts'
import type { Clock } from '../../ports.ts'
import type { QuoteAnswer } from './responses.ts'
import { readAssets, readQuote, readRefusal, readStatus, Unreadable, ZEC_IDS } from './responses.ts'
import { isSignedBy, PRODUCTION_KEY } from './signature.ts'

export interface OneClickOptions {
  readonly outbound: Outbound
  /** Without a trailing slash. */
  readonly apiUrl: string
  /** Null: none is sent. */
  readonly apiKey: string | null
  /** `ed25519:<base58>`; null: the provider's key in production. */
  readonly signingKey: string | null
  /** Quotes are dated by it. */
  readonly clock: Pick<Clock, 'nowMs'>
}

const DESTINATION = 'nep141:zec.omft.near'
/** How far below `amountIn` a deposit still executes, in basis points: prices move while it is on its way. */
const SLIPPAGE_BASIS_POINTS = 100
/** How far the timestamp of a quote may be from our clock, either way. */
const MAX_QUOTE_AGE_MS = 5 * 60 * 1000
/** Origin chains where many deposits share one address. */
const MEMO_CHAINS: readonly string[] = ['stellar']

const LIMITS = {
  tokens: { deadlineMs: 10_000, maxBytes: 4 * 1024 * 1024 },
  quote: { deadlineMs: 15_000, maxBytes: 64 * 1024 },
  status: { deadlineMs: 5_000, maxBytes: 64 * 1024 },
} as const

type Call = Pick<OutboundRequest, 'method' | 'deadlineMs' | 'maxBytes'> & {
  readonly path: string
  readonly body?: string
  readonly signal: AbortSignal | undefined
}

/** The 1Click API, version 0. */
export function createOneClick({ outbound, apiUrl, apiKey, signingKey, clock }: OneClickOptions): SwapProvider {
  const publicKey = signingKey ?? PRODUCTION_KEY

  async function call({ path, body, signal, ...rest }: Call): Promise<{ status: number; text: string }> {
    const headers = {
      accept: 'application/json',
      'user-agent': 'zatgate',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(apiKey !== null && { 'x-api-key': apiKey }),
    }
    const answer = await outbound.send({
      ...rest,
      url: `${apiUrl}${path}`,
      headers,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    return { status: answer.status, text: decode(answer.body) }
  }

  return {
    offered: true,

    assets: signal =>
      trusted(async () => {
        const answer = await call({ method: 'GET', path: '/v0/tokens', ...LIMITS.tokens, signal })
        expect(answer.status, 200)
        return readAssets(answer.text)
      }),

    async quote(request, signal) {
      const body = JSON.stringify(quoteBody(request))
      const answer = await trusted(() => call({ method: 'POST', path: '/v0/quote', body, ...LIMITS.quote, signal }))
      const refusal = answer.status === 400 ? readRefusal(answer.text) : null
      if (refusal !== null) throw refusedByProvider(refusal)
      return trusted(async () => {
        expect(answer.status, 201, 200)
        const quote = readQuote(answer.text)
        if (!isSignedBy(quote, publicKey)) throw new Unreadable('the signature does not fit')
        return { ...offerOf(quote, request, clock.nowMs()), raw: answer.text }
      })
    },

    status: ({ address, memo }, signal) =>
      trusted(async () => {
        const query = new URLSearchParams({ depositAddress: address, ...(memo !== null && { depositMemo: memo }) })
        const answer = await call({ method: 'GET', path: `/v0/status?${query}`, ...LIMITS.status, signal })
        if (answer.status === 404) return null
        expect(answer.status, 200)
        const { status, updatedAt, quoteResponse } = readStatus(answer.text)
        if (quoteResponse.quote.depositAddress !== address) throw new Unreadable('the status of another deposit')
        return { word: status, updatedAtMs: instantMs(updatedAt), raw: answer.text }
      }),
  }
}

/** Stands in where the settings name no provider. */
export function noSwapProvider(): SwapProvider {
  const refuse = () => Promise.reject(providerUnavailable(new Error('the settings name no swap provider')))
  return { offered: false, assets: refuse, quote: refuse, status: refuse }
}

/** Whatever goes wrong inside, nothing that came can be trusted. */
async function trusted<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw providerUnavailable(error)
  }
}

function expect(status: number, ...wanted: readonly number[]): void {
  if (!wanted.includes(status)) throw new Unreadable(`status ${status}`)
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Unreadable('not UTF-8')
  }
}

function quoteBody({ asset, amountZat, recipient, refundTo, deadline }: QuoteRequest): Record<string, unknown> {
  return {
    dry: false,
    depositMode: MEMO_CHAINS.includes(asset.blockchain) ? 'MEMO' : 'SIMPLE',
    swapType: 'EXACT_OUTPUT',
    slippageTolerance: SLIPPAGE_BASIS_POINTS,
    originAsset: asset.assetId,
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: DESTINATION,
    amount: amountZat.toString(),
    refundTo,
    refundType: 'ORIGIN_CHAIN',
    recipient,
    recipientType: 'DESTINATION_CHAIN',
    deadline: new Date(deadline * 1000).toISOString(),
  }
}

/**
 * What the quote offers, if it is one for this request, made now: a signature alone is no proof, since an earlier quote
 * keeps its own.
 *
 * The origin asset is not compared. The provider echoes it in a normalised form (`nep141:btc.omft.near` comes back as
 * `1cs_v1:btc:native:coin`), recorded answers show that form for BTC only, and the rule for other assets is not
 * documented. A wrong guess would refuse genuine quotes. A quote for another asset has to repeat this request's
 * recipient, refund address, amount and deadline within five minutes, and to have a deposit address that is not in use.
 *
 * @param nowMs Unix milliseconds
 * @throws Unreadable
 */
function offerOf(
  { timestamp, quoteRequest, quote }: QuoteAnswer,
  request: QuoteRequest,
  nowMs: number,
): Omit<SwapOffer, 'raw'> {
  const { depositAddress, deadline } = quote
  const depositMemo = quote.depositMemo || null
  const amountIn = BigInt(quote.amountIn)
  const minAmountIn = BigInt(quote.minAmountIn)
  const claim = (right: boolean, what: string) => {
    if (!right) throw new Unreadable(`a quote with ${what}`)
  }
  claim(!quoteRequest.dry && quoteRequest.swapType === 'EXACT_OUTPUT', 'other terms than asked for')
  claim(BigInt(quoteRequest.amount) === request.amountZat, 'another amount asked for')
  claim(BigInt(quote.amountOut) === request.amountZat, 'another amount paid out')
  claim(BigInt(quote.minAmountOut) === request.amountZat, 'less paid out at worst')
  claim(quoteRequest.recipient === request.recipient, 'another recipient')
  claim(quoteRequest.refundTo === request.refundTo, 'another refund address')
  claim(ZEC_IDS.includes(quoteRequest.destinationAsset), 'another asset paid out')
  claim(instantMs(quoteRequest.deadline) === request.deadline * 1000, 'another deadline than asked for')
  const ageMs = Math.abs(nowMs - instantMs(timestamp))
  claim(ageMs <= MAX_QUOTE_AGE_MS, 'a timestamp more than 5 minutes from our clock')
  claim(minAmountIn > 0n && minAmountIn <= amountIn, 'a least amount that is none')
  claim(depositMemo !== null || !MEMO_CHAINS.includes(request.asset.blockchain), 'no memo where one is needed')
  if (!depositAddress || !deadline) throw new Unreadable('a quote with no deposit address or deadline')
  const quoteDeadline = Math.floor(instantMs(deadline) / 1000)
  claim(quoteDeadline >= request.deadline, 'a deadline before the one asked for')
  return {
    depositAddress,
    depositMemo,
    amountIn,
    minAmountIn,
    amountInUsd: quote.amountInUsd,
    quoteDeadline,
    timeEstimate: Math.ceil(quote.timeEstimate),
  }
}

function instantMs(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new Unreadable('a date that is none')
  return ms
}
