import type { RateSource } from '../../ports/rate.ts'
import { memberOf, readTicker, requirePrice, type TickerHttp } from './ticker.ts'

/** Kraken's code of each currency that it trades ZEC in. */
const CODES: ReadonlyMap<string, string> = new Map([
  ['USD', 'USD'],
  ['EUR', 'EUR'],
  ['BTC', 'XBT'],
])

/**
 * Kraken's public ticker, `GET /0/public/Ticker?pair=ZEC<currency>` (docs.kraken.com, Market Data): the price of the last trade,
 * `result.<pair>.c[0]`. The response uses older pair names, such as `XZECZUSD`, and has no time.
 *
 * @param url base URL of the API, such as https://api.kraken.com
 */
export function krakenRates(url: string, http: TickerHttp): RateSource {
  return {
    name: 'kraken',
    offers: currency => CODES.has(currency),
    async price(currency) {
      const code = CODES.get(currency)
      return { price: parseTicker(await readTicker(http, `${url}/0/public/Ticker?pair=ZEC${code}`), currency, code) }
    },
  }
}

/** Kraken reports errors with status 200 and messages in `error`. */
function parseTicker(response: unknown, currency: string, code: string | undefined): string {
  const error = memberOf(response, 'error')
  if (Array.isArray(error) && error.length > 0)
    throw new Error(`the rate source reports: ${String(error[0]).slice(0, 200)}`)
  const result = memberOf(response, 'result')
  const names = [`XZECZ${code}`, `XZECX${code}`, `ZEC${code}`]
  const pair = names.map(name => memberOf(result, name)).find(found => found !== undefined)
  const last = memberOf(pair, 'c')
  return requirePrice(Array.isArray(last) ? last[0] : undefined, currency)
}
