import type { AttemptRow, DeliveryRow } from '../../../ports/repository/notify/delivery.ts'
import { exactTimeElement, groupThousands, listTime } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { type DashboardMessage, plain, say } from '../../text/dashboard.ts'
import { rowLink } from '../list.ts'
import { attemptOutcome } from './attempt-table.ts'
import { endpointName } from './endpoint-state.ts'

/** Deliveries with their attempts folded inside. @param isWebhookSet whether the account has a webhook to resend to */
export function deliveryList(deliveries: readonly DeliveryRow[], isWebhookSet: boolean): Html {
  const items = deliveries.map(delivery => {
    const { publicId, eventType, endpoint, orderId, createdAt } = delivery
    const target = endpoint === null ? plain('delivery_to_webhook') : html`<bdi>${endpointName(endpoint)}</bdi>`
    return html`<li><details id="delivery-${publicId}"><summary><span class="name">${eventType}</span> ${deliveryBadge(delivery)}<span class="below">${listTime(createdAt)} · ${target}${orderId !== null && html` · ${say('delivery_of_order', { order: orderId })}`}</span>${deliveryNote(delivery)}</summary>
      ${attemptList(delivery)}
      ${links(delivery, isWebhookSet)}</details></li>`
  })
  return html`<ul class="deliveries">${items}</ul>`
}

function attemptList({ attempts, lastAttempts }: DeliveryRow): Html {
  if (lastAttempts.length === 0) return html`<p class="empty">${say('attempts_none')}</p>`
  const rows = lastAttempts.map(
    attempt => html`<tr>
      <td>${rowLink(`/webhook/attempts/${attempt.publicId}`, plain('attempt_number', { number: attempt.attempt }), plain('attempt_number', { number: attempt.attempt }))}<span class="below">${exactTimeElement(attempt.createdAt)}</span></td>
      <td>${attemptOutcome(attempt)}</td>
      <td class="number wide">${duration(attempt)}</td>
    </tr>`,
  )
  const earlier = attempts - lastAttempts.length
  return html`<table class="list rows"><thead><tr><th scope="col">${say('attempt')}</th><th scope="col">${say('attempt_response')}</th><th scope="col" class="number wide">${say('attempt_duration')}</th></tr></thead><tbody>${rows}</tbody></table>
    ${earlier > 0 && html`<p class="hint">${say('attempts_earlier', { count: earlier })}</p>`}`
}

function duration({ durationMs }: AttemptRow): Html | string {
  return durationMs === null ? html`<span class="none">${say('unknown')}</span>` : `${groupThousands(durationMs)} ms`
}

function links(
  { publicId, eventType, invoicePublicId, endpoint, state }: DeliveryRow,
  isWebhookSet: boolean,
): Html | false {
  const isEnded = state !== 'waiting' && state !== 'sending'
  const isResendable = isEnded && (endpoint === null ? isWebhookSet : endpoint.isActive)
  if (!isResendable && invoicePublicId === null) return false
  return html`<div class="buttons">${isResendable && html`<form method="post" action="/webhook/deliveries/${publicId}/resend"><button class="small" aria-label="${plain('resend_name', { type: eventType, id: publicId.slice(0, 8) })}">${say('resend')}</button></form>`}${invoicePublicId !== null && html`<a class="button small" href="/invoices/${invoicePublicId}">${say('invoice')}</a>`}</div>`
}

/** The names of the states of a delivery. */
export const DELIVERY_STATES = {
  delivered: 'delivery_delivered',
  failed: 'delivery_failed',
  canceled: 'delivery_canceled',
  sending: 'delivery_in_progress',
  waiting: 'delivery_waiting',
} as const satisfies Record<DeliveryRow['state'], DashboardMessage>

function deliveryBadge({ state, attempts, resentAt }: DeliveryRow): Html {
  switch (state) {
    case 'delivered':
      return html`<span class="badge badge-paid">${say('delivery_delivered')}</span>`
    case 'failed':
      return resentAt === null
        ? html`<span class="badge badge-bad">${say('delivery_failed')}</span>`
        : html`<span class="badge badge-expired">${say('delivery_sent_again')}</span>`
    case 'canceled':
      return html`<span class="badge badge-expired">${say('delivery_canceled')}</span>`
    case 'sending':
      return html`<span class="badge badge-pending">${say('delivery_in_progress')}</span>`
    case 'waiting':
      return html`<span class="badge badge-pending">${say(attempts === 0 ? 'delivery_queued' : 'delivery_waiting')}</span>`
  }
}

/** The last error, and what follows. */
function deliveryNote({ state, attempts, dueAtMs, resentAt, lastAttempts }: DeliveryRow): Html | false {
  const [last] = lastAttempts
  const cause = state !== 'delivered' && last?.error ? html`<bdi>${last.error}</bdi>` : null
  const next = nextStep({ state, attempts, dueAtMs })
  const again = resentAt !== null && say('delivery_again_at', { time: exactTimeElement(resentAt) })
  const parts = [next, again, cause].filter(part => part !== null && part !== false)
  if (parts.length === 0) return false
  return html`<span class="below clip">${parts.map((part, index) => html`${index > 0 && ' · '}${part}`)}</span>`
}

function nextStep({ state, attempts, dueAtMs }: Pick<DeliveryRow, 'state' | 'attempts' | 'dueAtMs'>): Html | null {
  if (state !== 'waiting' || attempts === 0) return null
  if (dueAtMs === null) return say('delivery_next_after')
  return say('delivery_next_at', { time: exactTimeElement(Math.ceil(dueAtMs / 1000)) })
}
