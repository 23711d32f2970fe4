import { MAX_ATTEMPTS } from '../../../domain/notify/delivery-schedule.ts'
import type { AttemptRow } from '../../../ports/repository/notify/delivery.ts'
import { exactTimeElement, groupThousands, shorten } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { rowLink } from '../list.ts'
import { endpointName } from './endpoint-state.ts'

/** Delivery attempts with their responses and links to them. */
export function attemptTable(attempts: readonly AttemptRow[]): Html {
  const rows = attempts.map(
    attempt => html`<tr id="attempt-${attempt.publicId}">
      <td>${rowLink(`/webhook/attempts/${attempt.publicId}`, attempt.eventType, plain('attempt_name', { type: attempt.eventType, number: attemptNumber(attempt) }))}<span class="below">${exactTimeElement(attempt.createdAt)}${attempt.endpointPublicId !== null && html` · <bdi>${endpointName(attempt)}</bdi>`}</span><span class="slim">${attemptOutcome(attempt)}</span></td>
      <td class="wide">${attempt.invoicePublicId === null ? html`<span class="none">${say('none')}</span>` : html`<a class="code" href="/invoices/${attempt.invoicePublicId}" aria-label="${plain('invoice_name', { id: attempt.invoicePublicId })}">${shorten(attempt.invoicePublicId, 8, 0)}</a>`}</td>
      <td class="wide">${attemptOutcome(attempt)}</td>
      <td class="number">${attemptNumber(attempt)}${attempt.durationMs !== null && html`<span class="below">${groupThousands(attempt.durationMs)} ms</span>`}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">${say('event')}</th><th scope="col" class="wide">${say('invoice')}</th><th scope="col" class="wide">${say('attempt_response')}</th><th scope="col" class="number">${say('attempt')}</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** `2 of 4`; an endpoint may have more attempts, and its number stands alone. */
export function attemptNumber({ attempt, endpointPublicId }: AttemptRow): string {
  return endpointPublicId === null ? plain('attempt_of', { attempt, max: MAX_ATTEMPTS }) : String(attempt)
}

/** The response of an attempt, or why there is none. */
export function attemptOutcome({ statusCode, error, durationMs }: AttemptRow): Html {
  if (error !== null)
    return html`<span class="badge badge-bad">${statusCode ?? plain('attempt_failed')}</span><span class="below clip"><bdi>${error}</bdi></span>`
  if (statusCode === null)
    return html`<span class="badge badge-pending">${durationMs === null ? plain('delivery_in_progress') : plain('attempt_no_response')}</span>`
  return html`<span class="badge badge-paid">${statusCode}</span>`
}
