import {
  ALL_SCOPES,
  type ApiKey,
  hasEnded,
  permissionsOf,
  SCOPE_NAMES,
  SCOPES,
} from '../../../domain/account/api-key.ts'
import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import { isPermission, PERMISSION_NAMES, PERMISSIONS } from '../../../domain/account/permission.ts'
import { breakable } from '../../components/account/permission-name.ts'
import { pluginSettings, storeForPlugins } from '../../components/account/plugin-settings.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { listTime } from '../../format.ts'
import type { FormFields } from '../../forms.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

export interface ApiKeysView extends PagerLinks {
  readonly keys: readonly ApiKey[]
  /** The key just created, shown only once. */
  readonly created?: {
    readonly name: string
    readonly key: string
    readonly createsInvoices: boolean
    readonly isForPlugin: boolean
  }
  /** Unix seconds. */
  readonly now: number
  readonly publicUrl: string
  readonly storeId: string
  /** Shows a link to create the first invoice. */
  readonly firstInvoice: boolean
  readonly flash?: string
  readonly error?: string
  /** The fields of the form as they were sent. */
  readonly form?: FormFields
}

/** The length of the addresses of a key in the form: 20 of the longest blocks. */
const MAX_ADDRESSES_CHARS = 1_000

/** Chooses `COMMON_PERMISSIONS` in the form. Without a script, so it is a link. */
const PRESET_LINK = '/api-keys?for=plugin'

/** The form has a box for each scope, with this prefix. */
export const SCOPE_PREFIX = 'may-'

export function apiKeysPage(user: PageUser, view: ApiKeysView): Html {
  const { keys, created, now, publicUrl, storeId, firstInvoice, flash, error, form = {} } = view
  return dashboardPage({
    ...user,
    menuPath: '/api-keys',
    title: plain('keys'),
    flash,
    error,
    body: html`
      ${created && (created.isForPlugin ? pluginSettings({ ...created, storeId, publicUrl }) : oneTimeSecret(say('key_new', { name: created.name }), created.key, plain('key_new_hint')))}
      ${created?.createsInvoices && firstInvoice && html`<p><a class="button primary" href="/invoices/new">${say('first_invoice_next')}</a></p>`}
      <p class="lead">${say('keys_lead')}</p>
      <form class="card narrow" method="post" action="/api-keys">
        ${field({ name: 'name', label: plain('key_name'), value: form.name ?? '', maxlength: MAX_NAME_LENGTH, hint: plain('key_name_hint'), attributes: html` autocomplete="off"` })}
        ${scopeChoice(form)}
        <button class="primary">${say('key_create')}</button>
      </form>
      <section class="card" aria-labelledby="keys"><h2 id="keys">${say('keys_yours')}</h2>${keys.length > 0 ? table(keys, now) : html`<p class="empty">${say('keys_none')}</p>`}${pager(view)}</section>
      ${created?.isForPlugin !== true && storeForPlugins({ storeId, publicUrl, newKey: PRESET_LINK })}
      <section class="card" aria-labelledby="try"><h2 id="try">${say('key_example')}</h2><pre tabindex="0"><code>curl ${publicUrl}/v1/invoices \\
  -H 'Authorization: Bearer ${created?.createsInvoices ? created.key : 'zg_…'}' \\
  -H 'Content-Type: application/json' \\
  -d '{"amount_zat": 100000}'</code></pre><p>${say('key_example_more', { link: '/docs' })}</p></section>`,
  })
}

function scopeChoice(form: FormFields): Html {
  const isChosen = (scope: string) => form[SCOPE_PREFIX + scope] !== undefined
  const { last_day: lastDay = '', addresses = '' } = form
  const box = (scope: string, label: Child) =>
    html`<label class="choice"><input type="checkbox" name="${SCOPE_PREFIX}${scope}" value="1"${booleanAttribute('checked', isChosen(scope))}> ${label}</label>`
  const boxes = SCOPE_NAMES.map(scope => box(scope, SCOPES[scope]))
  const pluginBoxes = PERMISSION_NAMES.map(name =>
    box(
      name,
      html`<span>${upperFirst(PERMISSIONS[name].meaning)}<span class="below code">${breakable(name)}</span></span>`,
    ),
  )
  return html`<details${booleanAttribute('open', ALL_SCOPES.some(isChosen) || lastDay !== '' || addresses !== '')}><summary>${say('key_scopes')}</summary>
    <fieldset><legend>${say('key_may')}</legend>${boxes}</fieldset>
    <details${booleanAttribute('open', PERMISSION_NAMES.some(isChosen))}><summary>${say('key_may_plugin')}</summary>
    <p class="hint">${say('key_preset', { link: PRESET_LINK })}</p>
    <fieldset><legend class="unseen">${say('key_may_plugin')}</legend>${pluginBoxes}</fieldset></details>
    <p class="hint">${say('key_scopes_hint')}</p>
    ${field({ name: 'last_day', label: plain('key_last_day'), type: 'date', value: lastDay, required: false, hint: plain('key_last_day_hint') })}
    ${field({ name: 'addresses', label: plain('key_addresses'), value: addresses, required: false, maxlength: MAX_ADDRESSES_CHARS, attributes: html` autocomplete="off" spellcheck="false"`, hint: plain('key_addresses_hint') })}</details>`
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function table(keys: readonly ApiKey[], now: number): Html {
  const rows = keys.map(
    key => html`<tr>
      <td><bdi>${key.name}</bdi><span class="below code">${key.rights ? 'zgk_' : 'zg_'}…${key.last4}</span>${rightsOfKey(key, now)}</td>
      <td class="wide">${listTime(key.createdAt)}</td>
      <td>${key.revokedAt !== null ? html`${say('key_revoked')}<span class="below">${listTime(key.revokedAt)}</span>` : key.lastUsedAt === null ? plain('never_used') : listTime(key.lastUsedAt)}</td>
      <td class="number">${key.revokedAt === null && confirmedButton(`/api-keys/${key.publicId}/revoke`, plain('key_revoke'), { kind: 'danger small', describe: plain('key_revoke_name', { name: key.name }), question: say('key_revoke_question', { name: key.name }), consequence: plain('key_revoke_effect'), confirm: plain('key_revoke_confirm') })}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">${say('key_name_column')}</th><th scope="col" class="wide">${say('created')}</th><th scope="col">${say('last_used')}</th><th scope="col"><span class="unseen">${say('action')}</span></th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The scopes and limits of a scoped key. */
function rightsOfKey(key: ApiKey, now: number): Html | null {
  if (key.rights === null) return null
  const { scopes, expiresAt, addresses } = key.rights
  const permissions = permissionsOf(key)
  const ownScopes = scopes.filter(scope => !isPermission(scope))
  return html`${ownScopes.length > 0 && html`<span class="below">${ownScopes.join(', ')}</span>`}${
    permissions.length > 0 &&
    html`<details class="below"><summary>${say('plugin_key_may', { count: permissions.length })}</summary><ul class="plain-list">${permissions.map(name => html`<li>${breakable(name)}</li>`)}</ul></details>`
  }${
    expiresAt !== null &&
    html`<span class="below">${say(hasEnded(key, now) ? 'key_ended' : 'key_ends', { time: listTime(expiresAt) })}</span>`
  }${addresses && html`<span class="below">${say('key_from', { addresses: addresses.join(', ') })}</span>`}`
}
