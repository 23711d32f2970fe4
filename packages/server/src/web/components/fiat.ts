import type { Zat } from '../../domain/money.ts'
import { currencyDecimals, type Rate } from '../../domain/rate.ts'
import { fiatAmount } from '../../domain/withdrawal.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Rates } from '../../ports/rates.ts'
import { groupThousands } from '../format.ts'
import { type Html, html } from '../html.ts'

/** How long a page waits for a rate. Without one it shows amounts only in ZEC. */
const RATE_TIMEOUT_MS = 1_000

/** The current rate; null if it is not available within one second. */
export async function currentRate(deps: { rates: Rates; clock: Clock }, currency: string): Promise<Rate | null> {
  const controller = new AbortController()
  const timeout = deps.clock.sleep(RATE_TIMEOUT_MS, controller.signal).then(() => null)
  const request = deps.rates.rate(currency).catch(() => null)
  try {
    return await Promise.race([request, timeout])
  } finally {
    controller.abort()
  }
}

/** Formats a decimal amount: `1222.31` → `1,222.31 EUR`. */
export function formatFiat(amount: string, currency: string): string {
  const [whole = '', fraction] = amount.split('.')
  return `${groupThousands(BigInt(whole))}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
}

/** The value of an amount at a rate, or false without a rate. */
export function approximateValue(amount: Zat, rate: Rate | null): Html | false {
  if (!rate) return false
  return html`<span class="below">about ${formatFiat(fiatAmount(amount, rate.price, 0, currencyDecimals(rate.currency)), rate.currency)}</span>`
}
