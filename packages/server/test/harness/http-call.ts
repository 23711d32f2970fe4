/** An HTTP response. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
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
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}
