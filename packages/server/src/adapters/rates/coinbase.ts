import { parsePrice } from '../../domain/rate.ts'
import type { CrossRateSource, RateSource } from '../../ports/rate.ts'
import { memberOf, readTicker, requirePrice, type TickerHttp } from './ticker.ts'

const CURRENCIES: ReadonlySet<string> = new Set(['USD', 'BTC'])

/**
 * Coinbase's spot price, `GET /v2/prices/ZEC-<currency>/spot` (docs.cdp.coinbase.com, Coinbase App, Prices): `data.amount`,
 * without authentication. The response has no time. Only USD and BTC: Coinbase converts other currencies from USD, which
 * is no independent price.
 *
 * @param url base URL of the API, such as https://api.coinbase.com
 */
export function coinbaseRates(url: string, http: TickerHttp): RateSource {
  return {
    name: 'coinbase',
    offers: currency => CURRENCIES.has(currency),
    async price(currency) {
      const data = memberOf(await readTicker(http, `${url}/v2/prices/ZEC-${currency}/spot`), 'data')
      if (memberOf(data, 'currency') !== currency) throw new Error('the rate source responded with another currency')
      return { price: requirePrice(memberOf(data, 'amount'), currency) }
    },
  }
}

/**
 * Coinbase's fiat rates, `GET /v2/exchange-rates?currency=USD` (docs.cdp.coinbase.com, Coinbase App, Exchange rates):
 * `data.rates.<currency>`, a decimal string, is the price of 1 USD. The response has no time.
 *
 * @param url base URL of the API, such as https://api.coinbase.com
 */
export function coinbaseCrossRates(url: string, http: TickerHttp): CrossRateSource {
  return {
    name: 'coinbase',
    async pricesOfUsd() {
      const data = memberOf(await readTicker(http, `${url}/v2/exchange-rates?currency=USD`), 'data')
      const rates = memberOf(data, 'rates')
      if (memberOf(data, 'currency') !== 'USD' || typeof rates !== 'object' || rates === null)
        throw new Error('the source of fiat rates has no rates of USD')
      const prices = Object.entries(rates).flatMap(([currency, value]): [string, string][] => {
        const price = typeof value === 'string' ? parsePrice(value) : null
        return price === null ? [] : [[currency, price]]
      })
      return new Map(prices)
    },
  }
}
