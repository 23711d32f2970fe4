import { formatCount } from '../../../domain/count.ts'
import { MAX_WEBHOOK_URL_CHARS } from '../../../domain/notify/webhook.ts'
import type { DeliveryRow } from '../../../ports/repository/notify/delivery.ts'
import type { Webhook } from '../../../ports/repository/notify/webhook.ts'
import type { LogFilter } from '../../../services/notify/delivery-log.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { actionButton, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { livePart } from '../../components/live.ts'
import { deliveryFilterForm, isFiltered } from '../../components/notify/delivery-filter.ts'
import { deliveryList } from '../../components/notify/delivery-list.ts'
import { endpointSection, failedLink, type ListedEndpoint } from '../../components/notify/endpoint-table.ts'
import { receiverSection } from '../../components/notify/receivers.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { Receiver } from '../../receivers.ts'

export interface WebhookView extends PagerLinks {
  readonly webhook: Webhook | null
  /** Programs that receive its events. */
  readonly receivers: readonly Receiver[]
  /** The signing secret just created or rotated, shown only once. */
  readonly secret?: string
  readonly endpoints: readonly ListedEndpoint[]
  /** To the webhook and the endpoints. */
  readonly deliveries: readonly DeliveryRow[]
  readonly filter: LogFilter
  /** Number of deliveries to the webhook that have failed for good and were not sent again, counted up to `MAX_COUNT` and one. */
  readonly failed: number
  /** A delivery was just queued, so the page refreshes until it appears. */
  readonly awaiting?: boolean
  readonly url?: string
  readonly flash?: string
  readonly error?: string
}

export function webhookPage(user: PageUser, view: WebhookView): Html {
  const { webhook, endpoints, secret, deliveries, filter, flash, error } = view
  const none = isFiltered(filter) ? 'No matching deliveries.' : 'No deliveries yet.'
  const log = html`${deliveries.length > 0 ? deliveryList(deliveries, webhook !== null) : html`<p class="empty">${none}</p>`}
    ${pager(view)}`
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: 'Endpoints',
    ...(view.awaiting && { awaiting: true }),
    flash,
    error,
    body: html`
      ${secret !== undefined && oneTimeSecret('Signing secret', secret, 'Your server uses it to verify that a delivery comes from us. It is shown only once. Any previous secret no longer works.')}
      <p class="lead">Where we tell your servers about payments. Each event is a signed POST request.</p>
      <form class="card inline" method="post" action="/webhook" aria-labelledby="webhook">
        <h2 id="webhook">Webhook</h2>
        ${field({ name: 'url', label: 'URL', type: 'url', value: view.url ?? webhook?.url ?? '', maxlength: MAX_WEBHOOK_URL_CHARS, hint: 'Your server must respond with a 2xx status within five seconds. An event is tried up to four times, over about six minutes.', attributes: html` placeholder="https://shop.example/webhook" autocomplete="off" spellcheck="false"` })}
        <button class="primary">${webhook ? 'Change URL' : 'Set URL'}</button>
      </form>
      ${webhook && tools(webhook)}
      ${endpointSection(endpoints)}
      <section class="card" aria-labelledby="log"><h2 id="log">${filter.failed ? 'Failed deliveries' : 'Deliveries'}</h2>
        ${livePart('failures', html`${failures(view)}`)}
        ${deliveryFilterForm(filter, endpoints)}
        ${livePart('attempts', log)}
        ${isFiltered(filter) && html`<p><a href="/webhook#log">All deliveries</a></p>`}</section>
      ${receiverSection(view.receivers)}`,
  })
}

/** How many deliveries have failed, and the button that sends them again. */
function failures({ webhook, failed, filter }: WebhookView): Html | false {
  if (failed === 0 || (filter.endpoint !== undefined && filter.endpoint !== 'webhook')) return false
  const events = `${formatCount(failed)} ${failed === 1 ? 'event' : 'events'}`
  return html`<p class="error"><strong>${events} could not be delivered to your webhook.</strong> ${webhook ? 'When your server responds again, send them again.' : 'Set a URL to send them again.'} ${!filter.failed && html`<a href="${failedLink('webhook')}">Show only these</a>`}</p>
    ${webhook && html`<div class="buttons">${actionButton('/webhook/resend-failed', 'Resend all failed')}</div>`}`
}

function tools(webhook: Webhook): Html {
  return html`<section class="card" aria-labelledby="tools"><h2 id="tools">Test and manage</h2>
    <p class="hint">Created ${timeElement(webhook.createdAt)}, last changed ${timeElement(webhook.updatedAt)}.</p>
    <div class="buttons">${actionButton('/webhook/test', 'Send test event')}${confirmedButton('/webhook/rotate-secret', 'Rotate signing secret', { kind: '', question: 'Rotate the signing secret?', consequence: 'The present secret stops working at once. Until your server has the new one, it cannot verify deliveries.' })}${confirmedButton('/webhook/remove', 'Remove webhook', { question: 'Remove the webhook?', consequence: 'No more events are sent to it, its secret is deleted, and deliveries that wait are canceled.' })}</div></section>`
}
