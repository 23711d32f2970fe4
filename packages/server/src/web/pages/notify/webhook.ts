import { formatCount } from '../../../domain/count.ts'
import { MAX_ATTEMPTS } from '../../../domain/notify/delivery-schedule.ts'
import { MAX_WEBHOOK_URL_CHARS } from '../../../domain/notify/webhook.ts'
import type { AttemptDetail, AttemptRow, DeliveryRow } from '../../../ports/repository/notify/delivery.ts'
import type { Webhook } from '../../../ports/repository/notify/webhook.ts'
import { oneTimeSecret } from '../../components/copyable.ts'
import { definitionList } from '../../components/definition-list.ts'
import { actionButton, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { livePart } from '../../components/live.ts'
import { attemptOutcome, attemptTable } from '../../components/notify/attempt-table.ts'
import { deliveryTable } from '../../components/notify/delivery-table.ts'
import { receiverSection } from '../../components/notify/receivers.ts'
import { pager } from '../../components/pager.ts'
import { groupThousands, timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { Receiver } from '../../receivers.ts'

export interface WebhookView {
  readonly webhook: Webhook | null
  /** Programs that receive its events. */
  readonly receivers: readonly Receiver[]
  /** The signing secret just created or rotated, shown only once. */
  readonly secret?: string
  readonly deliveries: readonly DeliveryRow[]
  /** Whether only deliveries that have failed for good are listed. */
  readonly onlyFailed: boolean
  /** Number of deliveries that have failed for good and were not sent again, counted up to `MAX_COUNT` and one. */
  readonly failed: number
  readonly older: string | null
  /** A delivery was just queued, so the page refreshes until it appears. */
  readonly awaiting?: boolean
  readonly url?: string
  readonly flash?: string
  readonly error?: string
}

export function webhookPage(user: PageUser, view: WebhookView): Html {
  const { webhook, secret, deliveries, onlyFailed, older, flash, error } = view
  const log = html`<h2 id="log">${onlyFailed ? 'Failed deliveries' : 'Deliveries'}</h2>
    ${failures(view)}
    ${deliveries.length > 0 ? deliveryTable(deliveries) : html`<p class="empty">${onlyFailed ? 'No failed deliveries.' : 'No deliveries yet.'}</p>`}
    ${pager({ older })}
    ${onlyFailed && html`<p><a href="/webhook">All deliveries</a></p>`}`
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: 'Webhook',
    ...(view.awaiting && { awaiting: true }),
    flash,
    error,
    body: html`
      ${secret !== undefined && oneTimeSecret('Signing secret', secret, 'Your server uses it to verify that a delivery comes from us. It is shown only once. Any previous secret no longer works.')}
      <p class="lead">We notify your server when an invoice is paid. Each event is a signed POST request, with up to four attempts over about six minutes.</p>
      <form class="card inline" method="post" action="/webhook">
        ${field({ name: 'url', label: 'URL', type: 'url', value: view.url ?? webhook?.url ?? '', maxlength: MAX_WEBHOOK_URL_CHARS, hint: 'Your server must respond with a 2xx status within five seconds.', attributes: html` placeholder="https://shop.example/webhook" autocomplete="off" spellcheck="false"` })}
        <button class="primary">${webhook ? 'Change URL' : 'Set URL'}</button>
      </form>
      ${webhook && tools(webhook)}
      <section class="card" aria-labelledby="log">${livePart('attempts', log)}</section>
      ${receiverSection(view.receivers)}`,
  })
}

/** How many deliveries have failed, and the button that sends them again. */
function failures({ webhook, failed, onlyFailed }: WebhookView): Html | false {
  if (failed === 0) return false
  const events = `${formatCount(failed)} ${failed === 1 ? 'event' : 'events'}`
  return html`<p class="error"><strong>${events} could not be delivered.</strong> ${webhook ? 'When your server responds again, send them again.' : 'Set a URL to send them again.'} ${!onlyFailed && html`<a href="/webhook?show=failed">Show only these</a>`}</p>
    ${webhook && html`<div class="buttons">${actionButton('/webhook/resend-failed', 'Resend all failed')}</div>`}`
}

function tools(webhook: Webhook): Html {
  return html`<section class="card" aria-labelledby="tools"><h2 id="tools">Test and manage</h2>
    <p class="hint">Created ${timeElement(webhook.createdAt)}, last changed ${timeElement(webhook.updatedAt)}.</p>
    <div class="buttons">${actionButton('/webhook/test', 'Send test event')}${actionButton('/webhook/rotate-secret', 'Rotate signing secret')}${actionButton('/webhook/remove', 'Remove webhook', { kind: 'danger' })}</div></section>`
}

export function attemptPage(
  user: PageUser,
  attempt: AttemptDetail,
  { attempts, webhookSet }: { readonly attempts: readonly AttemptRow[]; readonly webhookSet: boolean },
): Html {
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: `${attempt.eventType}, attempt ${attempt.attempt} of ${MAX_ATTEMPTS}`,
    actions: webhookSet && actionButton(`/webhook/deliveries/${attempt.deliveryPublicId}/resend`, 'Resend'),
    body: html`<section class="card" aria-label="Attempt">${definitionList([
      ['Outcome', attemptOutcome(attempt)],
      ['Delivery', html`<span class="code">${attempt.deliveryPublicId}</span>, ${attempt.deliveryState}`],
      [
        'Invoice',
        attempt.invoicePublicId === null
          ? 'none'
          : html`<a class="code" href="/invoices/${attempt.invoicePublicId}">${attempt.invoicePublicId}</a>`,
      ],
      ['URL', html`<bdi class="code">${attempt.url}</bdi>`],
      ['Sent', timeElement(attempt.createdAt)],
      ['Duration', attempt.durationMs === null ? 'unknown' : `${groupThousands(attempt.durationMs)} ms`],
    ])}</section>
    <section class="card" aria-labelledby="request"><h2 id="request">Request body</h2><pre tabindex="0"><code>${attempt.requestBody}</code></pre></section>
    <section class="card" aria-labelledby="response"><h2 id="response">Response</h2>${attempt.response ? html`<pre tabindex="0"><code>${attempt.response}</code></pre>` : html`<p class="empty">${attempt.statusCode === null ? 'No response.' : 'Empty response.'}</p>`}</section>
    ${attempts.length > 1 && html`<section class="card" aria-labelledby="attempts"><h2 id="attempts">All attempts of this delivery</h2>${attemptTable(attempts)}</section>`}
    <p><a href="/webhook">All deliveries</a></p>`,
  })
}
