import type { Zat } from '../../../domain/money.ts'
import { fiatAmount } from '../../../domain/payout/withdrawal.ts'
import { currencyDecimals, type Rate } from '../../../domain/rate.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { currencyCode } from '../../../domain/sale/price.ts'
import { groupThousands } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { say } from '../../text/dashboard.ts'

/** Formats a decimal amount: `1222.31` → `1,222.31 EUR`. */
export function formatFiat(amount: string, currency: string): string {
  const [whole = '', fraction] = amount.split('.')
  return `${groupThousands(BigInt(whole))}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
}

/** The price of an invoice as it was given: `25.00 EUR`. Null without one, and for one in ZEC, which the amount shows. */
export function formatPrice({ price }: Pick<Invoice, 'price'>): string | null {
  if (!price || currencyCode(price) === 'ZEC') return null
  return formatFiat(price.amount, currencyCode(price))
}

/** The value of an amount at a rate, or false without a rate. */
export function approximateValue(amount: Zat, rate: Rate | null): Html | false {
  if (!rate) return false
  return html`<span class="below">${say('about', { value: formatFiat(fiatAmount(amount, rate.price, 0, currencyDecimals(rate.currency)), rate.currency) })}</span>`
}
