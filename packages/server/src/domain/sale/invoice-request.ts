import { invalidField } from '../error.ts'
import type { Zat } from '../money.ts'
import { memberTexts, nestingOf } from '../raw-json.ts'
import { requirePrintableLine } from '../text.ts'
import type { GivenFields } from './invoice.ts'
import { type Price, parseMoney } from './price.ts'
import { parseShopUrl } from './shop-url.ts'

/** What a request for an invoice gives. Of amount, price and open amount it has exactly one. */
export interface GivenTerms extends GivenFields {
  readonly amountZat?: Zat | undefined
}

/** The body of a request for an invoice, as its schema accepts it. */
export interface InvoiceBody {
  readonly amount_zat?: number
  readonly price?: { readonly amount: string | number; readonly currency: string }
  readonly open_amount?: boolean
  readonly min_amount_zat?: number
  readonly tolerance_bps?: number
  readonly confirmations?: number
  readonly order_id?: string
  readonly description?: string
  readonly success_url?: string
  readonly cancel_url?: string
  readonly auto_redirect?: boolean
  readonly locale?: string
  readonly metadata?: object
}

/** The longest text of metadata, in bytes of UTF-8. */
export const MAX_METADATA_BYTES = 16 * 1024
/** How deep objects and lists may be nested in it. */
const MAX_METADATA_NESTING = 16

/**
 * Parses what a request for an invoice gives.
 * @param text the body as it was sent: numbers of a price and metadata are taken from it as they are written
 * @param isPublic see `parseShopUrl`
 * @throws AppError `invalid_<field>`
 */
export function parseInvoiceBody(body: InvoiceBody, text: string, isPublic: boolean): GivenTerms {
  const { amount_zat: amountZat, price, open_amount: openAmount, min_amount_zat: minAmountZat } = body
  const { order_id: orderId, description, locale, success_url: successUrl, cancel_url: cancelUrl } = body
  if (orderId !== undefined) requirePrintableLine('order_id', orderId, 128)
  if (description !== undefined) requirePrintableLine('description', description, 200)
  if (locale !== undefined) requireLocale(locale)
  if (successUrl !== undefined) parseShopUrl('success_url', successUrl, isPublic)
  if (cancelUrl !== undefined) parseShopUrl('cancel_url', cancelUrl, isPublic)
  if (body.auto_redirect && successUrl === undefined) throw invalidField('auto_redirect', 'needs success_url')
  return {
    ...(amountZat !== undefined && { amountZat: BigInt(amountZat) }),
    ...(price && { price: parsePriceMember(price, text) }),
    ...(openAmount && { openAmount }),
    ...(minAmountZat !== undefined && { minAmountZat: BigInt(minAmountZat) }),
    ...(body.tolerance_bps !== undefined && { toleranceBps: body.tolerance_bps }),
    ...(body.confirmations !== undefined && { ownConfirmations: body.confirmations }),
    ...(orderId !== undefined && { orderId }),
    ...(description !== undefined && { description }),
    ...(successUrl !== undefined && { successUrl }),
    ...(cancelUrl !== undefined && { cancelUrl }),
    ...(body.auto_redirect !== undefined && { autoRedirect: body.auto_redirect }),
    ...(locale !== undefined && { locale }),
    ...(body.metadata && { metadata: requireMetadata(memberTexts(text).get('metadata') ?? '') }),
  }
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
 * @param text the body as it was sent
 * @throws AppError `invalid_price`
 */
export function parsePriceMember({ amount, currency }: NonNullable<InvoiceBody['price']>, text: string): Price {
  const written = () => memberTexts(memberTexts(text).get('price') ?? '').get('amount') ?? ''
  return parseMoney(typeof amount === 'string' ? amount : written(), currency)
}

/** @throws AppError `invalid_metadata` */
function requireMetadata(metadata: string): string {
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
