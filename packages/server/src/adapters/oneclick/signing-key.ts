import { AppError } from '../../domain/error.ts'
import type { SwapAsset } from '../../ports/swap-provider.ts'
import type { OneClickOptions } from './provider.ts'
import { createCaller, expectStatus, LIMITS, MAX_QUOTE_AGE_MS, parseInstantMs, quoteBody } from './requests.ts'
import { parseErrorMessage, parseQuote } from './responses.ts'
import { isSignedBy, PRODUCTION_SIGNING_KEY } from './signature.ts'

/** Whether the provider signs its quotes with the configured key. */
export type SigningKeyCheck =
  | { readonly result: 'matches' }
  | { readonly result: 'differs' }
  /** The key matches, but every quote is refused: its timestamp is too far from the clock. In seconds. */
  | { readonly result: 'clock_differs'; readonly bySecs: number }
  | { readonly result: 'unchecked'; readonly reason: string }

/** The chain whose asset is quoted, and an address of it that is published as an example. Nothing is ever sent there. */
const ORIGIN = { blockchain: 'btc', refundTo: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } as const
/** 1 ZEC: above the minimum of the provider. */
const AMOUNT_ZAT = 100_000_000n
const DEADLINE_SECS = 900

/**
 * Requests a dry quote and verifies its signature. A dry quote is a price: the provider opens no deposit address and
 * expects nothing.
 *
 * @param recipient a unified address of the network
 * @param assets the provider's list
 * @throws AppError `swap_provider_unavailable` when there is no valid response
 */
export async function checkSigningKey(
  { clock, signingKey, ...access }: OneClickOptions,
  { recipient, assets }: { readonly recipient: string; readonly assets: readonly SwapAsset[] },
  signal: AbortSignal,
): Promise<SigningKeyCheck> {
  const { blockchain, refundTo } = ORIGIN
  const asset = assets.find(candidate => candidate.blockchain === blockchain && candidate.priceUsd > 0)
  if (!asset) return { result: 'unchecked', reason: `the provider lists no asset on ${blockchain} to quote` }
  const deadline = Math.floor(clock.nowMs() / 1000) + DEADLINE_SECS
  const body = quoteBody({ asset, amountZat: AMOUNT_ZAT, recipient, refundTo, deadline }, { dry: true })
  try {
    const response = await createCaller(access)({ method: 'POST', path: '/v0/quote', body, ...LIMITS.quote, signal })
    const refusal = response.status === 400 ? parseErrorMessage(response.text) : null
    if (refusal !== null) return { result: 'unchecked', reason: `the provider refused a dry quote: ${refusal}` }
    expectStatus(response.status, 201, 200)
    const quote = parseQuote(response.text)
    if (!isSignedBy(quote, signingKey ?? PRODUCTION_SIGNING_KEY)) return { result: 'differs' }
    const ageMs = Math.abs(clock.nowMs() - parseInstantMs(quote.timestamp))
    return ageMs <= MAX_QUOTE_AGE_MS
      ? { result: 'matches' }
      : { result: 'clock_differs', bySecs: Math.round(ageMs / 1000) }
  } catch (error) {
    throw new AppError('swap_provider_unavailable', { cause: error })
  }
}
