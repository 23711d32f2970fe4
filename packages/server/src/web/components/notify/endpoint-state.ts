import type { Endpoint } from '../../../domain/notify/endpoint.ts'
import { shorten, timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { say } from '../../text/dashboard.ts'

/** The host of an endpoint, with its path: several may have one host. Its query may be long, and is left out. */
export function endpointName({ url }: Pick<Endpoint, 'url'>): string {
  const { host, pathname } = new URL(url)
  return pathname === '/' ? host : host + shorten(pathname, 24, 8)
}

/** Whether an endpoint gets events, and since when it has failed or is paused. */
export function endpointState({ enabled, pausedAt, failingSince }: Endpoint): Html {
  if (!enabled) return html`<span class="badge badge-expired">${say('endpoint_is_disabled')}</span>`
  if (pausedAt !== null)
    return html`<span class="badge badge-bad">${say('endpoint_is_paused')}</span><span class="below">${say('since', { time: timeElement(pausedAt) })}</span>`
  if (failingSince !== null)
    return html`<span class="badge badge-pending">${say('endpoint_is_failing')}</span><span class="below">${say('since', { time: timeElement(failingSince) })}</span>`
  return html`<span class="badge badge-paid">${say('endpoint_is_active')}</span>`
}
