import type { RateSource } from '../../ports/rate.ts'
import { memberOf, readTicker, requirePrice, type TickerHttp } from './ticker.ts'

const CURRENCIES: ReadonlySet<string> = new Set(['USD', 'BTC'])

/**
 * Gemini's public ticker, `GET /v1/pubticker/zec<currency>` (developer.gemini.com, Market Data, Get Ticker): `last`, the
 * price of the last executed trade. `volume.timestamp` is the end of the interval that the volume is counted for, not
 * the time of the price.
 *
 * @param url base URL of the API, such as https://api.gemini.com
 */
export function geminiRates(url: string, http: TickerHttp): RateSource {
  return {
    name: 'gemini',
    offers: currency => CURRENCIES.has(currency),
    async price(currency) {
      const ticker = await readTicker(http, `${url}/v1/pubticker/zec${currency.toLowerCase()}`)
      return { price: requirePrice(memberOf(ticker, 'last'), currency) }
    },
  }
}
