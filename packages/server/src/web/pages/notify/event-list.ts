import { EVENT_TYPES, type EventType } from '../../../domain/notify/event.ts'
import type { ListedEvent } from '../../../services/notify/event-log.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { filterForm, rowLink } from '../../components/list.ts'
import { livePart } from '../../components/live.ts'
import { endpointName } from '../../components/notify/endpoint-state.ts'
import { EVENT_TYPE_TEXTS } from '../../components/notify/event-type.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { groupThousands, listTime } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

interface EventsView extends PagerLinks {
  readonly events: readonly ListedEvent[]
  readonly type: EventType | null
}

/** The feed of the account's events, newest first. */
export function eventsPage(user: PageUser, view: EventsView): Html {
  const { events, type } = view
  const none = type === null ? 'No events yet.' : 'No matching events.'
  return dashboardPage({
    ...user,
    menuPath: '/events',
    title: 'Events',
    isLive: true,
    body: html`
      <p class="lead">What has happened, and where it was sent. Events are kept for 90 days; your programs read the same feed from the <a href="/docs">API</a>.</p>
      ${filter(type)}
      <section class="card" aria-label="Events">
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
    label: 'Filter events',
    used: type === null ? 0 : 1,
    isFiltered: type !== null,
    fields: html`<div class="field all"><label for="type">Type</label><select id="type" name="type"><option value="">any</option>${options}</select></div>`,
  })
}

function table(events: readonly ListedEvent[]): Html {
  const rows = events.map(
    ({ event: { seq, type, createdAt }, invoice, deliveries }) => html`<tr id="event-${seq}">
      <td>${rowLink(`/events/${seq}`, type, `${type}, event ${seq}`)}<span class="below">${EVENT_TYPE_TEXTS[type]}</span><span class="below">${groupThousands(seq)} · ${listTime(createdAt)}</span><span class="slim">${receivers(deliveries)}</span></td>
      <td class="wide">${invoice === null ? html`<span class="none">none</span>` : html`<a href="/invoices/${invoice.publicId}">${invoiceTitle(invoice)}</a>`}</td>
      <td class="wide">${receivers(deliveries)}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">Event</th><th scope="col" class="wide">Invoice</th><th scope="col" class="wide">Sent to</th></tr></thead><tbody>${rows}</tbody></table>`
}

const STATE_KINDS = {
  delivered: 'paid',
  failed: 'bad',
  canceled: 'expired',
  sending: 'pending',
  waiting: 'pending',
} as const satisfies Record<ListedEvent['deliveries'][number]['state'], string>

function receivers(deliveries: ListedEvent['deliveries']): Html {
  if (deliveries.length === 0) return html`<span class="none">nowhere</span>`
  const items = deliveries.map(({ endpointUrl, state }) => {
    const name = endpointUrl === null ? 'webhook' : endpointName({ url: endpointUrl })
    return html`<li><span class="clip"><bdi>${name}</bdi></span> <span class="badge badge-${STATE_KINDS[state]}">${state}</span></li>`
  })
  return html`<ul class="receivers">${items}</ul>`
}
