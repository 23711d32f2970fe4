import type { Account } from '../../domain/account/account.ts'
import {
  confirmationsOf,
  isPaymentMethod,
  PAYMENT_METHOD,
  parseSpeedPolicy,
} from '../../domain/sale/greenfield-invoice.ts'
import { EXPIRY_SECS, INVOICE_FIELDS, type Invoice } from '../../domain/sale/invoice.ts'
import { MAX_TOLERANCE_BPS } from '../../domain/sale/invoice-fields.ts'
import { requireMetadata } from '../../domain/sale/invoice-request.ts'
import { isPriceCurrency, parseMoney } from '../../domain/sale/price.ts'
import { parseShopUrl } from '../../domain/sale/shop-url.ts'
import { isPrintable, requirePrintableLine } from '../../domain/text.ts'
import type { InvoiceRequest } from '../../services/sale/invoice-request.ts'
import { refuse } from './error.ts'
import { type Members, membersOf, Reader, writtenMember } from './read.ts'

/**
 * A request for an invoice. Without an amount the buyer chooses it, and the invoice is in ZEC.
 * @param text the body as it was sent: a number of the amount and the metadata are taken from it as they are written
 * @param defaultCurrency reads that of the store; null: it has none, and the request must name one
 * @throws FieldErrors, or AppError `invalid_<field>`
 */
export async function parseInvoice(
  body: Members,
  text: string,
  account: Account,
  {
    publicUrl,
    defaultCurrency,
  }: { readonly publicUrl: string; readonly defaultCurrency: () => Promise<string | null> },
): Promise<InvoiceRequest> {
  const read = new Reader()
  const amount = read.decimal(body, 'amount', text) ?? null
  const currency = read.text(body, 'currency') || (amount === null ? null : await defaultCurrency())
  if (amount !== null && !currency)
    read.fail('currency', 'required: the store has no default currency, which the Store page of the dashboard sets')
  else if (currency && !isPriceCurrency(currency))
    read.fail('currency', 'must be a currency code of ISO 4217, or BTC, SATS or ZEC')
  const checkout = parseCheckout(read, read.members(body, 'checkout'), account, publicUrl)
  const texts = parseMetadata(body, text)
  refuse(read.errors)
  const { toleranceBps, ...terms } = checkout
  const priced = amount === null ? null : parseMoney(amount, currency ?? '')
  return {
    ...(priced ? { price: priced, ...present({ toleranceBps }) } : { openAmount: true }),
    ...terms,
    ...present(texts),
    idempotencyKey: undefined,
  }
}

/** The given values; null counts as not given. */
function present<T extends object>(values: T) {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> }
}

function parseCheckout(read: Reader, checkout: Members, account: Account, publicUrl: string) {
  requireMethod(read, read.texts(checkout, 'checkout.paymentMethods'))
  const successUrl = redirectUrl(read.text(checkout, 'checkout.redirectURL'))
  if (successUrl && !isPrintable(successUrl)) read.fail('checkout.redirectURL', 'must have no invisible characters')
  else if (successUrl) parseShopUrl('success_url', successUrl, publicUrl)
  const autoRedirect = read.flag(checkout, 'checkout.redirectAutomatically')
  return {
    expiresInSecs: expiryOf(read, read.number(checkout, 'checkout.expirationMinutes')),
    ...present({
      ownConfirmations: policyOf(read, read.text(checkout, 'checkout.speedPolicy'), account),
      toleranceBps: toleranceOf(read, read.number(checkout, 'checkout.paymentTolerance')),
      successUrl: successUrl || null,
      autoRedirect: successUrl ? (autoRedirect ?? null) : null,
      locale: localeOf(read, read.text(checkout, 'checkout.defaultLanguage')),
    }),
  }
}

function requireMethod(read: Reader, methods: readonly string[] | undefined): void {
  if (methods && methods.length > 0 && !methods.some(isPaymentMethod))
    read.fail('checkout.paymentMethods', `this store has one payment method, ${PAYMENT_METHOD}`)
}

/** The placeholders of BTCPay become our own. Some plugins encode the braces. */
function redirectUrl(text: string | undefined): string | undefined {
  return text
    ?.trim()
    .replace(/(?:\{|%7B)InvoiceId(?:\}|%7D)/gi, '{invoice_id}')
    .replace(/(?:\{|%7B)OrderId(?:\}|%7D)/gi, '{order_id}')
}

/** The address as the client gave it. */
export function redirectUrlOf({ successUrl }: Pick<Invoice, 'successUrl'>): string | null {
  return successUrl?.replaceAll('{invoice_id}', '{InvoiceId}').replaceAll('{order_id}', '{OrderId}') ?? null
}

function expiryOf(read: Reader, minutes: number | undefined): number | undefined {
  if (minutes === undefined) return undefined
  const secs = minutes * 60
  if (Number.isInteger(secs) && secs >= EXPIRY_SECS.min && secs <= EXPIRY_SECS.max) return secs
  read.fail('checkout.expirationMinutes', `must be ${EXPIRY_SECS.min / 60} to ${EXPIRY_SECS.max / 60} minutes`)
  return undefined
}

function policyOf(read: Reader, text: string | undefined, account: Account): number | null {
  if (!text) return null
  const policy = parseSpeedPolicy(text)
  if (policy === null)
    read.fail('checkout.speedPolicy', 'must be HighSpeed, MediumSpeed, LowMediumSpeed, LowSpeed or null')
  return policy && confirmationsOf(policy, account.confirmations)
}

function toleranceOf(read: Reader, percent: number | undefined): number | null {
  if (percent === undefined) return null
  const bps = Math.round(percent * 100)
  if (bps >= 0 && bps <= MAX_TOLERANCE_BPS && Math.abs(bps - percent * 100) < 1e-6) return bps
  read.fail('checkout.paymentTolerance', 'must be a percentage from 0 to 100 with at most two decimal places')
  return null
}

function localeOf(read: Reader, text: string | undefined): string | null {
  if (!text) return null
  try {
    if (text.length <= INVOICE_FIELDS.locale.request.maxLength) return Intl.getCanonicalLocales(text)[0] ?? null
  } catch {
    // It is refused below.
  }
  read.fail('checkout.defaultLanguage', 'must be a language tag such as de-DE')
  return null
}

/**
 * The metadata of a body as its bytes, with the order and the description that it names. A description that a page cannot
 * show as one short line stays in the metadata alone.
 * @throws AppError `invalid_metadata`, `invalid_order_id`
 */
export function parseMetadata(body: Members, text: string): Pick<Invoice, 'orderId' | 'description' | 'metadata'> {
  const read = new Reader()
  const metadata = read.members(body, 'metadata')
  refuse(read.errors)
  const written = writtenMember(text || '{}', 'metadata') ?? '{}'
  if (Object.keys(metadata).length === 0) return { orderId: null, description: null, metadata: null }
  const members = membersOf(metadata)
  return {
    orderId: orderOf(members, written),
    description: descriptionOf(members),
    metadata: requireMetadata(written),
  }
}

function orderOf({ orderId }: Members, written: string): string | null {
  const text = typeof orderId === 'number' ? (writtenMember(written, 'orderId') ?? '') : orderId
  if (typeof text !== 'string' || text === '') return null
  requirePrintableLine('order_id', text, INVOICE_FIELDS.orderId.request.maxLength)
  return text
}

function descriptionOf({ itemDesc }: Members): string | null {
  const isLine = typeof itemDesc === 'string' && itemDesc.trim() !== '' && isPrintable(itemDesc)
  return isLine && itemDesc.length <= INVOICE_FIELDS.description.request.maxLength ? itemDesc : null
}
