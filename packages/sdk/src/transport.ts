import { delay } from './delay.ts'
import { ZatgateError } from './error.ts'
import { jittered } from './jitter.ts'
import type { ErrorBody } from './wire.ts'

/** Options of createTransport. */
export interface TransportOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Timeout of one attempt. */
  readonly timeoutMs: number
  /** Maximum retries of a retryable call. */
  readonly retries: number
  readonly fetch: typeof fetch
}

/** One API call. */
export interface Call {
  /** Bearer token. */
  readonly token?: string | undefined
  /** Sent as JSON; bytes as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the call is safe to retry. Default: true for GET. */
  readonly retryable?: boolean
  /** Default: those of the transport. */
  readonly retries?: number | undefined
  /** How long the service waits before it responds, in addition to the timeout. Default 0. */
  readonly waitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The body of a response as it was sent. */
export interface TextResponse {
  readonly text: string
  readonly headers: Headers
}

/** Sends calls to the service and retries them. Failed calls reject with a ZatgateError. */
export interface Transport {
  /** @returns the parsed body of a 2xx response, or undefined for 204 */
  json<T>(method: string, path: string, call: Call): Promise<T>
  /** @returns the body of a 2xx response, unparsed */
  text(method: string, path: string, call: Call): Promise<TextResponse>
  /** @returns the body of a 2xx response as a stream */
  stream(method: string, path: string, call: Call): Promise<ReadableStream<Uint8Array>>
}

/** Far above any API response; a larger one comes from another server. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024
const MIN_DELAY_MS = 250
const MAX_RETRY_AFTER_SECS = 10
const RETRIED_STATUSES = [0, 429, 502, 503, 504]

/** Creates the fetch-based transport. */
export function createTransport({ baseUrl, timeoutMs, retries, fetch }: TransportOptions): Transport {
  async function send(method: string, path: string, call: Call, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
    if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`
    const { body } = call
    if (body !== undefined)
      headers['content-type'] = body instanceof Uint8Array ? 'application/octet-stream' : 'application/json'
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      body:
        body === undefined
          ? null
          : body instanceof Uint8Array
            ? (body as Uint8Array<ArrayBuffer>)
            : JSON.stringify(body),
      redirect: 'error',
      signal,
    })
    if (!response.ok) throw await responseError(response)
    return response
  }

  async function attempt<T>(
    method: string,
    path: string,
    call: Call,
    use: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const controller = new AbortController()
    const abort = () => controller.abort()
    const limitMs = timeoutMs + (call.waitMs ?? 0)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      abort()
    }, limitMs)
    call.signal?.addEventListener('abort', abort)
    if (call.signal?.aborted) abort()
    let ended = true
    try {
      const result = await use(await send(method, path, call, controller.signal))
      ended = !(result instanceof ReadableStream)
      return result
    } catch (cause) {
      if (cause instanceof ZatgateError) throw cause
      if (call.signal?.aborted) throw new ZatgateError(0, 'aborted', 'the call was aborted', { cause })
      if (timedOut) throw new ZatgateError(0, 'timeout', `no response within ${limitMs} ms`, { cause })
      throw new ZatgateError(0, 'network_error', 'the service could not be reached', { cause })
    } finally {
      clearTimeout(timer)
      // The signal also aborts a body that is still being read.
      if (ended) call.signal?.removeEventListener('abort', abort)
    }
  }

  async function withRetries<T>(
    method: string,
    path: string,
    call: Call,
    use: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const retryable = call.retryable ?? method === 'GET'
    for (let failures = 0; ; failures++) {
      try {
        return await attempt(method, path, call, use)
      } catch (error) {
        const delayMs = retryDelay(error as ZatgateError, failures)
        if (!retryable || failures >= (call.retries ?? retries) || delayMs === null) throw error
        await delay(delayMs, call.signal)
      }
    }
  }

  return {
    json: (method, path, call) => withRetries(method, path, call, parseJson) as Promise<never>,
    text: (method, path, call) =>
      withRetries(method, path, call, async response => ({
        text: await readText(response),
        headers: response.headers,
      })),
    stream: (method, path, call) => withRetries(method, path, call, response => response.body ?? emptyStream()),
  }
}

/** Milliseconds to wait before the next attempt. Null: the error is permanent, or Retry-After is too long. */
function retryDelay(error: ZatgateError, failures: number): number | null {
  if (!RETRIED_STATUSES.includes(error.status) || error.code === 'aborted') return null
  if (error.retryAfterSecs !== null)
    return error.retryAfterSecs <= MAX_RETRY_AFTER_SECS ? error.retryAfterSecs * 1000 : null
  return jittered(MIN_DELAY_MS * 2 ** failures)
}

async function parseJson(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  const text = await readText(response)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ZatgateError(
      response.status,
      'invalid_response',
      'the response is not JSON; check that baseUrl is a zatgate service',
      {
        cause,
      },
    )
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunksOf(response)) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES) {
      throw new ZatgateError(
        response.status,
        'invalid_response',
        'the response is too large; check that baseUrl is a zatgate service',
      )
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Iterates a stream in browsers without async iteration of ReadableStream. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (let result = await reader.read(); !result.done; result = await reader.read()) yield result.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: controller => controller.close() })
}

async function responseError(response: Response): Promise<ZatgateError> {
  const retryAfterSecs = /^[0-9]{1,9}$/.test(response.headers.get('retry-after') ?? '')
    ? Number(response.headers.get('retry-after'))
    : null
  const body = parseErrorBody(await readText(response))
  if (!body) {
    const message = `status ${response.status} without an error body`
    return new ZatgateError(response.status, 'invalid_response', message, { retryAfterSecs })
  }
  return new ZatgateError(response.status, body.code, body.message, { body, retryAfterSecs })
}

function parseErrorBody(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text) as ErrorBody | null
    return typeof body?.code === 'string' && typeof body.message === 'string' ? body : null
  } catch {
    return null
  }
}
