import { formatUnits, formatZec, type Zat } from '../money.ts'
import { PRICE_DECIMALS, priceUnits } from '../rate.ts'
import { isPrintable } from '../text.ts'
import { invoiceCurrency, valueInCurrency } from './greenfield-invoice.ts'
import { type Invoice, isWithinTolerance } from './invoice.ts'
import { currencyCode, type LockedRate, type Price, zatFor } from './price.ts'

export const REFUND_VARIANTS = ['RateThen', 'CurrentRate', 'Fiat', 'OverpaidAmount', 'Custom'] as const
export type RefundVariant = (typeof REFUND_VARIANTS)[number]

/** The value of a refund: a price at a known rate, or a price that is converted now. */
export type RefundPlan =
  | { readonly converted: { readonly price: Price; readonly rate: LockedRate | null; readonly amountZat: Zat } }
  | { readonly price: Price }

/** The received amount without the excess. */
function paidPart({ receivedZat, amountZat, openAmount }: Invoice): Zat {
  return !openAmount && receivedZat > amountZat ? amountZat : receivedZat
}

/**
 * The value of a refund of an invoice. In the currency of the invoice it is converted at the rate of the invoice, so that
 * the whole price is the whole payment: at another rate it could be more than the shop has received. `CurrentRate` asks for
 * today's.
 * @param custom for `Custom` alone
 */
export function refundPlan(
  invoice: Invoice,
  variant: RefundVariant,
  custom: Price | null,
  subtractPercent: number,
): RefundPlan {
  const currency = invoiceCurrency(invoice)
  const part = paidPart(invoice)
  switch (variant) {
    case 'RateThen':
      return inZec(less(part, subtractPercent))
    case 'OverpaidAmount':
      return inZec(less(invoice.overpaidZat, subtractPercent))
    case 'Fiat':
      return atRateThen(invoice, less(part, subtractPercent))
    case 'CurrentRate':
      return { price: { amount: valueInCurrency(invoice, less(part, subtractPercent)), currency } }
    case 'Custom':
      return planOfPrice(invoice, lessPrice(custom ?? { amount: '0', currency }, subtractPercent))
  }
}

/** A refund of a price. One that is short within its tolerance and is refunded whole gives back what was received. */
export function planOfPrice(invoice: Invoice, price: Price): RefundPlan {
  if (currencyCode(price) !== invoiceCurrency(invoice) || currencyCode(price) === 'ZEC') return { price }
  const { amountZat, receivedZat, rate } = invoice
  const asked = zatFor(price, rate)
  const isWhole = asked === amountZat && isWithinTolerance(invoice, receivedZat)
  return { converted: { price, rate, amountZat: isWhole ? receivedZat : asked } }
}

function atRateThen(invoice: Invoice, amountZat: Zat): RefundPlan {
  const price = { amount: valueInCurrency(invoice, amountZat), currency: invoiceCurrency(invoice) }
  return { converted: { price, rate: invoice.rate, amountZat } }
}

function inZec(amountZat: Zat): RefundPlan {
  return { converted: { price: { amount: formatZec(amountZat), currency: 'ZEC' }, rate: null, amountZat } }
}

/** Parts of a hundred million of a percent. */
const SCALE = 100_000_000n

function less(amountZat: Zat, percent: number): Zat {
  return (amountZat * keptOf(percent)) / (100n * SCALE)
}

function lessPrice({ amount, currency }: Price, percent: number): Price {
  if (percent === 0) return { amount, currency }
  return { amount: formatUnits((priceUnits(amount) * keptOf(percent)) / (100n * SCALE), PRICE_DECIMALS), currency }
}

function keptOf(percent: number): bigint {
  return 100n * SCALE - BigInt(Math.round(percent * Number(SCALE)))
}

const MAX_WORDS = 20

/**
 * The words of a refund's name that may be the id of an order, as in `Refund of order 15; broken`. What follows the first
 * semicolon is the reason.
 */
export function orderWords(name: string): string[] {
  const [about = ''] = name.split(';', 1)
  const words = about.split(/\s+/).flatMap(word => [word, word.replace(/^[#"'(]+|[.,:!"')]+$/g, '')])
  const isOrder = (word: string) => word !== '' && word.length <= 128 && isPrintable(word)
  return [...new Set(words)].filter(isOrder).slice(0, MAX_WORDS)
}
