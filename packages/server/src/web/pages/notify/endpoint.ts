import { formatCount } from '../../../domain/count.ts'
import {
  ENDPOINT_SECRET_CHARS,
  type Endpoint,
  isActive,
  MAX_RECOVERY_SECS,
  SCHEDULES,
  type Schedule,
} from '../../../domain/notify/endpoint.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import { MAX_WEBHOOK_URL_CHARS } from '../../../domain/notify/webhook.ts'
import { DAY_SECS } from '../../../domain/time.ts'
import type { DeliveryRow } from '../../../ports/repository/notify/delivery.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { actionButton, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { livePart } from '../../components/live.ts'
import { deliveryList } from '../../components/notify/delivery-list.ts'
import { endpointName, endpointState } from '../../components/notify/endpoint-state.ts'
import { failedLink } from '../../components/notify/endpoint-table.ts'
import { CHOOSABLE_TYPES, EVENT_TYPE_TEXTS } from '../../components/notify/event-type.ts'
import { formatDay, timeElement } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

/** What the form of an endpoint was filled in with. `types` null: all. */
export interface EndpointForm {
  readonly url: string
  readonly types: readonly EventType[] | null
  readonly schedule: Schedule
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

const SCHEDULE_TEXTS: Readonly<Record<Schedule, string>> = {
  standard: 'Standard: four attempts over about six minutes',
  persistent: 'Persistent: retries for three days, hourly at the end; later events wait, so that they arrive in order',
}

export function newEndpointPage(user: PageUser, { form, error }: { form?: EndpointForm; error?: string }): Html {
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: 'Add an endpoint',
    error,
    body: html`
      <p class="lead">An endpoint gets the events of your account from now on, as signed POST requests, one at a time and in order.</p>
      <form class="card" method="post" action="/webhook/endpoints">
        ${settings(form ?? { url: '', types: null, schedule: 'standard' })}
        ${ownSecret()}
        <button class="primary">Add endpoint</button>
      </form>
      <p><a href="/webhook">All endpoints</a></p>`,
  })
}

export function endpointPage(user: PageUser, view: EndpointView): Html {
  const { endpoint, secret, flash, error, form = endpoint } = view
  const path = pathOf(endpoint)
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: endpointName(endpoint),
    heading: html`<bdi class="clip">${endpointName(endpoint)}</bdi>`,
    ...(view.awaiting && { awaiting: true }),
    actions: isActive(endpoint) && actionButton(`${path}/test`, 'Send test event'),
    flash,
    error,
    body: html`
      ${secret !== undefined && oneTimeSecret('Signing secret', secret, 'Your server uses it to verify that a delivery comes from us. It is shown only once. After a rotation the earlier secret also signs for 24 hours: each request then has two signatures.')}
      ${livePart('state', state(view))}
      <form class="card" method="post" action="${path}"><h2>Settings</h2>
        ${settings(form)}
        <button class="primary">Save</button>
      </form>
      ${isActive(endpoint) && recovery(view)}
      <section class="card" aria-labelledby="log"><h2 id="log">Deliveries</h2>${livePart('attempts', recent(view))}</section>
      ${management(view)}
      <p><a href="/webhook">All endpoints</a></p>`,
  })
}

/** What has happened to the endpoint, and the form that repairs it. */
function state({ endpoint, failed, deliveries }: EndpointView): Html {
  const { enabled, pausedAt, failingSince } = endpoint
  const error = deliveries[0]?.lastAttempts[0]?.error
  const cause = error && html` The last error: <bdi>${error}</bdi>.`
  const count =
    failed > 0 &&
    html` <a href="${failedLink(endpoint.publicId)}">${formatCount(failed)} ${failed === 1 ? 'event' : 'events'} could not be delivered</a>.`
  if (!enabled)
    return html`<section class="card attention" aria-labelledby="state-title"><h2 id="state-title">Disabled</h2><p>No events are sent to this endpoint. They are kept for 30 days.</p>${resumeForm(endpoint, 'Enable')}</section>`
  if (pausedAt !== null)
    return html`<section class="card attention" aria-labelledby="state-title"><h2 id="state-title">Paused</h2><p>All attempts since ${timeElement(failingSince ?? pausedAt)} have failed, so it was paused at ${timeElement(pausedAt)}.${cause} Its events are kept for 30 days. When your server responds again, resume it.</p>${resumeForm(endpoint, 'Resume')}</section>`
  if (failingSince !== null)
    return html`<section class="card attention" aria-labelledby="state-title"><h2 id="state-title">Failing</h2><p>All attempts since ${timeElement(failingSince)} have failed.${cause}${endpoint.schedule === 'persistent' && ' Its events wait and are tried again, until it is paused after three days.'}${count}</p></section>`
  return html`<section class="card" aria-label="State"><p>${endpointState(endpoint)}${count}</p></section>`
}

function resumeForm({ publicId }: Endpoint, label: string): Html {
  return html`<form method="post" action="/webhook/endpoints/${publicId}/resume">
    <label class="choice"><input type="checkbox" name="recover" value="1" checked> Also send what it has missed</label>
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
  return html`${field({ name: 'url', label: 'URL', type: 'url', value: url, maxlength: MAX_WEBHOOK_URL_CHARS, hint: 'Your server must respond with a 2xx status within five seconds.', attributes: html` placeholder="https://books.example/events" autocomplete="off" spellcheck="false"` })}
    <fieldset><legend>When an attempt fails</legend>${radios}</fieldset>
    <fieldset><legend>Events to send</legend><div class="choices">${boxes}</div><p class="hint">With all ticked, types that are added later are sent too.</p></fieldset>`
}

function ownSecret(): Html {
  const { min, max } = ENDPOINT_SECRET_CHARS
  return html`<details><summary>Choose the signing secret yourself</summary>${field({ name: 'secret', label: 'Signing secret', required: false, maxlength: max, hint: `${min} to ${max} printable ASCII characters without spaces. Leave it empty for a generated one.`, attributes: html` minlength="${min}" autocomplete="off" spellcheck="false"` })}</details>`
}

function recovery({ endpoint, now }: EndpointView): Html {
  const earliest = formatDay(now - MAX_RECOVERY_SECS + DAY_SECS)
  const since = formatDay(Math.max(endpoint.failingSince ?? now, now - MAX_RECOVERY_SECS + DAY_SECS))
  return html`<form class="card inline" method="post" action="${pathOf(endpoint)}/recover">
    ${field({ name: 'since', label: 'Send what was not delivered since', type: 'date', value: since, hint: 'From the start of this day in UTC, at most 29 days ago. Events that this endpoint has received are left out.', attributes: html` min="${earliest}" max="${formatDay(now)}"` })}
    <button>Send</button></form>`
}

function recent({ endpoint, deliveries }: EndpointView): Html {
  if (deliveries.length === 0) return html`<p class="empty">No deliveries yet.</p>`
  return html`${deliveryList(deliveries, true)}<p><a href="/webhook?endpoint=${endpoint.publicId}#log">All its deliveries</a></p>`
}

function management({ endpoint }: EndpointView): Html {
  const path = pathOf(endpoint)
  return html`<section class="card" aria-labelledby="manage"><h2 id="manage">Manage</h2>
    <p class="hint">Created ${timeElement(endpoint.createdAt)}, last changed ${timeElement(endpoint.updatedAt)}.</p>
    <details id="rotate"><summary>Rotate the signing secret</summary><form method="post" action="${path}/rotate-secret"><p class="hint">The earlier secret also signs for 24 hours, so that no delivery is refused meanwhile. Then it is deleted.</p>${ownSecret()}<button>Rotate signing secret</button></form></details>
    <div class="buttons">${endpoint.enabled && actionButton(`${path}/disable`, 'Disable')}${confirmedButton(`${path}/remove`, 'Remove endpoint', { question: 'Remove this endpoint?', consequence: 'No more events are sent to it. What it has missed cannot be sent later.' })}</div></section>`
}

function pathOf({ publicId }: Endpoint): string {
  return `/webhook/endpoints/${publicId}`
}
