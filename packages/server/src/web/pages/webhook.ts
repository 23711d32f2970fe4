import type { AttemptDetail, AttemptRow, Webhook } from '../../ports/repository/webhook.ts'
import { dashboardPage } from '../components/layout.ts'
import { actionButton, definitions, field, liveAttributes, shownOnce } from '../components/parts.ts'
import { grouped, moment, shortened } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'

export interface WebhookView {
  readonly webhook: Webhook | null
  /** Just made or rotated: shown this once. */
  readonly secret?: string
  readonly attempts: readonly AttemptRow[]
  readonly older: string | null
  /** Something has just been sent and is to show up by itself. */
  readonly awaiting?: boolean
  readonly url?: string
  readonly notice?: string
  readonly error?: string
}

export function webhookPage(viewer: Viewer, view: WebhookView): Html {
  const { webhook, secret, attempts, older, notice, error } = view
  const log = html`<h2 id="log">Deliveries</h2>
    ${attempts.length > 0 ? attemptTable(attempts) : html`<p class="empty">Nothing has been sent yet.</p>`}
    ${older !== null && html`<nav class="pager" aria-label="Pages"><a class="button" href="${older}">Older</a></nav>`}`
  return dashboardPage({
    ...viewer,
    at: '/webhook',
    title: 'Webhook',
    notice,
    error,
    body: html`
      ${secret !== undefined && shownOnce('Your signing secret', secret, 'Your server checks with it that a delivery is ours. It is shown this once; the one before is dead.')}
      <p class="lead">We tell your server when an invoice is paid: one signed POST for each event, tried four times in six minutes or so.</p>
      <form class="card inline" method="post" action="/webhook">
        ${field({ name: 'url', label: 'URL', type: 'url', value: view.url ?? webhook?.url ?? '', maxlength: 2048, hint: 'It must answer 2xx within five seconds.', attributes: html` placeholder="https://shop.example/webhook" autocomplete="off" spellcheck="false"` })}
        <button class="primary">${webhook ? 'Change URL' : 'Set URL'}</button>
      </form>
      ${webhook && tools(webhook)}
      <section class="card" aria-labelledby="log"${liveAttributes('attempts', log)}${view.awaiting && html` data-awaiting`}>${log}</section>`,
  })
}

function tools(webhook: Webhook): Html {
  return html`<section class="card" aria-labelledby="tools"><h2 id="tools">Try it, and its secret</h2>
    <p class="hint">Set ${moment(webhook.createdAt)}, changed ${moment(webhook.updatedAt)}.</p>
    <div class="buttons">${actionButton('/webhook/test', 'Send a test')}${actionButton('/webhook/rotate-secret', 'Rotate the secret')}${actionButton('/webhook/remove', 'Remove the webhook', { kind: 'danger' })}</div></section>`
}

export function attemptTable(attempts: readonly AttemptRow[]): Html {
  const rows = attempts.map(
    attempt => html`<tr>
      <td><a href="/webhook/attempts/${attempt.publicId}">${attempt.eventType}</a><span class="below">${moment(attempt.createdAt)}</span><span class="slim">${outcome(attempt)}</span></td>
      <td class="wide">${attempt.invoicePublicId === null ? html`<span class="none">none</span>` : html`<a class="code" href="/invoices/${attempt.invoicePublicId}" aria-label="Invoice ${attempt.invoicePublicId}">${shortened(attempt.invoicePublicId, 8, 0)}</a>`}</td>
      <td class="wide">${outcome(attempt)}</td>
      <td class="number">${attempt.attempt} of 4${attempt.durationMs !== null && html`<span class="below">${grouped(attempt.durationMs)} ms</span>`}</td>
    </tr>`,
  )
  return html`<table class="list"><thead><tr><th scope="col">Event</th><th scope="col" class="wide">Invoice</th><th scope="col" class="wide">Answer</th><th scope="col" class="number">Attempt</th></tr></thead><tbody>${rows}</tbody></table>`
}

function outcome({ statusCode, error, durationMs }: AttemptRow): Html {
  if (error !== null)
    return html`<span class="badge badge-bad">${statusCode ?? 'failed'}</span><span class="below clip">${error}</span>`
  if (statusCode === null)
    return html`<span class="badge badge-pending">${durationMs === null ? 'under way' : 'no answer'}</span>`
  return html`<span class="badge badge-paid">${statusCode}</span>`
}

export function attemptPage(viewer: Viewer, attempt: AttemptDetail, now: { readonly webhookSet: boolean }): Html {
  return dashboardPage({
    ...viewer,
    at: '/webhook',
    title: `${attempt.eventType}, attempt ${attempt.attempt} of 4`,
    actions: now.webhookSet && actionButton(`/webhook/deliveries/${attempt.deliveryPublicId}/resend`, 'Send again'),
    body: html`<section class="card" aria-label="Attempt">${definitions([
      ['Outcome', outcome(attempt)],
      ['Delivery', html`<span class="code">${attempt.deliveryPublicId}</span>, ${attempt.deliveryState}`],
      [
        'Invoice',
        attempt.invoicePublicId === null
          ? 'none'
          : html`<a class="code" href="/invoices/${attempt.invoicePublicId}">${attempt.invoicePublicId}</a>`,
      ],
      ['URL', html`<span class="code">${attempt.url}</span>`],
      ['Sent', moment(attempt.createdAt)],
      ['Took', attempt.durationMs === null ? 'not known' : `${grouped(attempt.durationMs)} ms`],
    ])}</section>
    <section class="card" aria-labelledby="request"><h2 id="request">What we sent</h2><pre tabindex="0"><code>${attempt.requestBody}</code></pre></section>
    <section class="card" aria-labelledby="answer"><h2 id="answer">What came back</h2>${attempt.answer ? html`<pre tabindex="0"><code>${attempt.answer}</code></pre>` : html`<p class="empty">${attempt.statusCode === null ? 'No answer came.' : 'An empty answer.'}</p>`}</section>
    <p><a href="/webhook">All deliveries</a></p>`,
  })
}
