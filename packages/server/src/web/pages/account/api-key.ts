import { type ApiKey, SCOPE_NAMES, SCOPES, type Scope } from '../../../domain/account/api-key.ts'
import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { actionButton, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { timeElement } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

export interface ApiKeysView {
  readonly keys: readonly ApiKey[]
  /** The key just created, shown only once. */
  readonly created?: { readonly name: string; readonly key: string }
  readonly publicUrl: string
  /** Shows a link to create the first invoice. */
  readonly firstInvoice: boolean
  readonly older: string | null
  readonly flash?: string
  readonly error?: string
  readonly name?: string
  readonly scopes?: readonly Scope[]
}

/** The form has a box for each scope, with this prefix. */
export const SCOPE_PREFIX = 'may-'

export function apiKeysPage(user: PageUser, view: ApiKeysView): Html {
  const { keys, created, publicUrl, firstInvoice, older, flash, error, name = '', scopes = [] } = view
  return dashboardPage({
    ...user,
    menuPath: '/api-keys',
    title: 'API keys',
    flash,
    error,
    body: html`
      ${created && oneTimeSecret(html`New API key “<bdi>${created.name}</bdi>”`, created.key, 'Store it like a password. It is shown only once; we keep only a hash.')}
      ${created && firstInvoice && html`<p><a class="button primary" href="/invoices/new">Next: create your first invoice</a></p>`}
      <p class="lead">An API key lets your server create invoices, and nothing else unless you choose so. It never reads or changes your account.</p>
      <form class="card narrow" method="post" action="/api-keys">
        ${field({ name: 'name', label: 'Key name', value: name, maxlength: MAX_NAME_LENGTH, hint: 'A name that you will recognise, such as “shop”.', attributes: html` autocomplete="off"` })}
        ${scopeChoice(scopes)}
        <button class="primary">Create API key</button>
      </form>
      <section class="card" aria-labelledby="keys"><h2 id="keys">Your API keys</h2>${keys.length > 0 ? table(keys) : html`<p class="empty">No API keys yet.</p>`}${pager({ older })}</section>
      <section class="card" aria-labelledby="try"><h2 id="try">Example request</h2><pre tabindex="0"><code>curl ${publicUrl}/v1/invoices \\
  -H 'Authorization: Bearer ${created?.key ?? 'zg_…'}' \\
  -H 'Content-Type: application/json' \\
  -d '{"amount_zat": 100000}'</code></pre><p>All requests, with a form to try each: the <a href="/docs">API reference</a>.</p></section>`,
  })
}

function scopeChoice(chosen: readonly Scope[]): Html {
  const boxes = SCOPE_NAMES.map(
    scope =>
      html`<label class="choice"><input type="checkbox" name="${SCOPE_PREFIX}${scope}" value="1"${booleanAttribute('checked', chosen.includes(scope))}> ${SCOPES[scope]}</label>`,
  )
  return html`<details${booleanAttribute('open', chosen.length > 0)}><summary>Choose what the key may do</summary>
    <fieldset><legend>The key may</legend>${boxes}</fieldset>
    <p class="hint">With none chosen it creates invoices, without a webhook of their own. The choice cannot be changed later.</p></details>`
}

function table(keys: readonly ApiKey[]): Html {
  const rows = keys.map(
    key => html`<tr>
      <td><bdi>${key.name}</bdi><span class="below code">${key.scopes ? 'zgk_' : 'zg_'}…${key.last4}</span>${key.scopes && html`<span class="below">${key.scopes.join(', ')}</span>`}</td>
      <td class="wide">${timeElement(key.createdAt)}</td>
      <td>${key.revokedAt !== null ? html`revoked<span class="below">${timeElement(key.revokedAt)}</span>` : key.lastUsedAt === null ? 'never used' : timeElement(key.lastUsedAt)}</td>
      <td class="number">${key.revokedAt === null && actionButton(`/api-keys/${key.publicId}/revoke`, 'Revoke', { kind: 'danger small', describe: `Revoke the API key ${key.name}` })}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Name</th><th scope="col" class="wide">Created</th><th scope="col">Last used</th><th scope="col"><span class="unseen">Action</span></th></tr></thead><tbody>${rows}</tbody></table>`
}
