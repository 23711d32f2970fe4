import assert from 'node:assert/strict'
import { API_ERRORS } from '../../src/domain/error-table.ts'
import type { JsonObject } from '../../src/http/openapi/shared-schemas.ts'
import { undocumented } from './documented.ts'

/** An HTTP response. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body of the response; of an error of the API without `doc_url`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect the response body freely
  readonly body: any
}

/** Options of call. */
export interface CallOptions {
  readonly token?: string
  readonly headers?: Record<string, string>
  /** Body to send as JSON. */
  readonly json?: unknown
  /** Body to send unchanged. */
  readonly raw?: string | Uint8Array
}

/** Sends one request. `line` is a method and a path, such as `POST /v1/invoices`. */
export async function call(
  api: { readonly url: string },
  line: string,
  options: CallOptions = {},
): Promise<TestResponse> {
  const [method = 'GET', path = '/'] = line.split(' ')
  const { token, json, raw } = options
  const body = json === undefined ? raw : JSON.stringify(json)
  const headers = {
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...options.headers,
  }
  const response = await fetch(api.url + path, { method, headers, body: (body as string | undefined) ?? null })
  const text = await response.text()
  if (path.startsWith('/v1/') && response.status >= 400 && text !== '')
    await requireDocumented(api.url, method, path, response, text)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const parsed = isJson && text !== '' ? JSON.parse(text) : undefined
  const isApiError = path.startsWith('/v1/') && parsed?.code !== undefined
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed?.doc_url !== undefined || isApiError ? withoutDocUrl(parsed) : parsed,
  }
}

/** Every error links to the entry of its code. Checked here, so that the tests compare the other members. */
function withoutDocUrl({ doc_url: url, ...body }: { code: string; doc_url?: string }) {
  const entry = Object.hasOwn(API_ERRORS, body.code) ? body.code : 'invalid_field'
  assert.match(url ?? 'no doc_url', new RegExp(`^https?://[^/]+/docs/errors#${entry}$`))
  return body
}

let document: Promise<JsonObject> | undefined

/** Every error that a test provokes is one that the API's document describes. */
async function requireDocumented(
  url: string,
  method: string,
  path: string,
  { status, headers }: Response,
  text: string,
): Promise<void> {
  if (!headers.get('content-type')?.startsWith('application/json')) return
  document ??= fetch(`${url}/openapi.json`).then(response => response.json() as Promise<JsonObject>)
  const problem = undocumented(await document, {
    method,
    path: path.split('?')[0] ?? '',
    status,
    body: JSON.parse(text),
  })
  assert.equal(problem, null)
}
