import type { EventDetail } from '../../../services/notify/event-log.ts'
import { copyable } from '../../components/copyable.ts'
import { definitionList } from '../../components/definition-list.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { livePart } from '../../components/live.ts'
import { deliveryList } from '../../components/notify/delivery-list.ts'
import { EVENT_TYPE_TEXTS } from '../../components/notify/event-type.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { exactTimeElement, groupThousands } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

/** An event with its body, and its deliveries to the webhook and the endpoints. */
export function eventPage(user: PageUser, { event, invoice, deliveries, isWebhookSet }: EventDetail): Html {
  const { type, seq, publicId, createdAt, body } = event
  const log =
    deliveries.length === 0
      ? html`<p class="empty" data-recheck>${say('event_sent_nowhere')}</p>`
      : html`<div data-recheck>${deliveryList(deliveries, isWebhookSet)}</div>`
  return dashboardPage({
    ...user,
    menuPath: '/events',
    title: plain('event_name', { type, seq: groupThousands(seq) }),
    isLive: true,
    body: html`<section class="card" aria-label="${plain('event')}">${definitionList([
      [plain('event_what'), EVENT_TYPE_TEXTS[type]],
      [plain('event_when'), exactTimeElement(createdAt)],
      [
        plain('invoice'),
        invoice === null ? plain('none') : html`<a href="/invoices/${invoice.publicId}">${invoiceTitle(invoice)}</a>`,
      ],
      [plain('id'), copyable(publicId, plain('the_id'))],
    ])}</section>
    <section class="card" aria-labelledby="log"><h2 id="log">${say('deliveries')}</h2>${livePart('attempts', log)}</section>
    <section class="card" aria-labelledby="body"><h2 id="body">${say('event_body')}</h2><pre class="given" tabindex="0"><code>${body}</code></pre></section>
    <p><a href="/events">${say('events_all')}</a></p>`,
  })
}
