import { readPrice } from '../../domain/rate.ts'
import type { RateSource } from '../../ports/rates.ts'
import type { Outbound } from '../../ports.ts'

const DEADLINE_MS = 5_000
const MAX_BYTES = 64 * 1024

/**
 * Kraken's public ticker, `GET /0/public/Ticker?pair=ZEC<currency>` (docs.kraken.com, Market Data): the price of the last trade,
 * `result.<pair>.c[0]`. The answer names pairs in an older way, `XZECZUSD`.
 *
 * @param url the API's root, such as https://api.kraken.com
 */
export function krakenRates(url: string, outbound: Pick<Outbound, 'send'>): RateSource {
  return {
    async price(currency) {
      const { status, body } = await outbound.send({
        method: 'GET',
        url: `${url}/0/public/Ticker?pair=ZEC${currency}`,
        headers: { accept: 'application/json', 'user-agent': 'zatgate' },
        deadlineMs: DEADLINE_MS,
        maxBytes: MAX_BYTES,
      })
      if (status !== 200) throw new Error(`the rate source answered with status ${status}`)
      return priceIn(JSON.parse(Buffer.from(body).toString()), currency)
    },
  }
}

/** Kraken's failures are answers with status 200 and words in `error`. */
function priceIn(answer: unknown, currency: string): string {
  const { error, result } = (answer ?? {}) as { error?: unknown; result?: Record<string, { c?: unknown }> | null }
  if (Array.isArray(error) && error.length > 0)
    throw new Error(`the rate source says: ${String(error[0]).slice(0, 200)}`)
  const pair = result?.[`XZECZ${currency}`] ?? result?.[`ZEC${currency}`]
  const [last] = Array.isArray(pair?.c) ? pair.c : []
  const price = typeof last === 'string' ? readPrice(last) : null
  if (price === null) throw new Error(`the rate source has no price of ZEC in ${currency}`)
  return price
}
