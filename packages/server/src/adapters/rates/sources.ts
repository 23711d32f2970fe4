import type { Clock } from '../../ports/clock.ts'
import type { CrossRateSource, RateSource } from '../../ports/rate.ts'
import { coinbaseCrossRates, coinbaseRates } from './coinbase.ts'
import { coingeckoRates } from './coingecko.ts'
import { geminiRates } from './gemini.ts'
import { krakenRates } from './kraken.ts'
import type { TickerHttp } from './ticker.ts'

const ADAPTERS = {
  kraken: krakenRates,
  coinbase: coinbaseRates,
  gemini: geminiRates,
  coingecko: coingeckoRates,
} as const

/** @param urls base URLs by the name of the source; the others are not asked */
export function createRateSources(
  urls: { readonly [Name in keyof typeof ADAPTERS]?: string },
  http: TickerHttp,
  clock: Clock,
): { readonly sources: readonly RateSource[]; readonly crossSource: CrossRateSource | null } {
  const names = (Object.keys(ADAPTERS) as (keyof typeof ADAPTERS)[]).filter(name => urls[name] !== undefined)
  return {
    sources: names.map(name => ADAPTERS[name](urls[name] as string, http, clock)),
    crossSource: urls.coinbase === undefined ? null : coinbaseCrossRates(urls.coinbase, http),
  }
}
