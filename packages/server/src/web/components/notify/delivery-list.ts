import type { AttemptRow, DeliveryRow } from '../../../ports/repository/notify/delivery.ts'
import { exactTimeElement, groupThousands, listTime, pluralize } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { rowLink } from '../list.ts'
import { attemptOutcome } from './attempt-table.ts'
import { endpointName } from './endpoint-state.ts'

/** Deliveries with their attempts folded inside. @param isWebhookSet whether the account has a webhook to resend to */
export function deliveryList(deliveries: readonly DeliveryRow[], isWebhookSet: boolean): Html {
  const items = deliveries.map(delivery => {
    const { publicId, eventType, endpoint, orderId, createdAt } = delivery
    const target = endpoint === null ? 'webhook' : html`<bdi>${endpointName(endpoint)}</bdi>`
    return html`<li><details id="delivery-${publicId}"><summary><span class="name">${eventType}</span> ${deliveryBadge(delivery)}<span class="below">${listTime(createdAt)} · ${target}${orderId !== null && html` · order <bdi>${orderId}</bdi>`}</span>${deliveryNote(delivery)}</summary>
      ${attemptList(delivery)}
      ${links(delivery, isWebhookSet)}</details></li>`
  })
  return html`<ul class="deliveries">${items}</ul>`
}

function attemptList({ attempts, lastAttempts }: DeliveryRow): Html {
  if (lastAttempts.length === 0) return html`<p class="empty">No attempt yet.</p>`
  const rows = lastAttempts.map(
    attempt => html`<tr>
      <td>${rowLink(`/webhook/attempts/${attempt.publicId}`, `Attempt ${attempt.attempt}`, `Attempt ${attempt.attempt}`)}<span class="below">${exactTimeElement(attempt.createdAt)}</span></td>
      <td>${attemptOutcome(attempt)}</td>
      <td class="number wide">${duration(attempt)}</td>
    </tr>`,
  )
  const earlier = attempts - lastAttempts.length
  return html`<table class="list rows"><thead><tr><th scope="col">Attempt</th><th scope="col">Response</th><th scope="col" class="number wide">Duration</th></tr></thead><tbody>${rows}</tbody></table>
    ${earlier > 0 && html`<p class="hint">${pluralize(earlier, 'earlier attempt')}: on the page of an attempt.</p>`}`
}

function duration({ durationMs }: AttemptRow): Html | string {
  return durationMs === null ? html`<span class="none">unknown</span>` : `${groupThousands(durationMs)} ms`
}

function links(
  { publicId, eventType, invoicePublicId, endpoint, state }: DeliveryRow,
  isWebhookSet: boolean,
): Html | false {
  const isEnded = state !== 'waiting' && state !== 'sending'
  const isResendable = isEnded && (endpoint === null ? isWebhookSet : endpoint.isActive)
  if (!isResendable && invoicePublicId === null) return false
  return html`<div class="buttons">${isResendable && html`<form method="post" action="/webhook/deliveries/${publicId}/resend"><button class="small" aria-label="Resend ${eventType} ${publicId.slice(0, 8)}">Resend</button></form>`}${invoicePublicId !== null && html`<a class="button small" href="/invoices/${invoicePublicId}">Invoice</a>`}</div>`
}

function deliveryBadge({ state, attempts, resentAt }: DeliveryRow): Html {
  switch (state) {
    case 'delivered':
      return html`<span class="badge badge-paid">delivered</span>`
    case 'failed':
      return resentAt === null
        ? html`<span class="badge badge-bad">failed</span>`
        : html`<span class="badge badge-expired">sent again</span>`
    case 'canceled':
      return html`<span class="badge badge-expired">canceled</span>`
    case 'sending':
      return html`<span class="badge badge-pending">in progress</span>`
    case 'waiting':
      return html`<span class="badge badge-pending">${attempts === 0 ? 'queued' : 'waiting'}</span>`
  }
}

/** The last error, and what follows. */
function deliveryNote({ state, attempts, dueAtMs, resentAt, lastAttempts }: DeliveryRow): Html | false {
  const [last] = lastAttempts
  const cause = state !== 'delivered' && last?.error ? html`<bdi>${last.error}</bdi>` : null
  const next = nextStep({ state, attempts, dueAtMs })
  const again = resentAt !== null && html`again at ${exactTimeElement(resentAt)}`
  const parts = [next, again, cause].filter(part => part !== null && part !== false)
  if (parts.length === 0) return false
  return html`<span class="below clip">${parts.map((part, index) => html`${index > 0 && ' · '}${part}`)}</span>`
}

function nextStep({ state, attempts, dueAtMs }: Pick<DeliveryRow, 'state' | 'attempts' | 'dueAtMs'>): Html | null {
  if (state !== 'waiting' || attempts === 0) return null
  if (dueAtMs === null) return html`next attempt after an earlier event is delivered`
  return html`next attempt at ${exactTimeElement(Math.ceil(dueAtMs / 1000))}`
}
