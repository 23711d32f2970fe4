import { EVENT_TYPES, type EventType } from '../../../domain/notify/event.ts'
import type { ListedEvent } from '../../../services/notify/event-log.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { filterForm, rowLink } from '../../components/list.ts'
import { livePart } from '../../components/live.ts'
import { DELIVERY_STATES } from '../../components/notify/delivery-list.ts'
import { endpointName } from '../../components/notify/endpoint-state.ts'
import { EVENT_TYPE_TEXTS } from '../../components/notify/event-type.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { groupThousands, listTime } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface EventsView extends PagerLinks {
  readonly events: readonly ListedEvent[]
  readonly type: EventType | null
}

/** The feed of the account's events, newest first. */
export function eventsPage(user: PageUser, view: EventsView): Html {
  const { events, type } = view
  const none = type === null ? plain('events_none') : plain('events_no_match')
  return dashboardPage({
    ...user,
    menuPath: '/events',
    title: plain('events'),
    isLive: true,
    body: html`
      <p class="lead">${say('events_lead', { link: '/docs' })}</p>
      ${filter(type)}
      <section class="card" aria-label="${plain('events')}">
        ${livePart('list', html`<div data-recheck>${events.length > 0 ? table(events) : html`<p class="empty">${none}</p>`}</div>${pager(view)}`)}
      </section>`,
  })
}

function filter(type: EventType | null): Html {
  const options = EVENT_TYPES.map(
    name => html`<option value="${name}"${booleanAttribute('selected', name === type)}>${name}</option>`,
  )
  return filterForm({
    path: '/events',
    label: plain('events_filter'),
    used: type === null ? 0 : 1,
    isFiltered: type !== null,
    fields: html`<div class="field all"><label for="type">${say('event_type')}</label><select id="type" name="type"><option value="">${say('any')}</option>${options}</select></div>`,
  })
}

function table(events: readonly ListedEvent[]): Html {
  const rows = events.map(
    ({ event: { seq, type, createdAt }, invoice, deliveries }) => html`<tr id="event-${seq}">
      <td>${rowLink(`/events/${seq}`, type, plain('event_name', { type, seq }))}<span class="below">${EVENT_TYPE_TEXTS[type]}</span><span class="below">${groupThousands(seq)} · ${listTime(createdAt)}</span><span class="slim">${receivers(deliveries)}</span></td>
      <td class="wide">${invoice === null ? html`<span class="none">${say('none')}</span>` : html`<a href="/invoices/${invoice.publicId}">${invoiceTitle(invoice)}</a>`}</td>
      <td class="wide">${receivers(deliveries)}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">${say('event')}</th><th scope="col" class="wide">${say('invoice')}</th><th scope="col" class="wide">${say('sent_to')}</th></tr></thead><tbody>${rows}</tbody></table>`
}

const STATE_KINDS = {
  delivered: 'paid',
  failed: 'bad',
  canceled: 'expired',
  sending: 'pending',
  waiting: 'pending',
} as const satisfies Record<ListedEvent['deliveries'][number]['state'], string>

function receivers(deliveries: ListedEvent['deliveries']): Html {
  if (deliveries.length === 0) return html`<span class="none">${say('event_nowhere')}</span>`
  const items = deliveries.map(({ endpointUrl, state }) => {
    const name = endpointUrl === null ? plain('delivery_to_webhook') : endpointName({ url: endpointUrl })
    return html`<li><span class="clip"><bdi>${name}</bdi></span> <span class="badge badge-${STATE_KINDS[state]}">${say(DELIVERY_STATES[state])}</span></li>`
  })
  return html`<ul class="receivers">${items}</ul>`
}
