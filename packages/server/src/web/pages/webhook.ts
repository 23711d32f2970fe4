import type { AttemptDetail, AttemptRow } from '../../ports/repository/delivery.ts'
import type { Webhook } from '../../ports/repository/webhook.ts'
import { dashboardPage } from '../components/layout.ts'
import { actionButton, definitionList, field, liveAttributes, oneTimeSecret } from '../components/parts.ts'
import { groupThousands, shorten, timeElement } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { PageUser } from '../page-user.ts'

export interface WebhookView {
  readonly webhook: Webhook | null
  /** The signing secret just created or rotated, shown only once. */
  readonly secret?: string
  readonly attempts: readonly AttemptRow[]
  readonly older: string | null
  /** A delivery was just queued, so the page refreshes until it appears. */
  readonly awaiting?: boolean
  readonly url?: string
  readonly flash?: string
  readonly error?: string
}

export function webhookPage(user: PageUser, view: WebhookView): Html {
  const { webhook, secret, attempts, older, flash, error } = view
  const log = html`<h2 id="log">Delivery attempts</h2>
    ${attempts.length > 0 ? attemptTable(attempts) : html`<p class="empty">No delivery attempts yet.</p>`}
    ${older !== null && html`<nav class="pager" aria-label="Pages"><a class="button" href="${older}">Older</a></nav>`}`
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: 'Webhook',
    flash,
    error,
    body: html`
      ${secret !== undefined && oneTimeSecret('Signing secret', secret, 'Your server uses it to verify that a delivery comes from us. It is shown only once. Any previous secret no longer works.')}
      <p class="lead">We notify your server when an invoice is paid. Each event is a signed POST request, with up to four attempts over about six minutes.</p>
      <form class="card inline" method="post" action="/webhook">
        ${field({ name: 'url', label: 'URL', type: 'url', value: view.url ?? webhook?.url ?? '', maxlength: 2048, hint: 'Your server must respond with a 2xx status within five seconds.', attributes: html` placeholder="https://shop.example/webhook" autocomplete="off" spellcheck="false"` })}
        <button class="primary">${webhook ? 'Change URL' : 'Set URL'}</button>
      </form>
      ${webhook && tools(webhook)}
      <section class="card" aria-labelledby="log"${liveAttributes('attempts', log)}${view.awaiting && html` data-awaiting`}>${log}</section>`,
  })
}

function tools(webhook: Webhook): Html {
  return html`<section class="card" aria-labelledby="tools"><h2 id="tools">Test and manage</h2>
    <p class="hint">Created ${timeElement(webhook.createdAt)}, last changed ${timeElement(webhook.updatedAt)}.</p>
    <div class="buttons">${actionButton('/webhook/test', 'Send test event')}${actionButton('/webhook/rotate-secret', 'Rotate signing secret')}${actionButton('/webhook/remove', 'Remove webhook', { kind: 'danger' })}</div></section>`
}

export function attemptTable(attempts: readonly AttemptRow[]): Html {
  const rows = attempts.map(
    attempt => html`<tr>
      <td><a href="/webhook/attempts/${attempt.publicId}">${attempt.eventType}</a><span class="below">${timeElement(attempt.createdAt)}</span><span class="slim">${outcome(attempt)}</span></td>
      <td class="wide">${attempt.invoicePublicId === null ? html`<span class="none">none</span>` : html`<a class="code" href="/invoices/${attempt.invoicePublicId}" aria-label="Invoice ${attempt.invoicePublicId}">${shorten(attempt.invoicePublicId, 8, 0)}</a>`}</td>
      <td class="wide">${outcome(attempt)}</td>
      <td class="number">${attempt.attempt} of 4${attempt.durationMs !== null && html`<span class="below">${groupThousands(attempt.durationMs)} ms</span>`}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Event</th><th scope="col" class="wide">Invoice</th><th scope="col" class="wide">Response</th><th scope="col" class="number">Attempt</th></tr></thead><tbody>${rows}</tbody></table>`
}

function outcome({ statusCode, error, durationMs }: AttemptRow): Html {
  if (error !== null)
    return html`<span class="badge badge-bad">${statusCode ?? 'failed'}</span><span class="below clip">${error}</span>`
  if (statusCode === null)
    return html`<span class="badge badge-pending">${durationMs === null ? 'in progress' : 'no response'}</span>`
  return html`<span class="badge badge-paid">${statusCode}</span>`
}

export function attemptPage(user: PageUser, attempt: AttemptDetail, options: { readonly webhookSet: boolean }): Html {
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: `${attempt.eventType}, attempt ${attempt.attempt} of 4`,
    actions: options.webhookSet && actionButton(`/webhook/deliveries/${attempt.deliveryPublicId}/resend`, 'Resend'),
    body: html`<section class="card" aria-label="Attempt">${definitionList([
      ['Outcome', outcome(attempt)],
      ['Delivery', html`<span class="code">${attempt.deliveryPublicId}</span>, ${attempt.deliveryState}`],
      [
        'Invoice',
        attempt.invoicePublicId === null
          ? 'none'
          : html`<a class="code" href="/invoices/${attempt.invoicePublicId}">${attempt.invoicePublicId}</a>`,
      ],
      ['URL', html`<span class="code">${attempt.url}</span>`],
      ['Sent', timeElement(attempt.createdAt)],
      ['Duration', attempt.durationMs === null ? 'unknown' : `${groupThousands(attempt.durationMs)} ms`],
    ])}</section>
    <section class="card" aria-labelledby="request"><h2 id="request">Request body</h2><pre tabindex="0"><code>${attempt.requestBody}</code></pre></section>
    <section class="card" aria-labelledby="response"><h2 id="response">Response</h2>${attempt.response ? html`<pre tabindex="0"><code>${attempt.response}</code></pre>` : html`<p class="empty">${attempt.statusCode === null ? 'No response.' : 'Empty response.'}</p>`}</section>
    <p><a href="/webhook">All delivery attempts</a></p>`,
  })
}
