import type { ApiKey } from '../../domain/account.ts'
import { MAX_NAME_LENGTH } from '../../domain/credential.ts'
import { dashboardPage } from '../components/layout.ts'
import { actionButton, field, shownOnce } from '../components/parts.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'

export interface ApiKeysView {
  readonly keys: readonly ApiKey[]
  /** Just made: shown this once. */
  readonly created?: { readonly name: string; readonly key: string }
  readonly publicUrl: string
  /** The way on for those who have just begun. */
  readonly firstInvoice: boolean
  readonly older: string | null
  readonly notice?: string
  readonly error?: string
  readonly name?: string
}

export function apiKeysPage(viewer: Viewer, view: ApiKeysView): Html {
  const { keys, created, publicUrl, firstInvoice, older, notice, error, name = '' } = view
  return dashboardPage({
    ...viewer,
    at: '/api-keys',
    title: 'API keys',
    notice,
    error,
    body: html`
      ${created && shownOnce(`Your new key “${created.name}”`, created.key, 'Keep it like a password: it is shown this once, and we store only its hash.')}
      ${created && firstInvoice && html`<p><a class="button primary" href="/invoices/new">Next: make your first invoice</a></p>`}
      <p class="lead">Your server makes invoices with an API key. A key can do nothing else: it reads no account and changes none.</p>
      <form class="card inline" method="post" action="/api-keys">
        ${field({ name: 'name', label: 'Name of a new key', value: name, maxlength: MAX_NAME_LENGTH, hint: 'What you will know it by, such as “shop”.', attributes: html` autocomplete="off"` })}
        <button class="primary">Create key</button>
      </form>
      <section class="card" aria-labelledby="keys"><h2 id="keys">Keys</h2>${keys.length > 0 ? table(keys) : html`<p class="empty">No keys yet.</p>`}${older !== null && html`<nav class="pager" aria-label="Pages"><a class="button" href="${older}">Older</a></nav>`}</section>
      <section class="card" aria-labelledby="try"><h2 id="try">Try it</h2><pre tabindex="0"><code>curl ${publicUrl}/v1/invoices \\
  -H 'Authorization: Bearer ${created?.key ?? 'zg_…'}' \\
  -H 'Content-Type: application/json' \\
  -d '{"amount_zat": 100000}'</code></pre></section>`,
  })
}

function table(keys: readonly ApiKey[]): Html {
  const rows = keys.map(
    key => html`<tr>
      <td>${key.name}<span class="below code">zg_…${key.last4}</span></td>
      <td class="wide">${moment(key.createdAt)}</td>
      <td>${key.revokedAt !== null ? html`revoked<span class="below">${moment(key.revokedAt)}</span>` : key.lastUsedAt === null ? 'never used' : moment(key.lastUsedAt)}</td>
      <td class="number">${key.revokedAt === null && actionButton(`/api-keys/${key.publicId}/revoke`, 'Revoke', { kind: 'danger small', describe: `Revoke the key ${key.name}` })}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Name</th><th scope="col" class="wide">Created</th><th scope="col">Last used</th><th scope="col"><span class="unseen">Action</span></th></tr></thead><tbody>${rows}</tbody></table>`
}
