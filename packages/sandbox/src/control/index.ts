import { html } from '@zatgate/server/web/html'
import type { Route } from '../http/json-server.ts'
import type { Page } from '../http/page.ts'

/** A call of the control API, as the index lists it. */
interface Call {
  readonly method: string
  readonly path: string
  readonly fields: readonly string[]
  readonly effect: string
}

/** The route that lists what the others do. */
export function indexRoute(routes: readonly Route[]): Route {
  const calls = routes.map(({ method, path, fields = [], effect }) => ({ method, path, fields, effect }))
  return {
    method: 'GET',
    path: '/',
    effect: 'This list.',
    handle: () => calls,
    page: () => indexPage(calls),
  }
}

function indexPage(calls: readonly Call[]): Page {
  const rows = calls.map(({ method, path, fields, effect }) => {
    const name = `${method} ${path}`
    const isLink = method === 'GET' && !path.includes(':')
    const body = fields.length > 0 && html` <code>{${fields.join(', ')}}</code>`
    const title = isLink ? html`<a href="${path}">${name}</a>` : name
    return html`<tr><td><code>${title}</code></td><td>${effect}${body}</td></tr>
`
  })
  const hint = html`<p>POST requests need <code>Content-Type: application/json</code> and an object with these fields.</p>`
  return { title: 'Control of the sandbox', body: html`${hint}<table>${rows}</table>` }
}
