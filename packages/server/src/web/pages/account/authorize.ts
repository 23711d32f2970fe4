import type { Authorization, AuthorizationProblem, KeyReceiver } from '../../../domain/account/authorization.ts'
import { PERMISSIONS, type Permission } from '../../../domain/account/permission.ts'
import { breakable } from '../../components/account/permission-name.ts'
import { pluginSettings, type ShownKey } from '../../components/account/plugin-settings.ts'
import { definitionList } from '../../components/definition-list.ts'
import { dashboardPage, type PageUser, signedOutPage } from '../../components/layout.ts'
import { type Child, type Html, html } from '../../html.ts'
import { type DashboardMessage, plain, say } from '../../text/dashboard.ts'

interface ConsentView {
  readonly asked: Authorization
  /** The address of this page with its query. */
  readonly action: string
  readonly token: string
  readonly email: string
  readonly storeId: string
  /** Without one the store cannot create invoices yet. */
  readonly hasViewingKey: boolean
  readonly error: string | undefined
}

const PROBLEMS = {
  too_long: 'plugin_too_long',
  no_permissions: 'plugin_no_permissions',
  unsupported_permissions: 'plugin_unsupported_permissions',
  bad_receiver: 'plugin_bad_receiver',
} as const satisfies Readonly<Record<AuthorizationProblem, DashboardMessage>>

/** Asks the owner whether a shop plugin gets a key. Nothing of the plugin's own words is HTML. */
export function authorizePage(view: ConsentView): Html {
  const { asked, action, token, email, storeId, hasViewingKey, error } = view
  const { permissions, unsupported, problem } = asked
  const name = grantedName(asked)
  const title = plain(problem === null ? 'plugin_connect' : 'plugin_cannot_connect')
  const facts: [string, Child][] = [
    [plain('plugin_app'), html`<bdi>${name}</bdi><span class="below">${say('plugin_app_claim')}</span>`],
    [plain('plugin_receiver'), receiverText(asked)],
    [plain('plugin_store'), html`<bdi>${email}</bdi><span class="below code">${storeId}</span>`],
  ]
  return signedOutPage({
    title,
    body: html`<div class="card narrow consent">
      <h1>${title}</h1>
      ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
      ${problem === null ? html`<p class="lead">${say('plugin_lead')}</p>` : html`<p class="error" role="alert">${say(PROBLEMS[problem])}</p>`}
      ${problem !== null && listOf(plain('plugin_not_here'), unsupported)}
      ${
        problem === null &&
        html`${definitionList(facts)}
      <h2>${say('plugin_may')}</h2>
      <ul class="plain-list rights">${permissions.map(permission => html`<li>${PERMISSIONS[permission].meaning}<span class="below code">${breakable(permission)}</span></li>`)}</ul>
      ${listOf(plain('plugin_left_out'), unsupported)}
      <p class="hint">${say('plugin_no_money')}</p>
      ${!hasViewingKey && html`<p class="card attention">${say('plugin_no_viewing_key', { link: '/viewing-key' })}</p>`}
      <form method="post" action="${action}"><input type="hidden" name="token" value="${token}"><button class="primary">${say('plugin_allow')}</button><a class="button" href="/overview">${say('plugin_deny')}</a></form>`
      }
      ${problem !== null && html`<p><a class="button" href="/overview">${say('plugin_to_dashboard')}</a></p>`}
    </div>`,
  })
}

/** The name of the key: that of the plugin, or else of the shop. */
export function grantedName({ appName, receiver }: Authorization): string {
  return appName || receiver?.host.slice(0, 100) || plain('plugin_unnamed')
}

function receiverText({ receiver }: Authorization): Html {
  if (receiver === null) return say('plugin_shown_to_you')
  return html`<strong>${receiver.host}</strong><span class="below code">${receiver.url}</span>`
}

function listOf(title: string, names: readonly string[]): Html | false {
  if (names.length === 0) return false
  return html`<p>${title}</p><ul class="plain-list">${names.map(name => html`<li><code>${breakable(name)}</code></li>`)}</ul>`
}

interface HandOverView {
  readonly receiver: KeyReceiver
  readonly key: string
  readonly storeId: string
  readonly permissions: readonly Permission[]
}

/** Sends the key to the shop: a form, so that the key stands in no address. */
export function handOverPage({ receiver, key, storeId, permissions }: HandOverView): Html {
  const fields = [
    ['apiKey', key],
    ['userId', storeId],
    ...permissions.map(permission => ['permissions[]', `${permission}:${storeId}`]),
  ]
  return signedOutPage({
    title: plain('plugin_allowed'),
    script: 'submit.js',
    body: html`<div class="card narrow consent">
      <h1>${say('plugin_allowed')}</h1>
      <p class="lead">${say('plugin_sending', { host: receiver.host })}</p>
      <form method="post" action="${receiver.url}" data-submit>${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="primary">${say('plugin_continue', { host: receiver.host })}</button></form>
    </div>`,
  })
}

/** The key of a plugin that gave no address to send it to. */
export function shownKeyPage(user: PageUser, shown: ShownKey): Html {
  return dashboardPage({
    ...user,
    menuPath: '/api-keys',
    title: plain('plugin_allowed'),
    body: html`${pluginSettings(shown)}<p><a class="button" href="/api-keys">${say('keys_yours')}</a></p>`,
  })
}
