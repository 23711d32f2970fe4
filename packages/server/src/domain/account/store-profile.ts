import { invalidField } from '../error.ts'
import type { Fields, NamesOf, Noun, WireOf } from '../field.ts'
import { isLoopbackInBrowser } from '../host.ts'
import { PAGE_LOCALES } from '../locale.ts'
import { EXPIRY_SECS, MAX_SHOP_URL_CHARS } from '../sale/invoice-fields.ts'
import { isPriceCurrency } from '../sale/price.ts'
import { parseShopUrl } from '../sale/shop-url.ts'
import { requirePrintableLine } from '../text.ts'
import { normaliseEmail } from './account.ts'

/** After the payment: the checkout stays open, or opens the invoice's `success_url` by itself. */
const AFTER_PAYMENT = ['stay', 'return'] as const

export const MAX_STORE_NAME_CHARS = 80
export const MAX_FRAME_ORIGINS = 10
/** A host name has at most 253 characters. */
const MAX_ORIGIN_CHARS = 270

/** The fields of a store profile. Null: the service's default. */
export const STORE_FIELDS = {
  name: {
    column: 'name',
    type: 'text',
    nullable: true,
    request: { minLength: 1, maxLength: MAX_STORE_NAME_CHARS },
    wire: 'name',
    meaning: 'The name of the shop, on all pages for its buyers.',
  },
  /** SHA-256 of the stored image, 64 hex characters. */
  logo: { column: 'logo', type: 'text', nullable: true, changedBy: 'upload' },
  accent: {
    column: 'accent',
    type: 'text',
    nullable: true,
    request: { minLength: 7, maxLength: 7 },
    wire: 'accent',
    meaning:
      'The colour of buttons and links, as `#rrggbb`. A colour of too little contrast is shown lighter or darker.',
  },
  support: {
    column: 'support',
    type: 'text',
    nullable: true,
    request: { minLength: 1, maxLength: MAX_SHOP_URL_CHARS },
    wire: 'support',
    meaning: 'Where buyers get help: an https URL or an email address.',
  },
  website: {
    column: 'website',
    type: 'text',
    nullable: true,
    request: { minLength: 1, maxLength: MAX_SHOP_URL_CHARS },
    wire: 'website',
    meaning: 'The https URL of the shop.',
  },
  locale: {
    column: 'locale',
    type: 'text',
    nullable: true,
    values: PAGE_LOCALES,
    request: {},
    wire: 'locale',
    meaning: 'The language of a buyer whose browser and invoice name none of these.',
  },
  currency: {
    column: 'currency',
    type: 'text',
    nullable: true,
    request: { minLength: 3, maxLength: 4 },
    wire: 'currency',
    meaning: 'The currency that forms for new prices begin with: ISO 4217, `BTC`, `SATS` or `ZEC`.',
  },
  expiresInSecs: {
    column: 'expires_in_secs',
    type: 'integer',
    nullable: true,
    request: { minimum: EXPIRY_SECS.min, maximum: EXPIRY_SECS.max },
    wire: 'expires_in_secs',
    meaning: `Seconds until an invoice expires whose request does not say. Null: ${EXPIRY_SECS.default}.`,
  },
  afterPayment: {
    column: 'after_payment',
    type: 'text',
    nullable: true,
    values: AFTER_PAYMENT,
    request: {},
    wire: 'after_payment',
    meaning: '`return`: invoices with a `success_url` have `auto_redirect`, unless their request says otherwise.',
  },
  frameOrigins: {
    column: 'frame_origins',
    type: 'texts',
    nullable: true,
    request: { maxItems: MAX_FRAME_ORIGINS },
    wire: 'frame_origins',
    meaning: 'The sites that may show the checkout in a frame, such as `https://shop.example`. Null: any site.',
  },
} as const satisfies Fields

export type StoreFields = typeof STORE_FIELDS

/** How the store of an account appears to its buyers, and the defaults of its invoices. */
export interface StoreProfile extends Noun<StoreFields> {}

/** The members of a store profile on the wire, without those that are computed. */
export type StoreMembers = WireOf<StoreFields>

/** The fields that the owner changes. */
export type StoreChange = Partial<Pick<StoreProfile, NamesOf<StoreFields, { request: object }>>>

/** The profile of an account that has set nothing. */
export const EMPTY_STORE: StoreProfile = {
  name: null,
  logo: null,
  accent: null,
  support: null,
  website: null,
  locale: null,
  currency: null,
  expiresInSecs: null,
  afterPayment: null,
  frameOrigins: null,
}

/**
 * The change with each text as it is stored: URLs and origins in canonical form, a colour in lower case, a currency in
 * upper case. Fields that are absent stay.
 * @param publicUrl see `parseShopUrl`
 * @throws AppError `invalid_<field>`
 */
export function checkedStoreChange(change: StoreChange, publicUrl: string): StoreChange {
  const { name, accent, support, website, locale, currency, expiresInSecs, afterPayment, frameOrigins } = change
  if (name) requirePrintableLine('name', name, MAX_STORE_NAME_CHARS)
  if (name === '') throw invalidField('name', `1 to ${MAX_STORE_NAME_CHARS} characters, or null`)
  if (locale && !PAGE_LOCALES.includes(locale)) throw invalidField('locale', `one of ${PAGE_LOCALES.join(', ')}`)
  if (afterPayment && !AFTER_PAYMENT.includes(afterPayment)) throw invalidField('after_payment', 'stay or return')
  if (expiresInSecs !== undefined && expiresInSecs !== null) requireExpiry(expiresInSecs)
  return {
    ...change,
    ...(name && { name: name.trim() }),
    ...(accent && { accent: checkedAccent(accent) }),
    ...(support && { support: checkedSupport(support, publicUrl) }),
    ...(website && { website: parseShopUrl('website', website, publicUrl).href }),
    ...(currency && { currency: checkedCurrency(currency) }),
    ...(frameOrigins && { frameOrigins: checkedOrigins(frameOrigins) }),
  }
}

function requireExpiry(secs: number): void {
  const { min, max } = EXPIRY_SECS
  if (!Number.isInteger(secs) || secs < min || secs > max)
    throw invalidField('expires_in_secs', `${min} to ${max} seconds, or null`)
}

function checkedAccent(text: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw invalidField('accent', 'a colour such as #1b6a57')
  return text.toLowerCase()
}

function checkedSupport(text: string, publicUrl: string): string {
  if (text.includes('://')) return parseShopUrl('support', text, publicUrl).href
  const email = normaliseEmail(text)
  if (email === null) throw invalidField('support', 'an https URL, or an address such as help@example.com')
  return email
}

function checkedCurrency(text: string): string {
  if (!isPriceCurrency(text)) throw invalidField('currency', 'a code of ISO 4217, BTC, SATS or ZEC')
  return text.toUpperCase()
}

function checkedOrigins(texts: readonly string[]): string[] {
  const origins = texts.map(text => {
    const origin = frameOrigin(text)
    if (origin === null)
      throw invalidField('frame_origins', 'each an origin without a path, such as https://shop.example')
    return origin
  })
  const distinct = [...new Set(origins)]
  if (distinct.length < 1 || distinct.length > MAX_FRAME_ORIGINS)
    throw invalidField('frame_origins', `1 to ${MAX_FRAME_ORIGINS} origins, or null for any site`)
  return distinct
}

/** A policy names hosts with these characters alone: others, such as a semicolon, would end the directive. */
const POLICY_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/

/** The canonical origin; null unless it is https, or http on this machine, and nothing more. */
function frameOrigin(text: string): string | null {
  const url = text.length <= MAX_ORIGIN_CHARS ? URL.parse(text) : null
  if (!url || url.href !== `${url.origin}/` || !POLICY_HOST.test(url.hostname)) return null
  const isProtected = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackInBrowser(url.hostname))
  return isProtected ? url.origin : null
}

/** The target of the link for help on a buyer's page. Null without one. */
export function supportHref({ support }: Pick<StoreProfile, 'support'>): string | null {
  if (support === null || support.includes('://')) return support
  const [name = '', domain = ''] = support.split('@')
  return `mailto:${encodeURIComponent(name)}@${domain}`
}
