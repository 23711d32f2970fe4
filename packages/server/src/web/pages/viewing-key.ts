import { CONFIRMATIONS } from '../../domain/account.ts'
import type { KeyExpiry } from '../../domain/viewing-key.ts'
import { confirmationSecs, waitingTimeText } from '../../domain/waiting-time.ts'
import { dashboardPage } from '../components/layout.ts'
import { copyable, field } from '../components/parts.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'

export interface ViewingKeyView {
  readonly network: 'main' | 'test' | 'regtest'
  readonly confirmations: number
  /** Seconds between blocks now. */
  readonly spacingSecs: number
  /** The address at index 0, to compare; null while no key is set. */
  readonly firstAddress: string | null
  /** The key was set just now. */
  readonly fresh?: boolean
  /** Of the key that is set; absent: it never expires. */
  readonly expiry?: KeyExpiry | undefined
  /** The sandbox's own, to try with. */
  readonly demoKey: string | null
  /** The way on for those who have just begun. */
  readonly nextStep: boolean
  readonly notice?: string
  readonly error?: string
}

const PREFIXES = {
  main: ['uview1', 'uivk1', 'uvf1', 'uvi1'],
  test: ['uviewtest1', 'uivktest1', 'uvftest1', 'uvitest1'],
  regtest: ['uviewregtest1', 'uivkregtest1', 'uvfregtest1', 'uviregtest1'],
} as const

export function viewingKeyPage(viewer: Viewer, view: ViewingKeyView): Html {
  const { firstAddress, network, confirmations, fresh = false, demoKey, nextStep, expiry, notice, error } = view
  const set = firstAddress !== null
  const offered = set || error !== undefined ? null : demoKey
  const [full, incoming, full2, incoming2] = PREFIXES[network]
  return dashboardPage({
    ...viewer,
    at: '/viewing-key',
    title: 'Viewing key',
    notice,
    error,
    body: html`
      ${firstAddress !== null && compare(firstAddress, fresh)}
      ${nextStep && html`<p><a class="button primary" href="/api-keys">Next: create an API key</a></p>`}
      <div class="columns">
        <section class="card" aria-labelledby="what"><h2 id="what">What it can do, and what it cannot</h2>
          <ul class="plain-list">
            <li><b>It sees</b> the payments that reach your wallet’s own addresses, and their amounts. That is how we know an invoice is paid.</li>
            <li><b>It cannot spend.</b> Nobody who has it can move a single zat; the money goes straight to your wallet.</li>
            <li>We keep only the part that sees incoming payments, encrypted, and never show it again. An incoming key (<code>${incoming}…</code>) is enough; a full one (<code>${full}…</code>) works too.</li>
            <li>Newer wallets may export <code>${incoming2}…</code> or <code>${full2}…</code>. Such a key may expire: set another one before, since no invoice is made that would end later.</li>
            <li><b>Never paste</b> a seed phrase or a spending key, here or anywhere else: whoever has it can take the money.</li>
            <li>A new key counts for new invoices. Those already made stay watched under the old one.</li>
          </ul>
        </section>
        <form class="card" method="post" action="/viewing-key">
          <h2>${set ? 'Change the key' : 'Set the key'}</h2>
          <p>${set ? 'A viewing key is set.' : 'No viewing key is set yet.'}${expiry && expires(expiry)} Your wallet exports it, often under “Export viewing key”.</p>
          <div class="field"><label for="viewing_key">Unified viewing key</label><textarea id="viewing_key" name="viewing_key" rows="5" required maxlength="4000" spellcheck="false" autocomplete="off" autocapitalize="off"${offered !== null && html` aria-describedby="viewing_key-hint"`}>${offered}</textarea>
            ${offered !== null && html`<p class="hint" id="viewing_key-hint">This is the sandbox: the key of its demo wallet is filled in for you to try.</p>`}</div>
          <button class="primary">${set ? 'Change viewing key' : 'Set viewing key'}</button>
        </form>
      </div>
      <form class="card inline" method="post" action="/confirmations">
        ${field({ name: 'confirmations', label: 'Confirmations before an invoice is paid', type: 'number', value: String(confirmations), hint: `${CONFIRMATIONS.least} to ${CONFIRMATIONS.most} blocks, for new invoices. 0 takes a payment as soon as it is seen, ${CONFIRMATIONS.usual} is usual. ${pace(view)}`, attributes: html` min="${CONFIRMATIONS.least}" max="${CONFIRMATIONS.most}" inputmode="numeric"` })}
        <button>Save</button>
      </form>`,
  })
}

function expires({ time, height }: KeyExpiry): Html {
  return html`${time !== null && html` It expires on ${moment(time)}.`}${height !== null && html` It expires after block ${String(height)}.`}`
}

/** How long the confirmations take. */
function pace({ confirmations, spacingSecs }: ViewingKeyView): string {
  const block = `A block comes about every ${spacingSecs} seconds`
  if (confirmations === 0) return `${block}.`
  const take = confirmations === 1 ? 'takes' : 'take'
  return `${block}, so ${confirmations} ${take} ${waitingTimeText(confirmationSecs(confirmations, spacingSecs))}.`
}

function compare(address: string, fresh: boolean): Html {
  return html`<section class="card${fresh && ' once'}" aria-labelledby="compare"><h2 id="compare">Compare this address with your wallet</h2>
    <p>${copyable(address, 'the address')}</p>
    <p class="hint">It is the first address of the key. Your wallet should show the same one as its first shielded address; if not, the key is of another account.</p></section>`
}
