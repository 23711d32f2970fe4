import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { RateSource } from '../../ports/rate.ts'
import { memberOf, readTicker, requirePrice, type TickerHttp } from './ticker.ts'

/** The currencies of `/simple/supported_vs_currencies` that are in ISO 4217, and BTC. */
const CURRENCIES =
  'USD AED ARS AUD BDT BHD BMD BRL CAD CHF CLP CNY CZK DKK EUR GBP GEL HKD HUF IDR ILS INR JPY KRW KWD LKR MMK MXN MYR NGN NOK NZD PHP PKR PLN SAR SEK SGD THB TRY TWD UAH VND ZAR BTC'.split(
    ' ',
  )

/** CoinGecko changes its answer once a minute. */
const SHARED_SECS = 20

/**
 * CoinGecko's average of many exchanges, `GET /api/v3/simple/price` (docs.coingecko.com, Coin Price by IDs), without a
 * key: `zcash.<currency>`, and the time of the price, `zcash.last_updated_at` in Unix seconds. One response has all
 * currencies and is shared by the requests of 20 seconds.
 *
 * @param url base URL of the API, such as https://api.coingecko.com
 */
export function coingeckoRates(url: string, http: TickerHttp, clock: Clock): RateSource {
  const query = `ids=zcash&vs_currencies=${CURRENCIES.join(',').toLowerCase()}&include_last_updated_at=true&precision=12`
  let shared: { readonly askedAt: number; readonly coin: Promise<unknown> } | null = null

  function coin(): Promise<unknown> {
    const now = nowSecs(clock)
    if (shared && Math.abs(now - shared.askedAt) < SHARED_SECS) return shared.coin
    const response = readTicker(http, `${url}/api/v3/simple/price?${query}`).then(body => memberOf(body, 'zcash'))
    const request = { askedAt: now, coin: response }
    shared = request
    response.catch(() => {
      if (shared === request) shared = null
    })
    return response
  }

  return {
    name: 'coingecko',
    offers: currency => CURRENCIES.includes(currency),
    async price(currency) {
      const values = await coin()
      const updatedAt = memberOf(values, 'last_updated_at')
      if (typeof updatedAt !== 'string' || !/^\d{1,12}$/.test(updatedAt))
        throw new Error('the rate source does not say when its price was true')
      return { price: requirePrice(memberOf(values, currency.toLowerCase()), currency), at: Number(updatedAt) }
    },
  }
}
