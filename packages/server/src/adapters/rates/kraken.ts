import { parsePrice } from '../../domain/rate.ts'
import type { HttpClient } from '../../ports/http-client.ts'
import type { RateSource } from '../../ports/rate.ts'

const DEADLINE_MS = 5_000
const MAX_BYTES = 64 * 1024

/**
 * Kraken's public ticker, `GET /0/public/Ticker?pair=ZEC<currency>` (docs.kraken.com, Market Data): the price of the last trade,
 * `result.<pair>.c[0]`. The response uses older pair names, such as `XZECZUSD`.
 *
 * @param url base URL of the API, such as https://api.kraken.com
 */
export function krakenRates(url: string, http: Pick<HttpClient, 'send'>): RateSource {
  return {
    async price(currency) {
      const { status, body } = await http.send({
        method: 'GET',
        url: `${url}/0/public/Ticker?pair=ZEC${currency}`,
        headers: { accept: 'application/json', 'user-agent': 'zatgate' },
        deadlineMs: DEADLINE_MS,
        maxBytes: MAX_BYTES,
      })
      if (status !== 200) throw new Error(`the rate source responded with status ${status}`)
      return parseTicker(JSON.parse(Buffer.from(body).toString()), currency)
    },
  }
}

/** Kraken reports errors with status 200 and messages in `error`. */
function parseTicker(response: unknown, currency: string): string {
  const { error, result } = (response ?? {}) as { error?: unknown; result?: Record<string, { c?: unknown }> | null }
  if (Array.isArray(error) && error.length > 0)
    throw new Error(`the rate source reports: ${String(error[0]).slice(0, 200)}`)
  const pair = result?.[`XZECZ${currency}`] ?? result?.[`ZEC${currency}`]
  const [last] = Array.isArray(pair?.c) ? pair.c : []
  const price = typeof last === 'string' ? parsePrice(last) : null
  if (price === null) throw new Error(`the rate source has no price of ZEC in ${currency}`)
  return price
}
