import { CONFIRMATIONS } from '../../../domain/account/account.ts'
import { type KeyExpiry, MAX_VIEWING_KEY_CHARS } from '../../../domain/account/viewing-key.ts'
import { confirmationSecs, formatWaitingTime } from '../../../domain/sale/confirmation-time.ts'
import { copyable } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface ViewingKeyView {
  readonly network: 'main' | 'test' | 'regtest'
  readonly confirmations: number
  /** Current block spacing in seconds. */
  readonly spacingSecs: number
  /** The address at index 0, to compare with the wallet; null if no key is set. */
  readonly firstAddress: string | null
  /** The key has just been set. */
  readonly justSet?: boolean
  /** Expiry of the key. Undefined: it does not expire. */
  readonly expiry?: KeyExpiry | undefined
  /** The viewing key of the sandbox's demo wallet; null outside the sandbox. */
  readonly demoKey: string | null
  /** Shows a link to create the first invoice. */
  readonly showNextStep: boolean
  readonly flash?: string
  readonly error?: string
}

const PREFIXES = {
  main: ['uview1', 'uivk1', 'uvf1', 'uvi1'],
  test: ['uviewtest1', 'uivktest1', 'uvftest1', 'uvitest1'],
  regtest: ['uviewregtest1', 'uivkregtest1', 'uvfregtest1', 'uviregtest1'],
} as const

export function viewingKeyPage(user: PageUser, view: ViewingKeyView): Html {
  const { firstAddress, network, confirmations, justSet = false, demoKey, showNextStep, expiry, flash, error } = view
  const isSet = firstAddress !== null
  const prefilled = isSet || error !== undefined ? null : demoKey
  const [full, incoming, full2, incoming2] = PREFIXES[network]
  return dashboardPage({
    ...user,
    menuPath: '/viewing-key',
    title: plain('viewing_key'),
    flash,
    error,
    body: html`
      ${firstAddress !== null && firstAddressCard(firstAddress, justSet)}
      ${showNextStep && html`<p><a class="button primary" href="/invoices/new">${say('first_invoice_next')}</a></p>`}
      <div class="columns">
        <section class="card" aria-labelledby="what"><h2 id="what">${say('viewing_key_about')}</h2>
          <ul class="plain-list">
            <li>${say('viewing_key_sees')}</li>
            <li>${say('viewing_key_cannot_spend')}</li>
            <li>${say('viewing_key_stored', { incoming: html`<code>${incoming}…</code>`, full: html`<code>${full}…</code>` })}</li>
            <li>${say('viewing_key_newer', { incoming: html`<code>${incoming2}…</code>`, full: html`<code>${full2}…</code>` })}</li>
            <li>${say('viewing_key_never')}</li>
            <li>${say('viewing_key_new')}</li>
          </ul>
        </section>
        <form class="card" method="post" action="/viewing-key">
          <h2>${isSet ? plain('viewing_key_change_title') : plain('viewing_key_set_title')}</h2>
          <p>${isSet ? plain('viewing_key_is_set') : plain('viewing_key_not_set')}${expiry && expiryText(expiry)} ${say('viewing_key_export')}</p>
          <div class="field"><label for="viewing_key">${say('viewing_key_label')}</label><textarea id="viewing_key" name="viewing_key" rows="5" required maxlength="${MAX_VIEWING_KEY_CHARS}" spellcheck="false" autocomplete="off" autocapitalize="off"${prefilled !== null && html` aria-describedby="viewing_key-hint"`}>${prefilled}</textarea>
            ${prefilled !== null && html`<p class="hint" id="viewing_key-hint">${say('viewing_key_demo')}</p>`}</div>
          <button class="primary">${isSet ? plain('viewing_key_change') : plain('viewing_key_set')}</button>
        </form>
      </div>
      <form class="card inline" method="post" action="/confirmations">
        ${field({ name: 'confirmations', label: plain('confirmations_required'), type: 'number', value: String(confirmations), hint: html`${say('confirmations_required_hint', CONFIRMATIONS)} ${confirmationTime(view)}`, attributes: html` min="${CONFIRMATIONS.min}" max="${CONFIRMATIONS.max}" inputmode="numeric"` })}
        <button>${say('save')}</button>
      </form>`,
  })
}

function expiryText({ time, height }: KeyExpiry): Html {
  return html`${time !== null && html` ${say('viewing_key_expires_on', { time: timeElement(time) })}`}${height !== null && html` ${say('viewing_key_expires_after', { height: String(height) })}`}`
}

/** The time that the confirmations take. */
function confirmationTime({ confirmations: count, spacingSecs: spacing }: ViewingKeyView): string {
  if (count === 0) return plain('block_spacing', { spacing })
  const time = formatWaitingTime(confirmationSecs(count, spacing))
  return plain('confirmations_take', { count, spacing, time })
}

function firstAddressCard(address: string, isNew: boolean): Html {
  return html`<section class="card${isNew && ' once'}" aria-labelledby="compare"><h2 id="compare">${say('viewing_key_compare')}</h2>
    <p>${copyable(address, plain('the_address'))}</p>
    <p class="hint">${say('viewing_key_compare_hint')}</p></section>`
}
