import { beginningOf, RESPONSE_BYTES_SHOWN } from '../../../domain/notify/delivery.ts'
import type { Endpoint } from '../../../domain/notify/endpoint.ts'
import type { AttemptRow } from '../../../ports/repository/notify/delivery.ts'
import type { ShownAttempt } from '../../../services/notify/delivery-log.ts'
import { definitionList } from '../../components/definition-list.ts'
import { actionButton } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { attemptNumber, attemptOutcome, attemptTable } from '../../components/notify/attempt-table.ts'
import { DELIVERY_STATES } from '../../components/notify/delivery-list.ts'
import { endpointName } from '../../components/notify/endpoint-state.ts'
import { exactTimeElement, groupThousands } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface AttemptView {
  /** Those of its delivery, newest first. */
  readonly attempts: readonly AttemptRow[]
  /** The endpoint that it went to. Null: it was removed, or the attempt went to the webhook. */
  readonly endpoint: Endpoint | null
  /** Whether the webhook exists, or the endpoint gets events. */
  readonly isResendable: boolean
}

/** An attempt with the exact request and response. */
export function attemptPage(
  user: PageUser,
  attempt: ShownAttempt,
  { attempts, endpoint, isResendable }: AttemptView,
): Html {
  const { eventType, deliveryPublicId, invoicePublicId, endpointPublicId, durationMs } = attempt
  return dashboardPage({
    ...user,
    menuPath: '/webhook',
    title: plain('attempt_name', { type: eventType, number: attemptNumber(attempt) }),
    actions: isResendable && actionButton(`/webhook/deliveries/${deliveryPublicId}/resend`, plain('resend')),
    body: html`<section class="card" aria-label="${plain('attempt')}">${definitionList([
      [plain('attempt_outcome'), attemptOutcome(attempt)],
      [
        plain('attempt_delivery'),
        html`<span class="code">${deliveryPublicId}</span>, ${say(DELIVERY_STATES[attempt.deliveryState])}`,
      ],
      [
        plain('invoice'),
        invoicePublicId === null
          ? plain('none')
          : html`<a class="code" href="/invoices/${invoicePublicId}">${invoicePublicId}</a>`,
      ],
      [plain('sent_to'), endpointPublicId === null ? plain('the_webhook') : endpointLink(attempt, endpoint)],
      [plain('attempt_sent'), exactTimeElement(attempt.createdAt)],
      [plain('attempt_duration'), durationMs === null ? plain('unknown') : `${groupThousands(durationMs)} ms`],
    ])}</section>
    <section class="card" aria-labelledby="request"><h2 id="request">${say('attempt_request')}</h2>
      <pre tabindex="0"><code>POST ${attempt.url}${attempt.requestHeaders !== null && html`\n${attempt.requestHeaders}`}</code></pre>
      <h3>${say('event_body')}</h3><pre class="given" tabindex="0"><code>${attempt.requestBody}</code></pre></section>
    <section class="card" aria-labelledby="response"><h2 id="response">${say('attempt_response')}</h2>${response(attempt)}</section>
    ${attempts.length > 1 && html`<section class="card" aria-labelledby="attempts"><h2 id="attempts">${say('attempts_of_delivery')}</h2>${attemptTable(attempts)}</section>`}
    <p><a href="/webhook#log">${say('deliveries_all')}</a></p>`,
  })
}

function endpointLink(attempt: ShownAttempt, endpoint: Endpoint | null): Html {
  const host = html`<bdi>${endpointName(attempt)}</bdi>`
  if (endpoint === null) return say('attempt_endpoint_removed', { host })
  return html`<a href="/webhook/endpoints/${endpoint.publicId}">${host}</a>`
}

function response({ statusCode, responseHeaders, response }: ShownAttempt): Html {
  if (statusCode === null && !response) return html`<p class="empty">${say('response_none')}</p>`
  const { text, isCut } = beginningOf(response ?? '')
  return html`<pre tabindex="0"><code>${say('response_status', { status: statusCode })}${responseHeaders && html`\n${responseHeaders}`}</code></pre>
    <h3>${say('event_body')}</h3>${text === '' ? html`<p class="empty">${say('response_empty')}</p>` : html`<pre class="given" tabindex="0"><code>${text}</code></pre>`}
    ${isCut && html`<p class="hint">${say('response_cut', { count: groupThousands(RESPONSE_BYTES_SHOWN) })}</p>`}`
}
