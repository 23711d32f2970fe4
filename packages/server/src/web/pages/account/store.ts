import type { SaleTerms } from '../../../domain/account/account.ts'
import { CONFIRMATIONS } from '../../../domain/account/account.ts'
import {
  MAX_FRAME_ORIGINS,
  MAX_STORE_NAME_CHARS,
  type StoreChange,
  type StoreProfile,
} from '../../../domain/account/store-profile.ts'
import { PAGE_LOCALES } from '../../../domain/locale.ts'
import { EXPIRY_SECS, MAX_SHOP_URL_CHARS, MAX_TOLERANCE_BPS } from '../../../domain/sale/invoice-fields.ts'
import { logoPath } from '../../../http/routes/account/store-profile.ts'
import { storePreview } from '../../components/account/store-preview.ts'
import { actionButton, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { expiryField } from '../../components/sale/expiry-field.ts'
import { formatDuration } from '../../format.ts'
import type { FormFields } from '../../forms.ts'
import { booleanAttribute, exactly, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { LANGUAGE_NAMES } from '../../text/languages.ts'

interface StoreView {
  readonly profile: StoreProfile
  readonly terms: SaleTerms
  /** The form as it was sent. Undefined: as the profile is. */
  readonly form?: FormFields | undefined
  readonly flash?: string | undefined
  readonly error?: string | undefined
}

const OFF = html` autocomplete="off" spellcheck="false"`
const BPS_PER_PERCENT = 100

/** How the shop appears to its buyers, and the defaults of its invoices. */
export function storePage(user: PageUser, { profile, terms, form = formOf(profile), flash, error }: StoreView): Html {
  return dashboardPage({
    ...user,
    menuPath: '/store',
    title: plain('store'),
    flash,
    error,
    accent: profile.accent,
    body: html`<div class="store-columns">
      <div>
        ${profileForm(form)}
        ${logoForm(profile)}
        ${termsForm(terms)}
      </div>
      ${storePreview(profile)}
    </div>`,
  })
}

function profileForm(form: FormFields): Html {
  const text = (name: string) => form[name] ?? ''
  return html`<form class="card" method="post" action="/store">
    <h2>${say('shop')}</h2>
    ${field({ name: 'name', label: plain('store_name'), value: text('name'), required: false, maxlength: MAX_STORE_NAME_CHARS, attributes: html` autocomplete="organization"`, hint: plain('store_name_hint') })}
    ${field({ name: 'website', label: plain('store_website'), value: text('website'), required: false, maxlength: MAX_SHOP_URL_CHARS, attributes: html`${OFF} inputmode="url" placeholder="https://shop.example"` })}
    ${field({ name: 'support', label: plain('store_support'), value: text('support'), required: false, maxlength: MAX_SHOP_URL_CHARS, attributes: html`${OFF} autocapitalize="none"`, hint: plain('store_support_hint') })}
    <h2>${say('store_look')}</h2>
    ${field({ name: 'accent', label: plain('store_accent'), value: text('accent'), required: false, maxlength: 7, attributes: html`${OFF} placeholder="#1b6a57" pattern="#[0-9A-Fa-f]{6}"`, hint: plain('store_accent_hint') })}
    ${select('locale', plain('language'), text('locale'), languages(), plain('store_language_hint'))}
    <h2>${say('invoices')}</h2>
    ${field({ name: 'currency', label: plain('currency'), value: text('currency'), required: false, maxlength: 4, attributes: html`${OFF} autocapitalize="characters" placeholder="EUR"`, hint: plain('store_currency_hint') })}
    ${expiryField(plain('valid_for'), text('expires_in_secs'), html`<option value="">${plain('store_expiry_default', { time: formatDuration(EXPIRY_SECS.default) })}</option>`)}
    ${select('after_payment', plain('after_payment'), text('after_payment'), AFTER, plain('store_after_payment_hint'))}
    <h2>${say('store_frames')}</h2>
    <div class="field"><label for="frame_origins">${say('store_frames_label')}</label>
      <textarea id="frame_origins" name="frame_origins" rows="3" spellcheck="false" autocomplete="off" autocapitalize="off" aria-describedby="frame_origins-hint">${exactly(text('frame_origins'))}</textarea>
      <p class="hint" id="frame_origins-hint">${say('store_frames_hint', { max: MAX_FRAME_ORIGINS })}</p></div>
    <button class="primary">${say('save')}</button>
  </form>`
}

function languages(): readonly (readonly [value: string, label: string])[] {
  const english = new Intl.DisplayNames('en', { type: 'language' })
  const labels = PAGE_LOCALES.map(locale => [locale, `${english.of(locale)} (${LANGUAGE_NAMES[locale]})`] as const)
  return [['', plain('store_language_none')], ...labels]
}

const AFTER = [
  ['', plain('store_after_payment_receipt')],
  ['return', plain('store_after_payment_return')],
] as const

function select(
  name: string,
  label: string,
  chosen: string,
  options: readonly (readonly [value: string, label: string])[],
  hint: string,
): Html {
  const items = options.map(
    ([value, text]) => html`<option value="${value}"${booleanAttribute('selected', value === chosen)}>${text}</option>`,
  )
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}" aria-describedby="${name}-hint">${items}</select><p class="hint" id="${name}-hint">${hint}</p></div>`
}

function logoForm({ logo, name }: StoreProfile): Html {
  return html`<section class="card" aria-labelledby="logo-title"><h2 id="logo-title">${say('store_logo')}</h2>
    ${logo !== null && html`<p><img class="store-logo" src="${logoPath(logo)}" alt="${plain('store_logo_alt', { shop: name ?? plain('the_shop') })}"></p>`}
    <form method="post" action="/store/logo" enctype="multipart/form-data">
      <div class="field"><label for="logo">${logo === null ? plain('store_logo_image') : plain('store_logo_another')}</label><input id="logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp" required aria-describedby="logo-hint">
        <p class="hint" id="logo-hint">${say('store_logo_hint')}</p></div>
      <button>${say('store_logo_upload')}</button>
    </form>
    ${logo !== null && actionButton('/store/logo/remove', plain('store_logo_remove'))}
  </section>`
}

/** The terms belong to the account: weaker ones need a code. */
function termsForm({ confirmations, toleranceBps }: SaleTerms): Html {
  const { min, max } = CONFIRMATIONS
  return html`<form class="card" method="post" action="/store/terms">
    <h2>${say('payments')}</h2>
    ${field({ name: 'confirmations', label: plain('confirmations'), type: 'number', value: String(confirmations), hint: plain('store_confirmations_hint', { min, max }), attributes: html` min="${min}" max="${max}" inputmode="numeric"` })}
    ${field({ name: 'tolerance', label: plain('tolerance_percent'), value: formatPercent(toleranceBps), maxlength: 6, hint: plain('tolerance_percent_hint'), attributes: html` inputmode="decimal" autocomplete="off" pattern="[0-9]{1,3}([.,][0-9]{1,2})?"` })}
    <button>${say('save')}</button>
  </form>`
}

function formatPercent(bps: number): string {
  return String(bps / BPS_PER_PERCENT)
}

/** Hundredths of a percent. NaN for text that is no percentage. */
function parsePercent(text: string): number {
  const percent = /^\d{1,3}(?:[.,]\d{1,2})?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : Number.NaN
  return percent * BPS_PER_PERCENT <= MAX_TOLERANCE_BPS ? Math.round(percent * BPS_PER_PERCENT) : Number.NaN
}

/** The terms of the form. What cannot be read is NaN, which is no term. */
export function parseTermsForm({ confirmations = '', tolerance = '' }: FormFields): SaleTerms {
  return {
    confirmations: /^\d{1,3}$/.test(confirmations) ? Number(confirmations) : Number.NaN,
    toleranceBps: parsePercent(tolerance),
  }
}

/** The fields of a profile as the form has them. */
function formOf(profile: StoreProfile): FormFields {
  const { name, website, support, accent, locale, currency, expiresInSecs, afterPayment, frameOrigins } = profile
  return {
    name: name ?? '',
    website: website ?? '',
    support: support ?? '',
    accent: accent ?? '',
    locale: locale ?? '',
    currency: currency ?? '',
    expires_in_secs: String(expiresInSecs ?? ''),
    after_payment: afterPayment ?? '',
    frame_origins: frameOrigins?.join('\n') ?? '',
  }
}

/** The change that the form asks for. An empty field is null. */
export function parseStoreForm(form: FormFields): StoreChange {
  const text = (name: string) => form[name]?.trim() || null
  const expiry = text('expires_in_secs')
  const origins = text('frame_origins')?.split(/\s+/) ?? null
  return {
    name: text('name'),
    website: text('website'),
    support: text('support'),
    accent: text('accent'),
    locale: text('locale') as StoreChange['locale'] & string,
    currency: text('currency'),
    expiresInSecs: expiry === null ? null : Number(expiry),
    afterPayment: text('after_payment') as StoreChange['afterPayment'] & string,
    frameOrigins: origins,
  }
}
