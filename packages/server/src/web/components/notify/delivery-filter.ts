import { EVENT_TYPES, type EventType } from '../../../domain/notify/event.ts'
import { INVOICE_FIELDS } from '../../../domain/sale/invoice-fields.ts'
import { withoutUnprintable } from '../../../domain/text.ts'
import type { LogFilter } from '../../../services/notify/delivery-log.ts'
import type { FormFields } from '../../forms.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { filterForm } from '../list.ts'
import { endpointName } from './endpoint-state.ts'
import type { ListedEndpoint } from './endpoint-table.ts'

const MAX_ORDER_CHARS = INVOICE_FIELDS.orderId.request.maxLength

/** The filter that a query string names. Empty fields and unknown types filter nothing. */
export function parseDeliveryFilter({ show, type, order = '', endpoint = '' }: FormFields): LogFilter {
  const known = EVENT_TYPES.find(name => name === type)
  const orderId = withoutUnprintable(order).slice(0, MAX_ORDER_CHARS)
  return {
    ...(show === 'failed' && { failed: true }),
    ...(known && { type: known }),
    ...(orderId !== '' && { orderId }),
    ...(endpoint !== '' && { endpoint }),
  }
}

/** The parameters of a filter in the address of a page of the log. */
export function filterParameters({ failed, type, orderId, endpoint }: LogFilter): Record<string, string> {
  return { show: failed ? 'failed' : '', type: type ?? '', order: orderId ?? '', endpoint: endpoint ?? '' }
}

export function isFiltered(filter: LogFilter): boolean {
  return Object.keys(filter).length > 0
}

export function deliveryFilterForm(filter: LogFilter, endpoints: readonly ListedEndpoint[]): Html {
  const { failed = false, type, orderId = '', endpoint } = filter
  const targets: [value: string, label: string][] = [
    ['webhook', plain('the_webhook')],
    ...endpoints.map(({ endpoint: { publicId, url } }): [string, string] => [publicId, endpointName({ url })]),
  ]
  const option = (value: string, label: string, isSelected: boolean) =>
    html`<option value="${value}"${booleanAttribute('selected', isSelected)}>${label}</option>`
  return filterForm({
    path: '/webhook#log',
    label: plain('deliveries_filter'),
    used: Number(failed) + Number(type !== undefined) + Number(endpoint !== undefined),
    isFiltered: isFiltered(filter),
    search: html`<div class="field grow"><label for="order">${say('delivery_order')}</label><input id="order" name="order" value="${orderId}" maxlength="${MAX_ORDER_CHARS}" autocomplete="off" spellcheck="false"></div>`,
    fields: html`<div class="field"><label for="show">${say('delivery_state')}</label><select id="show" name="show">${option('', plain('any'), !failed)}${option('failed', plain('delivery_failed'), failed)}</select></div>
      <div class="field"><label for="type">${say('event_type')}</label><select id="type" name="type">${option('', plain('any'), type === undefined)}${EVENT_TYPES.map((name: EventType) => option(name, name, name === type))}</select></div>
      <div class="field all"><label for="endpoint">${say('sent_to')}</label><select id="endpoint" name="endpoint">${option('', plain('any'), endpoint === undefined)}${targets.map(([value, label]) => option(value, label, value === endpoint?.toLowerCase()))}</select></div>`,
  })
}
