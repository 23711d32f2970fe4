import type { Zat } from '../domain/money.ts'
import { formatFixed, formatUnits, formatZec, ZEC_DECIMALS } from '../domain/money.ts'
import { currencyDecimals } from '../domain/rate.ts'
import { formatIso, formatUtc, formatUtcMinute } from '../domain/time.ts'
import { type Html, html } from './html.ts'

/** 1234567 → `1,234,567`. */
export function groupThousands(value: bigint | number): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',')
}

export function formatZecAmount(amount: Zat): string {
  const [whole = '', fraction] = formatZec(amount).split('.')
  return `${groupThousands(BigInt(whole))}${fraction === undefined ? '' : `.${fraction}`} ZEC`
}

/** With more characters an amount is set smaller, so that its digits stay on one line on a phone with large text. */
const LONG_AMOUNT_CHARS = 14
/** An amount with more characters may break anywhere: a price has up to 24 digits. */
const LONGEST_AMOUNT_CHARS = 24

/** The class of an element with an amount. It breaks before the unit only. */
export function amountClass(text: string): string {
  if (text.length > LONGEST_AMOUNT_CHARS) return 'amount-broken'
  return text.length > LONG_AMOUNT_CHARS ? 'amount long' : 'amount'
}

/** An amount as the largest text of its card. */
export function bigAmount(text: string): Html {
  return html`<p class="big ${amountClass(text)}">${text}</p>`
}

/** A headline shows at least this many digits, and none after the point that they do not need. */
const HEADLINE_DIGITS = 4

/**
 * Rounds an amount to four significant digits, but never before the point: 448412345 → `4.484`, 4484112345678 → `44,841`.
 * @param amount in the smallest unit @param decimals of that unit
 */
function headlineNumber(amount: bigint, decimals: number): string {
  const wholeDigits = (amount / 10n ** BigInt(decimals)).toString()
  const significant = amount.toString().length
  const kept = wholeDigits === '0' ? decimals - significant + HEADLINE_DIGITS : HEADLINE_DIGITS - wholeDigits.length
  const places = Math.min(decimals, Math.max(0, kept))
  const unit = 10n ** BigInt(decimals - places)
  const [whole = '', fraction] = formatUnits((amount + unit / 2n) / unit, places).split('.')
  return `${groupThousands(BigInt(whole))}${fraction === undefined ? '' : `.${fraction}`}`
}

/** An amount for a headline: `4.484 ZEC`. */
export function headlineZec(amount: Zat): string {
  return `${headlineNumber(amount, ZEC_DECIMALS)} ZEC`
}

/** Money for a headline, in the smallest unit of its currency: `€5,481`, `€812.50`. */
export function headlineMoney(units: bigint, currency: string): string {
  const decimals = currencyDecimals(currency)
  const shown = units >= 10n ** BigInt(decimals + HEADLINE_DIGITS - 1) ? 0 : decimals
  const unit = 10n ** BigInt(decimals - shown)
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  const format = new Intl.NumberFormat('en', { ...style, minimumFractionDigits: shown, maximumFractionDigits: shown })
  return format.format(formatFixed((units + unit / 2n) / unit, shown) as Intl.StringNumericLiteral)
}

export function formatZat(amount: Zat): string {
  return `${groupThousands(amount)} zat`
}

/** An amount in ZEC, followed by the same amount in zat. */
export function formatAmount(amount: Zat): Html {
  return html`<span class="money"><span class="zec">${formatZecAmount(amount)}</span> <span class="zat">${formatZat(amount)}</span></span>`
}

/**
 * A time element in UTC. A script converts it to the reader's time zone and language, whose direction may be another;
 * the tooltip has the exact time.
 */
export function timeElement(unixSecs: number): Html {
  const iso = formatIso(unixSecs)
  return html`<bdi><time datetime="${iso}" title="${iso}">${formatUtcMinute(unixSecs)}</time></bdi>`
}

/** A time element for a list. A script says how long ago it was, and keeps that true; without one it is as `timeElement`. */
export function listTime(unixSecs: number): Html {
  const iso = formatIso(unixSecs)
  return html`<bdi><time datetime="${iso}" title="${iso}" data-relative>${formatUtcMinute(unixSecs)}</time></bdi>`
}

/** A time element as `timeElement`, to the second. */
export function exactTimeElement(unixSecs: number): Html {
  const iso = formatIso(unixSecs)
  return html`<bdi><time datetime="${iso}" title="${iso}" data-seconds>${formatUtc(unixSecs)}</time></bdi>`
}

/**
 * The time that is left, which a script counts down. The server sends the seconds, since the reader's clock may be wrong.
 * @param until Unix seconds
 */
export function countdown(until: number, now: number): Html {
  return html`<span class="countdown" data-left="${Math.max(0, until - now)}"></span>`
}

/** The UTC day as `YYYY-MM-DD`. */
export function formatDay(unixSecs: number): string {
  return formatIso(unixSecs).slice(0, 10)
}

/** Shortens an id, address or transaction id to its first and last characters. */
export function shorten(text: string, head = 8, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${tail === 0 ? '' : text.slice(-tail)}`
}

/** `2 h 5 min`, `40 s`: rounded down to the two largest units. */
export function formatDuration(secs: number): string {
  const parts = [
    [Math.floor(secs / 86_400), 'd'],
    [Math.floor(secs / 3_600) % 24, 'h'],
    [Math.floor(secs / 60) % 60, 'min'],
    [secs % 60, 's'],
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')
}
