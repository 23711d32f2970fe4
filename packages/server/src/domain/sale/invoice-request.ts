import { invalidField } from '../error.ts'
import { type GivenMembers, selectFields } from '../field.ts'
import type { Zat } from '../money.ts'
import { memberTexts, nestingOf } from '../raw-json.ts'
import { requirePrintableLine } from '../text.ts'
import { type GivenFields, INVOICE_FIELDS, type InvoiceFields } from './invoice.ts'
import { type Price, parseMoney } from './price.ts'
import { parseShopUrl } from './shop-url.ts'

/** The terms in a request for an invoice, with exactly one of amount, price and open amount. */
export interface GivenTerms extends GivenFields {
  readonly amountZat?: Zat | undefined
}

/** The body of a request for an invoice, as its schema accepts it. */
export interface InvoiceBody extends GivenMembers<InvoiceFields> {
  readonly amount_zat?: number
  readonly price?: PriceMember
  readonly metadata?: object
}

/** A price as a request gives it. */
export interface PriceMember {
  readonly amount: string | number
  readonly currency: string
}

const REQUESTED = selectFields(INVOICE_FIELDS, ({ request }) => request !== undefined)
/** Texts that have a separate check. That of `webhookUrl` is in the route. */
const PARSED: readonly string[] = ['locale', 'successUrl', 'cancelUrl', 'webhookUrl'] satisfies (keyof GivenFields)[]
/** The other texts: each is one printable line. */
const LINES = REQUESTED.filter(([name, { type }]) => type === 'text' && !PARSED.includes(name))

/** The longest text of metadata, in bytes of UTF-8. */
export const MAX_METADATA_BYTES = 16 * 1024
/** How deep objects and lists may be nested in it. */
const MAX_METADATA_NESTING = 16

/**
 * Parses what a request for an invoice gives.
 * @param text the body as it was sent: numbers of a price and metadata are taken from it as they are written
 * @param publicUrl see `parseShopUrl`
 * @throws AppError `invalid_<field>`
 */
export function parseInvoiceBody(body: InvoiceBody, text: string, publicUrl: string): GivenTerms {
  const { amount_zat: amountZat, price, metadata } = body
  const written = price || metadata ? memberTexts(text) : new Map<string, string>()
  const given = parseRequested(body)
  requireReadable(given, publicUrl)
  return {
    ...given,
    ...(amountZat !== undefined && { amountZat: BigInt(amountZat) }),
    ...(price && { price: parsePriceMember(price, written.get('price')) }),
    ...(metadata && { metadata: requireMetadata(written.get('metadata') ?? '') }),
  }
}

function parseRequested(body: InvoiceBody): GivenFields {
  const given = REQUESTED.flatMap(([name, { wire, type }]) => {
    const value = body[wire as keyof InvoiceBody]
    if (value === undefined || (name === 'openAmount' && !value)) return []
    return [[name, type === 'zat' ? BigInt(value as number) : value] as const]
  })
  return Object.fromEntries(given) as GivenFields
}

/** @throws AppError `invalid_<field>` */
function requireReadable(given: GivenFields, publicUrl: string): void {
  const { locale, successUrl, cancelUrl, autoRedirect } = given
  for (const [name, { wire, request }] of LINES) {
    const text = given[name as keyof GivenFields]
    if (text) requirePrintableLine(wire as string, text as string, request!.maxLength!)
  }
  if (locale) requireLocale(locale)
  if (successUrl) parseShopUrl('success_url', successUrl, publicUrl)
  if (cancelUrl) parseShopUrl('cancel_url', cancelUrl, publicUrl)
  if (autoRedirect && !successUrl) throw invalidField('auto_redirect', 'needs success_url')
}

/**
 * Checks that an amount is given in exactly one way, and what goes with it.
 * @throws AppError `invalid_<field>`
 */
export function requireOneAmount(request: GivenTerms): void {
  const { amountZat, price, openAmount, minAmountZat, toleranceBps } = request
  if (price && amountZat !== undefined) throw invalidField('price', 'give either price or amount_zat')
  if (openAmount) {
    if (price || amountZat !== undefined) throw invalidField('open_amount', 'without amount_zat and price')
    if (toleranceBps) throw invalidField('tolerance_bps', 'an open amount has no tolerance: give min_amount_zat')
    return
  }
  if ((minAmountZat ?? null) !== null) throw invalidField('min_amount_zat', 'needs open_amount')
  if (!price && amountZat === undefined) throw invalidField('amount_zat', 'required, or price, or open_amount')
}

/**
 * The member `price` of a body. A number is taken as it is written: a float would change `0.10` and long decimals.
 * @param text the member as it was sent
 * @throws AppError `invalid_price`
 */
export function parsePriceMember({ amount, currency }: PriceMember, text = ''): Price {
  return parseMoney(typeof amount === 'string' ? amount : (memberTexts(text).get('amount') ?? ''), currency)
}

/** @throws AppError `invalid_metadata` */
export function requireMetadata(metadata: string): string {
  if (Buffer.byteLength(metadata) > MAX_METADATA_BYTES)
    throw invalidField('metadata', `at most ${MAX_METADATA_BYTES} bytes`)
  if (nestingOf(metadata) > MAX_METADATA_NESTING)
    throw invalidField('metadata', `objects and lists at most ${MAX_METADATA_NESTING} deep`)
  return metadata
}

/** @throws AppError `invalid_locale` */
function requireLocale(locale: string): void {
  try {
    Intl.getCanonicalLocales(locale)
  } catch {
    throw invalidField('locale', 'a language tag such as de or pt-BR')
  }
}
