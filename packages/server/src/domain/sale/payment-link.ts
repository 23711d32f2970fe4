import { invalidField } from '../error.ts'
import { type NamesOf, type Noun, selectFields, type WireOf } from '../field.ts'
import type { Zat } from '../money.ts'
import { priceUnits } from '../rate.ts'
import { requirePrintableLine } from '../text.ts'
import { MAX_DATE_SECS } from '../time.ts'
import { EXPIRY_SECS, type Invoice } from './invoice.ts'
import { requireLinkFields } from './link-field.ts'
import { LINK_FIELDS } from './payment-link-fields.ts'
import { currencyCode, isPriceCurrency, type Price, parseMoney, priceDecimals } from './price.ts'
import { parseShopUrl } from './shop-url.ts'

type LinkFields = typeof LINK_FIELDS

/** The fields of a payment link that the merchant chooses. */
export type LinkTerms = Pick<Noun<LinkFields>, NamesOf<LinkFields, { request: object }>>

/** The terms that a request leaves out. */
export const UNSET_TERMS = Object.fromEntries(
  selectFields(LINK_FIELDS, field => field.request !== undefined && field.initial !== undefined).map(
    ([name, { initial }]) => [name, initial],
  ),
) as Omit<LinkTerms, 'title' | 'currency'>

/** A reusable page from which buyers create invoices. */
export interface PaymentLink extends Noun<LinkFields> {
  /** SHA-256 of the secret in the path of its keypad. Null: it has none. */
  readonly keypadHash: Uint8Array | null
}

/** The members of a link on the wire, without those that are computed. */
export type LinkMembers = WireOf<LinkFields>

/** The page of the link, or its keypad, which only the merchant has. */
export type LinkSource = 'page' | 'keypad'

export const MAX_LINKS = 1_000

/** How long a buyer has to pay: short, since an unpaid invoice holds a unit. */
export const LINK_EXPIRY_SECS = 1_800
/** A buyer at a counter pays at once. */
export const KEYPAD_EXPIRY_SECS = EXPIRY_SECS.default

/** The least amount of an invoice from a page: less than the fee of a payment is no sale, but would count as one. */
export const MIN_LINK_ZAT = 10_000n

/** Unpaid invoices that strangers may have open. Beyond them the page asks to try again later. */
export const OPEN_LIMITS = {
  /** From one client address, among those of the last hour. */
  client: { max: 5, windowSecs: 3_600 },
  link: 50,
  account: 200,
  /** From one keypad. */
  keypad: 50,
} as const

/** The open invoices without a payment, with the new one. */
export interface OpenInvoices {
  readonly ofClient: number
  readonly ofLink: number
  readonly ofAccount: number
}

/** Whether a new invoice exceeds a limit of open ones. */
export function exceedsOpen(source: LinkSource, { ofClient, ofLink, ofAccount }: OpenInvoices): boolean {
  if (source === 'keypad') return ofLink > OPEN_LIMITS.keypad
  return ofClient > OPEN_LIMITS.client.max || ofLink > OPEN_LIMITS.link || ofAccount > OPEN_LIMITS.account
}

export type LinkClosure = 'paused' | 'ended' | 'sold_out'

/**
 * Why a link sells nothing now. Null: it sells.
 * @param heldUnits sold, and held by open invoices
 */
export function whyClosed(
  { pausedAt, endsAt, stock }: Pick<PaymentLink, 'pausedAt' | 'endsAt' | 'stock'>,
  heldUnits: number,
  now: number,
): LinkClosure | null {
  if (pausedAt !== null) return 'paused'
  if (endsAt !== null && now >= endsAt) return 'ended'
  return stock !== null && heldUnits >= stock ? 'sold_out' : null
}

/** Units that were sold beyond the stock, by late payments. */
export function oversold({ stock, paidCount }: Pick<PaymentLink, 'stock' | 'paidCount'>): number {
  return stock === null ? 0 : Math.max(0, paidCount - stock)
}

/**
 * Whether an invoice of a page counts in the plan of its account with this change: its full amount has arrived. Until
 * then it does not, so that strangers cannot use up a plan.
 */
export function countsNow(before: Pick<Invoice, 'dueZat'>, after: Pick<Invoice, 'linkId' | 'dueZat'>): boolean {
  return after.linkId !== null && before.dueZat > 0n && after.dueZat === 0n
}

/** The change of a link's paid count and sum when one of its invoices changes. Null: none. */
export function paidChange(
  before: Pick<Invoice, 'status' | 'receivedZat'>,
  after: Pick<Invoice, 'linkId' | 'status' | 'receivedZat'>,
): { readonly linkId: string; readonly count: number; readonly zat: Zat } | null {
  if (after.linkId === null) return null
  const paid = ({ status, receivedZat }: Pick<Invoice, 'status' | 'receivedZat'>) =>
    status === 'paid' ? { count: 1, zat: receivedZat } : { count: 0, zat: 0n }
  const [earlier, later] = [paid(before), paid(after)]
  const change = { linkId: after.linkId, count: later.count - earlier.count, zat: later.zat - earlier.zat }
  return change.count === 0 && change.zat === 0n ? null : change
}

/**
 * Checks the terms of a link.
 * @param publicUrl see `parseShopUrl`
 * @throws AppError `invalid_<field>`
 */
export function checkedLinkTerms(terms: LinkTerms, publicUrl: string): LinkTerms {
  const { title, description, currency, stock, endsAt, fields, successUrl } = terms
  requirePrintableLine('title', title, LINK_FIELDS.title.request.maxLength)
  if (description !== null) requirePrintableLine('description', description, LINK_FIELDS.description.request.maxLength)
  if (!isPriceCurrency(currency)) throw invalidField('currency', 'a code of ISO 4217, BTC, SATS or ZEC')
  const checked = { ...terms, currency: currencyCode({ currency }) }
  requireAmounts(checked)
  const { minimum, maximum } = LINK_FIELDS.stock.request
  if (stock !== null && !isWithin(stock, minimum, maximum))
    throw invalidField('stock', `${minimum} to ${maximum}, or null for no limit`)
  if (endsAt !== null && !isWithin(endsAt, 1, MAX_DATE_SECS))
    throw invalidField('ends_at', 'a time in Unix seconds, or null')
  requireLinkFields(fields)
  if (successUrl !== null) parseShopUrl('success_url', successUrl, publicUrl)
  return checked
}

function requireAmounts({ currency, amount, minAmount, suggestedAmounts }: LinkTerms): void {
  if (amount !== null) {
    requireAmount('amount', amount, currency)
    if (minAmount !== null) throw invalidField('min_amount', 'only when the buyer chooses the amount')
    if (suggestedAmounts.length > 0) throw invalidField('suggested_amounts', 'only when the buyer chooses the amount')
  }
  if (minAmount !== null) requireAmount('min_amount', minAmount, currency)
  const { maxItems } = LINK_FIELDS.suggestedAmounts.request
  if (suggestedAmounts.length > maxItems) throw invalidField('suggested_amounts', `at most ${maxItems}`)
  for (const suggested of suggestedAmounts) {
    requireAmount('suggested_amounts', suggested, currency)
    if (isBelow(suggested, minAmount)) throw invalidField('suggested_amounts', 'none below min_amount')
  }
}

/** @throws AppError `invalid_<field>` */
function requireAmount(field: string, amount: string, currency: string): void {
  const decimals = priceDecimals(currency)
  try {
    parseMoney(amount, currency)
  } catch {
    throw invalidField(field, `a decimal above 0 in ${currency}, as a string`)
  }
  if ((amount.split('.')[1] ?? '').length > decimals)
    throw invalidField(field, `at most ${decimals} decimal places in ${currency}`)
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max
}

function isBelow(amount: string, min: string | null): boolean {
  return min !== null && priceUnits(amount) < priceUnits(min)
}

/**
 * The price of an invoice of a link.
 * @param chosen by the buyer, for a link without an amount
 * @throws AppError `invalid_amount`
 */
export function linkPrice({ amount, minAmount, currency }: LinkTerms, chosen: string): Price {
  if (amount !== null) return { amount, currency }
  requireAmount('amount', chosen, currency)
  if (isBelow(chosen, minAmount)) throw invalidField('amount', `at least ${minAmount} ${currency}`)
  return { amount: chosen, currency }
}
