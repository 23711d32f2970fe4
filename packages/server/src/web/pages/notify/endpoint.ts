import { formatCount } from '../../../domain/count.ts'
import type { Dialect } from '../../../domain/notify/dialect.ts'
import {
  type ChosenSchedule,
  ENDPOINT_SECRET_CHARS,
  type Endpoint,
  isActive,
  MAX_RECOVERY_SECS,
  SCHEDULES,
} from '../../../domain/notify/endpoint.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import { MAX_WEBHOOK_URL_CHARS } from '../../../domain/notify/webhook.ts'
import { DAY_SECS } from '../../../domain/time.ts'
import type { DeliveryRow } from '../../../ports/repository/notify/delivery.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { definitionList } from '../../components/definition-list.ts'
import { actionButton, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { livePart } from '../../components/live.ts'
import { deliveryList } from '../../components/notify/delivery-list.ts'
import { endpointName, endpointState } from '../../components/notify/endpoint-state.ts'
import { failedLink } from '../../components/notify/endpoint-table.ts'
import { CHOOSABLE_TYPES, EVENT_TYPE_TEXTS } from '../../components/notify/event-type.ts'
import { formatDay, timeElement } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

/** The values in the form of an endpoint. `types` null: all. */
export interface EndpointForm {
  readonly url: string
  readonly types: readonly EventType[] | null
  readonly schedule: ChosenSchedule
  /** Only of a new endpoint. */
  readonly dialect?: Dialect
}

export interface EndpointView {
  readonly endpoint: Endpoint
  /** A filled-in form that was refused. Default: the endpoint as it is. */
  readonly form?: EndpointForm
  /** The signing secret just created or rotated, shown only once. */
  readonly secret?: string
  /** The number of failed deliveries, counted up to `MAX_COUNT` and one. */
  readonly failed: number
  /** The newest. */
  readonly deliveries: readonly DeliveryRow[]
  /** Unix seconds. */
  readonly now: number
  /** A delivery was just queued, so the page refreshes until it appears. */
  readonly awaiting?: boolean
  readonly flash?: string
  readonly error?: string
}

/** The form has a box for each type, with this prefix. */
export const TYPE_PREFIX = 'type-'

const SCHEDULE_TEXTS: Readonly<Record<ChosenSchedule, string>> = {
  standard: plain('schedule_standard'),
  persistent: plain('schedule_persistent'),
}

export function newEndpointPage(user: PageUser, { form, error }: { form?: EndpointForm; error?: string }): Html {
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: plain('endpoint_add'),
    error,
    body: html`
      <p class="lead">${say('endpoint_lead')}</p>
      <form class="card" method="post" action="/webhook/endpoints">
        ${formatChoice(form?.dialect)}
        ${settings(form ?? { url: '', types: null, schedule: 'standard' })}
        ${ownSecret()}
        <button class="primary">${say('endpoint_add_button')}</button>
      </form>
      <p><a href="/webhook">${say('endpoints_all')}</a></p>`,
  })
}

export function endpointPage(user: PageUser, view: EndpointView): Html {
  const { endpoint, secret, flash, error } = view
  const path = pathOf(endpoint)
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: endpointName(endpoint),
    heading: html`<bdi class="clip">${endpointName(endpoint)}</bdi>`,
    ...(view.awaiting && { awaiting: true }),
    actions: isActive(endpoint) && actionButton(`${path}/test`, plain('test_event')),
    flash,
    error,
    body: html`
      ${secret !== undefined && oneTimeSecret(plain('signing_secret'), secret, plain('endpoint_secret_hint'))}
      ${livePart('state', state(view))}
      ${endpoint.dialect === 'greenfield' ? pluginTerms(endpoint) : settingsForm(view)}
      ${isActive(endpoint) && recovery(view)}
      <section class="card" aria-labelledby="log"><h2 id="log">${say('deliveries')}</h2>${livePart('attempts', recent(view))}</section>
      ${management(view)}
      <p><a href="/webhook">${say('endpoints_all')}</a></p>`,
  })
}

function settingsForm({ endpoint, form }: EndpointView): Html {
  const { url, types, schedule } = endpoint
  const isChosen = (SCHEDULES as readonly string[]).includes(schedule)
  const given = form ?? { url, types, schedule: isChosen ? (schedule as ChosenSchedule) : 'standard' }
  return html`<form class="card" method="post" action="${pathOf(endpoint)}"><h2>${say('endpoint_settings')}</h2>
        ${settings(given)}
        <button class="primary">${say('save')}</button>
      </form>`
}

/** A shop plugin has made the endpoint, and changes it. */
function pluginTerms({ url, application, greenfieldEvents, schedule }: Endpoint): Html {
  const rows: (readonly [string, Html | string])[] = [
    ...(application === null ? [] : [[plain('endpoint_plugin'), html`<bdi>${application}</bdi>`] as const]),
    [plain('url'), html`<bdi class="code">${url}</bdi>`],
    [plain('endpoint_plugin_events'), greenfieldEvents?.join(', ') ?? plain('endpoint_plugin_all')],
    [plain('endpoint_schedule'), plain(schedule === 'once' ? 'schedule_once' : 'schedule_greenfield')],
  ]
  return html`<section class="card" aria-labelledby="terms"><h2 id="terms">${say('endpoint_settings')}</h2><p>${say(application === null ? 'endpoint_plugin_by_hand' : 'endpoint_plugin_text')}</p>${definitionList(rows)}</section>`
}

/** The state of the endpoint, and the form that repairs it. */
function state({ endpoint, failed, deliveries }: EndpointView): Html {
  const { enabled, pausedAt, failingSince } = endpoint
  const error = deliveries[0]?.lastAttempts[0]?.error
  const cause = error && html` ${say('endpoint_last_error', { error })}`
  const count =
    failed > 0 &&
    html` ${say('endpoint_failed_events', { count: formatCount(failed), link: failedLink(endpoint.publicId) })}`
  if (!enabled)
    return html`<section class="card attention" aria-labelledby="state-title"><h2 id="state-title">${say('endpoint_disabled')}</h2><p>${say('endpoint_disabled_text')}</p>${resumeForm(endpoint, plain('endpoint_enable'))}</section>`
  if (pausedAt !== null)
    return html`<section class="card attention" aria-labelledby="state-title"><h2 id="state-title">${say('endpoint_paused')}</h2><p>${say('endpoint_paused_text', { since: timeElement(failingSince ?? pausedAt), time: timeElement(pausedAt) })}${cause} ${say('endpoint_paused_resume')}</p>${resumeForm(endpoint, plain('endpoint_resume'))}</section>`
  if (failingSince !== null)
    return html`<section class="card attention" aria-labelledby="state-title"><h2 id="state-title">${say('endpoint_failing')}</h2><p>${say('endpoint_failing_text', { since: timeElement(failingSince) })}${cause}${endpoint.schedule === 'persistent' && html` ${say('endpoint_failing_waits')}`}${count}</p></section>`
  return html`<section class="card" aria-label="${plain('delivery_state')}"><p>${endpointState(endpoint)}${count}</p></section>`
}

function resumeForm({ publicId }: Endpoint, label: string): Html {
  return html`<form method="post" action="/webhook/endpoints/${publicId}/resume">
    <label class="choice"><input type="checkbox" name="recover" value="1" checked> ${say('endpoint_recover')}</label>
    <button class="primary">${label}</button></form>`
}

function settings({ url, types, schedule }: EndpointForm): Html {
  const boxes = CHOOSABLE_TYPES.map(
    type =>
      html`<label class="choice"><input type="checkbox" name="${TYPE_PREFIX}${type}" value="1"${booleanAttribute('checked', types === null || types.includes(type))}><span>${EVENT_TYPE_TEXTS[type]} <span class="hint code">${type}</span></span></label>`,
  )
  const radios = SCHEDULES.map(
    name =>
      html`<label class="choice"><input type="radio" name="schedule" value="${name}"${booleanAttribute('checked', name === schedule)}> ${SCHEDULE_TEXTS[name]}</label>`,
  )
  return html`${field({ name: 'url', label: plain('url'), type: 'url', value: url, maxlength: MAX_WEBHOOK_URL_CHARS, hint: plain('endpoint_url_hint'), attributes: html` placeholder="https://books.example/events" autocomplete="off" spellcheck="false"` })}
    <fieldset><legend>${say('endpoint_schedule')}</legend>${radios}</fieldset>
    <fieldset><legend>${say('endpoint_types_choice')}</legend><div class="choices">${boxes}</div><p class="hint">${say('endpoint_types_hint')}</p></fieldset>`
}

function formatChoice(chosen: Dialect = 'zatgate'): Html {
  const choice = (name: Dialect, text: string) =>
    html`<label class="choice"><input type="radio" name="format" value="${name}"${booleanAttribute('checked', name === chosen)}> ${text}</label>`
  return html`<fieldset><legend>${say('endpoint_format')}</legend>${choice('zatgate', plain('format_zatgate'))}${choice('greenfield', plain('format_btcpay'))}<p class="hint">${say('endpoint_format_hint')}</p></fieldset>`
}

function ownSecret(): Html {
  const { min, max } = ENDPOINT_SECRET_CHARS
  return html`<details><summary>${say('secret_choose')}</summary>${field({ name: 'secret', label: plain('signing_secret'), required: false, maxlength: max, hint: plain('secret_hint', { min, max }), attributes: html` minlength="${min}" autocomplete="off" spellcheck="false"` })}</details>`
}

function recovery({ endpoint, now }: EndpointView): Html {
  const earliest = formatDay(now - MAX_RECOVERY_SECS + DAY_SECS)
  const since = formatDay(Math.max(endpoint.failingSince ?? now, now - MAX_RECOVERY_SECS + DAY_SECS))
  return html`<form class="card inline" method="post" action="${pathOf(endpoint)}/recover">
    ${field({ name: 'since', label: plain('recovery_since'), type: 'date', value: since, hint: plain('recovery_hint'), attributes: html` min="${earliest}" max="${formatDay(now)}"` })}
    <button>${say('recovery_send')}</button></form>`
}

function recent({ endpoint, deliveries }: EndpointView): Html {
  if (deliveries.length === 0) return html`<p class="empty">${say('deliveries_none')}</p>`
  return html`${deliveryList(deliveries, true)}<p><a href="/webhook?endpoint=${endpoint.publicId}#log">${say('endpoint_deliveries')}</a></p>`
}

function management({ endpoint }: EndpointView): Html {
  const path = pathOf(endpoint)
  return html`<section class="card" aria-labelledby="manage"><h2 id="manage">${say('endpoint_manage')}</h2>
    <p class="hint">${say('created_changed', { created: timeElement(endpoint.createdAt), changed: timeElement(endpoint.updatedAt) })}</p>
    <details id="rotate"><summary>${say('secret_rotate_open')}</summary><form method="post" action="${path}/rotate-secret"><p class="hint">${say(endpoint.dialect === 'greenfield' ? 'secret_rotate_hint_plugin' : 'secret_rotate_hint')}</p>${ownSecret()}<button>${say('secret_rotate')}</button></form></details>
    <div class="buttons">${endpoint.enabled && actionButton(`${path}/disable`, plain('endpoint_disable'))}${confirmedButton(`${path}/remove`, plain('endpoint_remove'), { question: plain('endpoint_remove_question'), consequence: plain('endpoint_remove_effect') })}</div></section>`
}

function pathOf({ publicId }: Endpoint): string {
  return `/webhook/endpoints/${publicId}`
}
