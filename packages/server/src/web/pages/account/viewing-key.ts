import { CONFIRMATIONS } from '../../../domain/account/account.ts'
import { type KeyExpiry, MAX_VIEWING_KEY_CHARS } from '../../../domain/account/viewing-key.ts'
import { confirmationSecs, formatWaitingTime } from '../../../domain/sale/confirmation-time.ts'
import { copyable } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'

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
    title: 'Viewing key',
    flash,
    error,
    body: html`
      ${firstAddress !== null && firstAddressCard(firstAddress, justSet)}
      ${showNextStep && html`<p><a class="button primary" href="/invoices/new">Next: create your first invoice</a></p>`}
      <div class="columns">
        <section class="card" aria-labelledby="what"><h2 id="what">What a viewing key can do</h2>
          <ul class="plain-list">
            <li><b>It sees</b> payments to your wallet’s addresses and their amounts. This is how we know that an invoice is paid.</li>
            <li><b>It cannot spend.</b> It cannot move any of your money. Payments go straight to your wallet.</li>
            <li>We store only the part that sees incoming payments. It is encrypted and never shown again. An incoming viewing key (<code>${incoming}…</code>) is enough; a full viewing key (<code>${full}…</code>) works too.</li>
            <li>Newer wallets may export <code>${incoming2}…</code> or <code>${full2}…</code>. Such a key can expire. Replace it in time, because an invoice cannot expire later than its key.</li>
            <li><b>Never paste</b> a seed phrase or a spending key, here or anywhere else. Anyone who has it can take your money.</li>
            <li>A new key applies to new invoices. Existing invoices stay watched under the old key.</li>
          </ul>
        </section>
        <form class="card" method="post" action="/viewing-key">
          <h2>${isSet ? 'Change the viewing key' : 'Set the viewing key'}</h2>
          <p>${isSet ? 'A viewing key is set.' : 'No viewing key is set yet.'}${expiry && expiryText(expiry)} Export the key from your wallet, often under “Export viewing key”.</p>
          <div class="field"><label for="viewing_key">Unified viewing key</label><textarea id="viewing_key" name="viewing_key" rows="5" required maxlength="${MAX_VIEWING_KEY_CHARS}" spellcheck="false" autocomplete="off" autocapitalize="off"${prefilled !== null && html` aria-describedby="viewing_key-hint"`}>${prefilled}</textarea>
            ${prefilled !== null && html`<p class="hint" id="viewing_key-hint">Sandbox: the viewing key of the demo wallet is filled in for you to try.</p>`}</div>
          <button class="primary">${isSet ? 'Change viewing key' : 'Set viewing key'}</button>
        </form>
      </div>
      <form class="card inline" method="post" action="/confirmations">
        ${field({ name: 'confirmations', label: 'Confirmations required', type: 'number', value: String(confirmations), hint: `${CONFIRMATIONS.min} to ${CONFIRMATIONS.max} blocks, for new invoices. With 0, an invoice is paid as soon as its payment is detected. The default is ${CONFIRMATIONS.default}. ${confirmationTime(view)}`, attributes: html` min="${CONFIRMATIONS.min}" max="${CONFIRMATIONS.max}" inputmode="numeric"` })}
        <button>Save</button>
      </form>`,
  })
}

function expiryText({ time, height }: KeyExpiry): Html {
  return html`${time !== null && html` It expires on ${timeElement(time)}.`}${height !== null && html` It expires after block ${String(height)}.`}`
}

/** The time that the confirmations take. */
function confirmationTime({ confirmations, spacingSecs }: ViewingKeyView): string {
  const block = `A block is mined about every ${spacingSecs} seconds`
  if (confirmations === 0) return `${block}.`
  const blocks = confirmations === 1 ? '1 block takes' : `${confirmations} blocks take`
  return `${block}, so ${blocks} ${formatWaitingTime(confirmationSecs(confirmations, spacingSecs))}.`
}

function firstAddressCard(address: string, isNew: boolean): Html {
  return html`<section class="card${isNew && ' once'}" aria-labelledby="compare"><h2 id="compare">Compare this address with your wallet</h2>
    <p>${copyable(address, 'the address')}</p>
    <p class="hint">This is the first address of the viewing key, for Orchard and Ironwood only. If your wallet’s first shielded address has the same length but is another one, the key belongs to another account of the wallet. If it is longer, it also has other receivers and cannot be compared: pay a small invoice instead, and check that your wallet receives it.</p></section>`
}
