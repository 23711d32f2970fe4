import type { Zat } from '../../domain/money.ts'
import { decimalsOf, type Rate } from '../../domain/rate.ts'
import { fiatAmount } from '../../domain/withdrawal.ts'
import type { Clock, Rates } from '../../ports.ts'
import { grouped } from '../format.ts'
import { type Html, html } from '../html.ts'

/** A page waits no longer for a price; it shows amounts in ZEC alone then. */
const PATIENCE_MS = 1_000

/** The rate of now, where it is to be had at once. */
export async function presentRate(deps: { rates: Rates; clock: Clock }, currency: string): Promise<Rate | null> {
  const enough = new AbortController()
  const late = deps.clock.sleep(PATIENCE_MS, enough.signal).then(() => null)
  const asked = deps.rates.rate(currency).catch(() => null)
  try {
    return await Promise.race([asked, late])
  } finally {
    enough.abort()
  }
}

/** `1,222.31 EUR` of the decimal `1222.31`. */
export function fiat(amount: string, currency: string): string {
  const [whole = '', fraction] = amount.split('.')
  return `${grouped(BigInt(whole))}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
}

/** What an amount is worth at a rate; nothing without one. */
export function worth(amount: Zat, rate: Rate | null): Html | false {
  if (!rate) return false
  return html`<span class="below">about ${fiat(fiatAmount(amount, rate.price, 0, decimalsOf(rate.currency)), rate.currency)}</span>`
}
