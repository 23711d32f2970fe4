import { formatCount } from '../../../domain/count.ts'
import { type Endpoint, MAX_ENDPOINTS } from '../../../domain/notify/endpoint.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { rowLink } from '../list.ts'
import { endpointName, endpointState } from './endpoint-state.ts'

/** An endpoint with the number of its failed deliveries, counted up to `MAX_COUNT` and one. */
export interface ListedEndpoint {
  readonly endpoint: Endpoint
  readonly failed: number
}

/** The endpoints of an account, and the button that adds one. */
export function endpointSection(endpoints: readonly ListedEndpoint[]): Html {
  const isFull = endpoints.length >= MAX_ENDPOINTS
  return html`<section class="card" aria-labelledby="endpoints"><h2 id="endpoints">${say('endpoints_further')}</h2>
    <p class="hint">${say('endpoints_hint')}</p>
    ${endpoints.length > 0 && table(endpoints)}
    <p>${isFull ? html`<span class="hint">${say('endpoints_full', { count: MAX_ENDPOINTS })}</span>` : html`<a class="button" href="/webhook/endpoints/new">${say('endpoint_add')}</a>`}</p></section>`
}

function table(endpoints: readonly ListedEndpoint[]): Html {
  const rows = endpoints.map(
    ({ endpoint, failed }) => html`<tr>
      <td class="clip">${rowLink(`/webhook/endpoints/${endpoint.publicId}`, html`<bdi>${endpointName(endpoint)}</bdi>`, plain('endpoint_name', { name: endpointName(endpoint) }))}<span class="below">${typesText(endpoint)} · ${endpoint.schedule}</span><span class="slim">${endpointState(endpoint)}</span></td>
      <td class="wide">${endpointState(endpoint)}</td>
      <td class="number">${failed === 0 ? '0' : html`<a href="${failedLink(endpoint.publicId)}">${formatCount(failed)}</a>`}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">${say('endpoint')}</th><th scope="col" class="wide">${say('delivery_state')}</th><th scope="col" class="number">${say('endpoint_failed')}</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The list of the failed deliveries of an endpoint, or of the webhook. */
export function failedLink(endpoint: string): string {
  return `/webhook?show=failed&endpoint=${endpoint}#log`
}

function typesText({ types }: Endpoint): string {
  if (types === null) return plain('endpoint_all_types')
  return types.length <= 2 ? types.join(', ') : plain('endpoint_types', { count: types.length })
}
