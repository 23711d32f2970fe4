import { type ApiKey, hasEnded, SCOPE_NAMES, SCOPES } from '../../../domain/account/api-key.ts'
import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { listTime } from '../../format.ts'
import type { FormFields } from '../../forms.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

export interface ApiKeysView extends PagerLinks {
  readonly keys: readonly ApiKey[]
  /** The key just created, shown only once. */
  readonly created?: { readonly name: string; readonly key: string; readonly createsInvoices: boolean }
  /** Unix seconds. */
  readonly now: number
  readonly publicUrl: string
  /** Shows a link to create the first invoice. */
  readonly firstInvoice: boolean
  readonly flash?: string
  readonly error?: string
  /** The fields of the form as they were sent. */
  readonly form?: FormFields
}

/** Of the addresses of a key in the form: 20 of the longest blocks. */
const MAX_ADDRESSES_CHARS = 1_000

/** The form has a box for each scope, with this prefix. */
export const SCOPE_PREFIX = 'may-'

export function apiKeysPage(user: PageUser, view: ApiKeysView): Html {
  const { keys, created, now, publicUrl, firstInvoice, flash, error, form = {} } = view
  return dashboardPage({
    ...user,
    menuPath: '/api-keys',
    title: 'API keys',
    flash,
    error,
    body: html`
      ${created && oneTimeSecret(html`New API key “<bdi>${created.name}</bdi>”`, created.key, 'Store it like a password. It is shown only once; we keep only a hash.')}
      ${created?.createsInvoices && firstInvoice && html`<p><a class="button primary" href="/invoices/new">Next: create your first invoice</a></p>`}
      <p class="lead">An API key lets your server create invoices, and nothing else unless you choose so. No key changes your account or moves money.</p>
      <form class="card narrow" method="post" action="/api-keys">
        ${field({ name: 'name', label: 'Key name', value: form.name ?? '', maxlength: MAX_NAME_LENGTH, hint: 'A name that you will recognise, such as “shop”.', attributes: html` autocomplete="off"` })}
        ${scopeChoice(form)}
        <button class="primary">Create API key</button>
      </form>
      <section class="card" aria-labelledby="keys"><h2 id="keys">Your API keys</h2>${keys.length > 0 ? table(keys, now) : html`<p class="empty">No API keys yet.</p>`}${pager(view)}</section>
      <section class="card" aria-labelledby="try"><h2 id="try">Example request</h2><pre tabindex="0"><code>curl ${publicUrl}/v1/invoices \\
  -H 'Authorization: Bearer ${created?.createsInvoices ? created.key : 'zg_…'}' \\
  -H 'Content-Type: application/json' \\
  -d '{"amount_zat": 100000}'</code></pre><p>All requests, with a form to try each: the <a href="/docs">API reference</a>.</p></section>`,
  })
}

function scopeChoice(form: FormFields): Html {
  const isChosen = (scope: string) => form[SCOPE_PREFIX + scope] !== undefined
  const { last_day: lastDay = '', addresses = '' } = form
  const boxes = SCOPE_NAMES.map(
    scope =>
      html`<label class="choice"><input type="checkbox" name="${SCOPE_PREFIX}${scope}" value="1"${booleanAttribute('checked', isChosen(scope))}> ${SCOPES[scope]}</label>`,
  )
  return html`<details${booleanAttribute('open', SCOPE_NAMES.some(isChosen) || lastDay !== '' || addresses !== '')}><summary>Choose what the key may do</summary>
    <fieldset><legend>The key may</legend>${boxes}</fieldset>
    <p class="hint">With none chosen it creates invoices, without a webhook of their own. The choice cannot be changed later.</p>
    ${field({ name: 'last_day', label: 'Last day', type: 'date', value: lastDay, required: false, hint: 'Optional, for a key with a choice above. It works to the end of this day, in UTC.' })}
    ${field({ name: 'addresses', label: 'Addresses', value: addresses, required: false, maxlength: MAX_ADDRESSES_CHARS, attributes: html` autocomplete="off" spellcheck="false"`, hint: 'Optional, for a key with a choice above. The addresses of your servers, such as 203.0.113.7 or 2001:db8::/48, separated by spaces. From others the key is refused.' })}</details>`
}

function table(keys: readonly ApiKey[], now: number): Html {
  const rows = keys.map(
    key => html`<tr>
      <td><bdi>${key.name}</bdi><span class="below code">${key.rights ? 'zgk_' : 'zg_'}…${key.last4}</span>${rightsOfKey(key, now)}</td>
      <td class="wide">${listTime(key.createdAt)}</td>
      <td>${key.revokedAt !== null ? html`revoked<span class="below">${listTime(key.revokedAt)}</span>` : key.lastUsedAt === null ? 'never used' : listTime(key.lastUsedAt)}</td>
      <td class="number">${key.revokedAt === null && confirmedButton(`/api-keys/${key.publicId}/revoke`, 'Revoke', { kind: 'danger small', describe: `Revoke the API key ${key.name}`, question: html`Revoke the API key “<bdi>${key.name}</bdi>”?`, consequence: 'What uses it fails from now on. A revoked key never works again.', confirm: 'Revoke key' })}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">Name</th><th scope="col" class="wide">Created</th><th scope="col">Last used</th><th scope="col"><span class="unseen">Action</span></th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The scopes and limits of a scoped key. */
function rightsOfKey(key: ApiKey, now: number): Html | null {
  if (key.rights === null) return null
  const { scopes, expiresAt, addresses } = key.rights
  return html`<span class="below">${scopes.join(', ')}</span>${
    expiresAt !== null &&
    html`<span class="below">${hasEnded(key, now) ? 'ended' : 'ends'} ${listTime(expiresAt)}</span>`
  }${addresses && html`<span class="below">from ${addresses.join(', ')}</span>`}`
}
