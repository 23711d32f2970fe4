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
import { plain, say } from '../../text/dashboard.ts'

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
  const none = isFiltered(filter) ? plain('deliveries_no_match') : plain('deliveries_none')
  const log = html`${deliveries.length > 0 ? deliveryList(deliveries, webhook !== null) : html`<p class="empty">${none}</p>`}
    ${pager(view)}`
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: plain('endpoints'),
    ...(view.awaiting && { awaiting: true }),
    flash,
    error,
    body: html`
      ${secret !== undefined && oneTimeSecret(plain('signing_secret'), secret, plain('webhook_secret_hint'))}
      <p class="lead">${say('webhook_lead')}</p>
      <form class="card inline" method="post" action="/webhook" aria-labelledby="webhook">
        <h2 id="webhook">${say('webhook')}</h2>
        ${field({ name: 'url', label: plain('url'), type: 'url', value: view.url ?? webhook?.url ?? '', maxlength: MAX_WEBHOOK_URL_CHARS, hint: plain('webhook_url_hint'), attributes: html` placeholder="https://shop.example/webhook" autocomplete="off" spellcheck="false"` })}
        <button class="primary">${webhook ? plain('webhook_url_change') : plain('webhook_url_set')}</button>
      </form>
      ${webhook && tools(webhook)}
      ${endpointSection(endpoints)}
      <section class="card" aria-labelledby="log"><h2 id="log">${filter.failed ? plain('deliveries_failed') : plain('deliveries')}</h2>
        ${livePart('failures', html`${failures(view)}`)}
        ${deliveryFilterForm(filter, endpoints)}
        ${livePart('attempts', log)}
        ${isFiltered(filter) && html`<p><a href="/webhook#log">${say('deliveries_all')}</a></p>`}</section>
      ${receiverSection(view.receivers)}`,
  })
}

/** How many deliveries have failed, and the button that sends them again. */
function failures({ webhook, failed, filter }: WebhookView): Html | false {
  if (failed === 0 || (filter.endpoint !== undefined && filter.endpoint !== 'webhook')) return false
  return html`<p class="error"><strong>${say('webhook_failed', { count: formatCount(failed) })}</strong> ${say(webhook ? 'webhook_failed_resend' : 'webhook_failed_url')} ${!filter.failed && html`<a href="${failedLink('webhook')}">${say('webhook_failed_show')}</a>`}</p>
    ${webhook && html`<div class="buttons">${actionButton('/webhook/resend-failed', plain('webhook_failed_resend_all'))}</div>`}`
}

function tools(webhook: Webhook): Html {
  return html`<section class="card" aria-labelledby="tools"><h2 id="tools">${say('webhook_manage')}</h2>
    <p class="hint">${say('created_changed', { created: timeElement(webhook.createdAt), changed: timeElement(webhook.updatedAt) })}</p>
    <div class="buttons">${actionButton('/webhook/test', plain('test_event'))}${confirmedButton('/webhook/rotate-secret', plain('secret_rotate'), { kind: '', question: plain('secret_rotate_question'), consequence: plain('secret_rotate_effect') })}${confirmedButton('/webhook/remove', plain('webhook_remove'), { question: plain('webhook_remove_question'), consequence: plain('webhook_remove_effect') })}</div></section>`
}
