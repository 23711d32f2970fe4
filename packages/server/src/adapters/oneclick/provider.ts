import { AppError } from '../../domain/error.ts'
import type { Clock } from '../../ports/clock.ts'
import { type QuoteRequest, type SwapOffer, type SwapProvider, SwapProviderPaused } from '../../ports/swap-provider.ts'
import { ProviderPause } from './pause.ts'
import {
  type Call,
  createCaller,
  expectStatus,
  LIMITS,
  MAX_QUOTE_AGE_MS,
  MEMO_CHAINS,
  type OneClickAccess,
  parseInstantMs,
  quoteBody,
} from './requests.ts'
import type { QuoteResponse } from './responses.ts'
import {
  InvalidResponse,
  parseAssets,
  parseDeposit,
  parseErrorMessage,
  parseQuote,
  parseStatus,
  parseUsd,
  ZEC_IDS,
} from './responses.ts'
import { isSignedBy, PRODUCTION_SIGNING_KEY } from './signature.ts'

export interface OneClickOptions extends OneClickAccess {
  /** `ed25519:<base58>`; null: the provider's production key. */
  readonly signingKey: string | null
  /** Checks the timestamps of quotes. */
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Client of the 1Click API, version 0. */
export function createOneClick({ signingKey, clock, ...access }: OneClickOptions): SwapProvider {
  const publicKey = signingKey ?? PRODUCTION_SIGNING_KEY

  const pause = new ProviderPause(clock)
  const send = createCaller(access)

  /** Every call of this process waits for the end of a pause. */
  async function call(request: Call): ReturnType<typeof send> {
    if (pause.secsLeft > 0) throw new SwapProviderPaused(`the provider asked for a pause, ${pause.secsLeft} s are left`)
    const response = await send(request)
    if (response.status === 429) pause.begin(response.retryAfter)
    return response
  }

  /** Maps every error of `work` to `swap_provider_unavailable`. */
  async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw new AppError('swap_provider_unavailable', { cause: error, retryAfterSecs: pause.secsLeft || undefined })
    }
  }

  return {
    enabled: true,

    assets: signal =>
      orUnavailable(async () => {
        const response = await call({ method: 'GET', path: '/v0/tokens', ...LIMITS.tokens, signal })
        expectStatus(response.status, 200)
        return parseAssets(response.text)
      }),

    async quote(request, signal) {
      const body = quoteBody(request, { dry: false })
      const response = await orUnavailable(() =>
        call({ method: 'POST', path: '/v0/quote', body, ...LIMITS.quote, signal }),
      )
      const refusal = response.status === 400 ? parseErrorMessage(response.text) : null
      if (refusal !== null) throw new AppError('swap_refused', { value: refusal })
      return orUnavailable(async () => {
        expectStatus(response.status, 201, 200)
        const quote = parseQuote(response.text)
        if (!isSignedBy(quote, publicKey)) throw new InvalidResponse('invalid quote signature')
        return { ...offerOf(quote, request, clock.nowMs()), raw: response.text }
      })
    },

    status: ({ address, memo }, signal) =>
      orUnavailable(async () => {
        const query = new URLSearchParams({ depositAddress: address, ...(memo !== null && { depositMemo: memo }) })
        const response = await call({ method: 'GET', path: `/v0/status?${query}`, ...LIMITS.status, signal })
        if (response.status === 404) return null
        expectStatus(response.status, 200)
        const { status, updatedAt, quoteResponse, swapDetails } = parseStatus(response.text)
        if (quoteResponse.quote.depositAddress !== address) throw new InvalidResponse('status of another deposit')
        return {
          status,
          updatedAtMs: parseInstantMs(updatedAt),
          deposit: parseDeposit(swapDetails),
          raw: response.text,
        }
      }),
  }
}

/** The swap provider when no provider is configured. Every call rejects with `swap_provider_unavailable`. */
export function disabledSwapProvider(): SwapProvider {
  const refuse = () =>
    Promise.reject(new AppError('swap_provider_unavailable', { cause: new Error('no swap provider is configured') }))
  return { enabled: false, assets: refuse, quote: refuse, status: refuse }
}

/**
 * Checks that the quote is for this request and recent, and returns its offer. The signature alone does not prove this,
 * because an earlier quote also has a valid one.
 *
 * The origin asset is not compared. The provider returns it in a normalised form (`nep141:btc.omft.near` becomes
 * `1cs_v1:btc:native:coin`), recorded responses show that form for BTC only, and the rule for other assets is not
 * documented. A wrong assumption would reject genuine quotes. A quote for another asset would have to repeat this
 * request's recipient, refund address, amount and deadline within five minutes, with an unused deposit address.
 *
 * @param nowMs Unix milliseconds
 * @throws InvalidResponse
 */
function offerOf(
  { timestamp, quoteRequest, quote }: QuoteResponse,
  request: QuoteRequest,
  nowMs: number,
): Omit<SwapOffer, 'raw'> {
  const { depositAddress, deadline } = quote
  const depositMemo = quote.depositMemo || null
  const amountIn = BigInt(quote.amountIn)
  const minAmountIn = BigInt(quote.minAmountIn)
  const check = (valid: boolean, problem: string) => {
    if (!valid) throw new InvalidResponse(`invalid quote: ${problem}`)
  }
  check(!quoteRequest.dry && quoteRequest.swapType === 'EXACT_OUTPUT', 'dry run or swap type differs from the request')
  check(BigInt(quoteRequest.amount) === request.amountZat, 'requested amount differs')
  check(BigInt(quote.amountOut) === request.amountZat, 'amountOut differs from the requested amount')
  check(BigInt(quote.minAmountOut) === request.amountZat, 'minAmountOut differs from the requested amount')
  check(quoteRequest.recipient === request.recipient, 'recipient differs')
  check(quoteRequest.refundTo === request.refundTo, 'refund address differs')
  check(ZEC_IDS.includes(quoteRequest.destinationAsset), 'destination asset differs')
  check(parseInstantMs(quoteRequest.deadline) === request.deadline * 1000, 'requested deadline differs')
  const ageMs = Math.abs(nowMs - parseInstantMs(timestamp))
  check(ageMs <= MAX_QUOTE_AGE_MS, 'timestamp differs from the clock by more than 5 minutes')
  check(minAmountIn > 0n && minAmountIn <= amountIn, 'invalid minAmountIn')
  check(
    depositMemo !== null || !MEMO_CHAINS.includes(request.asset.blockchain),
    'no deposit memo, although the origin chain requires one',
  )
  if (!depositAddress || !deadline) throw new InvalidResponse('invalid quote: no deposit address or deadline')
  const quoteDeadline = Math.floor(parseInstantMs(deadline) / 1000)
  check(quoteDeadline >= request.deadline, 'deadline earlier than requested')
  return {
    depositAddress,
    depositMemo,
    amountIn,
    minAmountIn,
    amountInUsd: quote.amountInUsd,
    amountOutUsd: parseUsd(quote.amountOutUsd),
    quoteDeadline,
    timeEstimate: Math.ceil(quote.timeEstimate),
  }
}
