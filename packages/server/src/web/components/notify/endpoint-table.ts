import { formatCount } from '../../../domain/count.ts'
import { type Endpoint, MAX_ENDPOINTS } from '../../../domain/notify/endpoint.ts'
import { type Html, html } from '../../html.ts'
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
  return html`<section class="card" aria-labelledby="endpoints"><h2 id="endpoints">Further endpoints</h2>
    <p class="hint">Further URLs for your events, such as your accounting or a chat. Each has its own secret and types, and gets its events in order.</p>
    ${endpoints.length > 0 && table(endpoints)}
    <p>${isFull ? html`<span class="hint">An account has at most ${MAX_ENDPOINTS} endpoints.</span>` : html`<a class="button" href="/webhook/endpoints/new">Add an endpoint</a>`}</p></section>`
}

function table(endpoints: readonly ListedEndpoint[]): Html {
  const rows = endpoints.map(
    ({ endpoint, failed }) => html`<tr>
      <td class="clip">${rowLink(`/webhook/endpoints/${endpoint.publicId}`, html`<bdi>${endpointName(endpoint)}</bdi>`, `Endpoint ${endpointName(endpoint)}`)}<span class="below">${typesText(endpoint)} · ${endpoint.schedule}</span><span class="slim">${endpointState(endpoint)}</span></td>
      <td class="wide">${endpointState(endpoint)}</td>
      <td class="number">${failed === 0 ? '0' : html`<a href="${failedLink(endpoint.publicId)}">${formatCount(failed)}</a>`}</td>
    </tr>`,
  )
  return html`<table class="list rows"><thead><tr><th scope="col">Endpoint</th><th scope="col" class="wide">State</th><th scope="col" class="number">Failed</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The list of the failed deliveries of an endpoint, or of the webhook. */
export function failedLink(endpoint: string): string {
  return `/webhook?show=failed&endpoint=${endpoint}#log`
}

function typesText({ types }: Endpoint): string {
  if (types === null) return 'all types'
  return types.length <= 2 ? types.join(', ') : `${types.length} types`
}
