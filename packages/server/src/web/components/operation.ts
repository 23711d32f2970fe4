import { errorDocUrl } from '../../http/error.ts'
import type { JsonObject } from '../../http/openapi/shared-schemas.ts'
import { guidePath } from '../guides.ts'
import { type Child, type Html, html } from '../html.ts'
import { copyButton } from './copyable.ts'
import { prose } from './prose.ts'
import { parameterTable, type Resolve, schemaTable } from './schema-table.ts'

/** An operation of the API, or a webhook. */
export interface DescribedOperation {
  readonly method: string
  /** The path, or the name of the event. */
  readonly path: string
  readonly operation: JsonObject
}

const JSON_TYPE = 'application/json'

const CREDENTIALS: Readonly<Record<string, { readonly name: string; readonly example: string }>> = {
  apiKeyAuth: { name: 'API key', example: '$API_KEY' },
  sessionAuth: { name: 'session token', example: '$SESSION_TOKEN' },
}

/** The section of an operation: what it does, its parameters, bodies, examples and errors, and a form to try it. */
export function operationSection({ method, path, operation }: DescribedOperation, url: string, resolve: Resolve): Html {
  const id = operation.operationId as string
  const parameters = (operation.parameters ?? []) as JsonObject[]
  const body = mediaOf(operation.requestBody)
  const [status, success] = Object.entries<JsonObject>(operation.responses).find(([code]) => /^[12]/.test(code)) ?? []
  const response = mediaOf(success)
  const curl = curlOf({ method, path, operation }, url)
  return html`<section class="card operation" id="${id}" aria-labelledby="${id}-title">
    <h3 id="${id}-title"><a href="#${id}">${operation.summary}</a></h3>
    <p class="endpoint"><code><b>${method}</b> ${path}</code></p>
    ${operation.description && html`<p>${prose(operation.description)}</p>`}
    <p class="hint">Credential: ${credentialOf(operation)}.</p>
    ${parameters.length > 0 && part('Parameters', parameterTable(parameters))}
    ${body && part('Body', schemaTable(body.schema, resolve))}
    ${example('Request', curl, 'the request')}
    ${status && responsePart(status, response, resolve)}
    ${errorTable(operation)}
    ${tryForm({ method, path, operation }, parameters, body)}
  </section>`
}

/** The headers of all webhooks, and how a receiver verifies and answers them. */
export function webhookHeaders({ operation }: DescribedOperation): Html {
  const { '2XX': success, default: failure } = operation.responses
  return html`<h3 id="headers">Headers</h3>${parameterTable(operation.parameters as JsonObject[])}
    <h3 id="verify">Verify and answer</h3>
    <ol class="numbered">
      <li>Keep the raw bytes of the body. A parser that writes the JSON again changes them, and the signature no longer fits.</li>
      <li>Join <code>webhook-id</code>, a dot, <code>webhook-timestamp</code>, a dot and the raw bytes. Compute their HMAC-SHA256. The key is what the base64 after <code>whsec_</code> in the secret decodes to.</li>
      <li>Compare <code>v1,</code> and the base64 of the result with <code>webhook-signature</code>, in constant time: <code>timingSafeEqual</code> in Node, <code>hmac.compare_digest</code> in Python, <code>hash_equals</code> in PHP.</li>
      <li>Refuse a <code>webhook-timestamp</code> that is more than five minutes from your clock, so that no one can repeat an old delivery.</li>
      <li>Any 2xx status confirms a delivery. ${prose(success.description)} ${prose(failure.description)}</li>
      <li>Skip a <code>webhook-id</code> that you have processed: it is the same for all attempts of a delivery. An event that is sent again from the dashboard is a new delivery with another one, so also check whether the order was delivered.</li>
    </ol>
    <p>Receivers that do this: <a href="${guidePath('webhooks')}#receivers">Node and Go</a>, <a href="${guidePath('python')}#receive-webhooks">Python</a>, <a href="${guidePath('php')}#receive-webhooks">PHP</a>, and <a href="${guidePath('sdk')}#receive-webhooks">the SDK</a>.</p>`
}

/** The section of a webhook: when it is sent, its body, and an example, with its headers if the webhook gets it. */
export function webhookSection({ path, operation }: DescribedOperation, resolve: Resolve): Html {
  const id = operation.operationId as string
  const body = mediaOf(operation.requestBody) as JsonObject
  const headers = (operation.parameters as JsonObject[])
    .filter(header => header.example !== undefined)
    .map(header => `${header.name}: ${header.example}`)
  const blank = headers.length > 0 ? [''] : []
  return html`<section class="card operation" id="${id}" aria-labelledby="${id}-title">
    <h3 id="${id}-title"><a href="#${id}"><code>${path}</code></a></h3>
    <p>${prose(operation.summary)}</p>
    ${part('Body', schemaTable(body.schema, resolve))}
    ${example('Example', [...headers, ...blank, JSON.stringify(body.example, null, 2)].join('\n'), 'the example')}
  </section>`
}

function mediaOf(body: JsonObject | undefined): JsonObject | undefined {
  return body?.content?.[JSON_TYPE]
}

function part(title: string, content: Child): Html {
  return html`<h4>${title}</h4>${content}`
}

function example(title: string, text: string, what: string): Html {
  return html`<h4>${title} ${copyButton(text, what)}</h4><pre tabindex="0"><code>${text}</code></pre>`
}

function responsePart(status: string, response: JsonObject | undefined, resolve: Resolve): Html {
  if (!response) return part('Response', html`<p>Status ${status}, without a body in JSON.</p>`)
  return html`${part(`Response ${status}`, schemaTable(response.schema, resolve))}${
    response.example !== undefined && example('Example', JSON.stringify(response.example, null, 2), 'the response')
  }`
}

function credentialOf({ security }: JsonObject): string {
  const ways = (security ?? []) as JsonObject[]
  const scopes: string[] = ways.flatMap(({ apiKeyAuth }) => apiKeyAuth ?? [])
  const names = [...new Set(ways.flatMap(Object.keys))].map(scheme => CREDENTIALS[scheme]?.name)
  if (names.length === 0) return 'none'
  return names.join(' or ') + (scopes.length > 0 ? ` with the scope ${scopes.join(' or ')}` : '')
}

/** A shell command that sends the example. The ids and credentials in it are shell variables. */
function curlOf({ method, path, operation }: DescribedOperation, url: string): string {
  const [scheme] = ((operation.security ?? []) as JsonObject[]).flatMap(Object.keys)
  const credential = scheme && CREDENTIALS[scheme]?.example
  const body = mediaOf(operation.requestBody)?.example
  const target = url + path.replace(/\{(\w+)\}/g, (_all, name: string) => `$${name.toUpperCase()}`)
  return [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} "${target}"`,
    credential && `-H "Authorization: Bearer ${credential}"`,
    body !== undefined && `-H 'Content-Type: application/json'`,
    body !== undefined && `-d '${JSON.stringify(body)}'`,
  ]
    .filter(Boolean)
    .join(' \\\n  ')
}

function errorTable({ responses }: JsonObject): Html {
  const errors = Object.entries<JsonObject>(responses).flatMap(([status, response]) =>
    Object.entries<JsonObject>(mediaOf(response)?.examples ?? {}).map(([code, { value, summary }]) => ({
      ...{ status, code, summary },
      message: value.message,
    })),
  )
  if (errors.length === 0) return html``
  const rows = errors.map(
    ({ status, code, message, summary }) => html`<tr>
      <td>${status}</td><th scope="row"><a href="${errorDocUrl(code, '')}"><code>${code}</code></a><span class="below">${message}</span></th><td>${prose(summary)}</td>
    </tr>`,
  )
  return html`<details><summary>${errors.length} errors</summary>
    <table class="errors"><thead><tr><th>Status</th><th>Code and message</th><th>When</th></tr></thead><tbody>${rows}</tbody></table>
  </details>`
}

/** A form that the script sends as this request. It is hidden without the script. */
function tryForm({ method, path, operation }: DescribedOperation, parameters: JsonObject[], body?: JsonObject): Html {
  const id = operation.operationId as string
  if (operation.responses[101]) return html``
  const fields = parameters.map(
    ({ name, in: place, required }) => html`<label>${name}${required !== true && ' (optional)'}
      <input name="${name}" data-in="${place}" autocomplete="off" spellcheck="false"></label>`,
  )
  const secured = credentialOf(operation) !== 'none'
  return html`<details class="try-it" hidden><summary>Try it</summary>
    <form data-try="${method}" data-path="${path}" aria-label="Try ${operation.summary}">
      ${secured && html`<label>${sentence(credentialOf(operation))}<input name="token" type="password" data-in="token" autocomplete="off"></label>`}
      ${fields}
      ${body && html`<label>Body<textarea name="body" data-in="body" rows="6" spellcheck="false">${JSON.stringify(body.example ?? {}, null, 2)}</textarea></label>`}
      <button>Send</button>
      <p class="hint" id="${id}-status" role="status"></p>
      <pre tabindex="0" hidden><code></code></pre>
    </form>
  </details>`
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
