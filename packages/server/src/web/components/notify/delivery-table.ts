import { MAX_ATTEMPTS } from '../../../domain/notify/delivery-schedule.ts'
import type { DeliveryRow } from '../../../ports/repository/notify/delivery.ts'
import { shorten, timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'

/** Deliveries with the results of their last attempts. */
export function deliveryTable(deliveries: readonly DeliveryRow[]): Html {
  const rows = deliveries.map(delivery => {
    const { eventType, invoicePublicId, attempts, createdAt, lastAttempt } = delivery
    const event = lastAttempt ? html`<a href="/webhook/attempts/${lastAttempt.publicId}">${eventType}</a>` : eventType
    return html`<tr>
      <td>${event}<span class="below">${timeElement(createdAt)}</span><span class="slim">${deliveryState(delivery)}</span></td>
      <td class="wide">${invoicePublicId === null ? html`<span class="none">none</span>` : html`<a class="code" href="/invoices/${invoicePublicId}" aria-label="Invoice ${invoicePublicId}">${shorten(invoicePublicId, 8, 0)}</a>`}</td>
      <td class="wide">${deliveryState(delivery)}</td>
      <td class="number">${attempts} of ${MAX_ATTEMPTS}</td>
    </tr>`
  })
  return html`<table class="list"><thead><tr><th scope="col">Event</th><th scope="col" class="wide">Invoice</th><th scope="col" class="wide">Result</th><th scope="col" class="number">Attempts</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** Where a delivery stands: its state, the last response or error, and what follows. */
function deliveryState({ state, attempts, dueAtMs, resentAt, lastAttempt }: DeliveryRow): Html {
  const error = lastAttempt?.error ?? null
  const cause = error !== null && html`<span class="below clip"><bdi>${error}</bdi></span>`
  switch (state) {
    case 'delivered':
      return html`<span class="badge badge-paid">delivered</span><span class="below">${lastAttempt?.statusCode}</span>`
    case 'failed':
      if (resentAt !== null)
        return html`<span class="badge badge-expired">sent again</span><span class="below">${timeElement(resentAt)}</span>`
      return html`<span class="badge badge-bad">failed</span>${cause}`
    case 'canceled':
      return html`<span class="badge badge-expired">canceled</span>${cause}`
    case 'sending':
      return html`<span class="badge badge-pending">in progress</span>`
    case 'waiting':
      if (attempts === 0 || dueAtMs === null) return html`<span class="badge badge-pending">queued</span>`
      return html`<span class="badge badge-pending">next ${timeElement(Math.ceil(dueAtMs / 1000))}</span>${cause}`
  }
}
