import { ZatgateError } from './error.ts'
import { pause } from './pause.ts'
import type { ErrorBody } from './wire.ts'

export interface TransportOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly retries: number
  readonly fetch: typeof fetch
}

export interface Call {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Safe to send again. Default: whether the method is GET. */
  readonly repeatable?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface Transport {
  /** The parsed body of a 2xx answer; undefined for 204. */
  json<T>(method: string, path: string, call: Call): Promise<T>
  stream(method: string, path: string, call: Call): Promise<ReadableStream<Uint8Array>>
}

/** No answer of the API comes near this; more than that is not the API. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_SECS = 10
const RETRIED_STATUSES = [0, 429, 502, 503, 504]

export function createTransport({ baseUrl, timeoutMs, retries, fetch }: TransportOptions): Transport {
  async function send(method: string, path: string, call: Call, timeout: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
    if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`
    if (call.body !== undefined) headers['content-type'] = 'application/json'
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      body: call.body === undefined ? null : JSON.stringify(call.body),
      redirect: 'error',
      signal: call.signal ? AbortSignal.any([timeout, call.signal]) : timeout,
    })
    if (!response.ok) throw await errorOf(response)
    return response
  }

  async function once<T>(
    method: string,
    path: string,
    call: Call,
    use: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    try {
      return await use(await send(method, path, call, timeout.signal))
    } catch (cause) {
      if (cause instanceof ZatgateError) throw cause
      if (call.signal?.aborted) throw new ZatgateError(0, 'aborted', 'the call was aborted', { cause })
      if (timeout.signal.aborted) throw new ZatgateError(0, 'timeout', `no answer within ${timeoutMs} ms`, { cause })
      throw new ZatgateError(0, 'network_error', 'the service was not reached', { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  async function repeated<T>(
    method: string,
    path: string,
    call: Call,
    use: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const repeatable = call.repeatable ?? method === 'GET'
    for (let failures = 0; ; failures++) {
      try {
        return await once(method, path, call, use)
      } catch (error) {
        const pauseMs = pauseAfter(error as ZatgateError, failures)
        if (!repeatable || failures >= retries || pauseMs === null) throw error
        await pause(pauseMs, call.signal)
      }
    }
  }

  return {
    json: (method, path, call) => repeated(method, path, call, readJson) as Promise<never>,
    stream: (method, path, call) => repeated(method, path, call, response => response.body ?? emptyStream()),
  }
}

/** Milliseconds to wait before the next try; null: another would be of no use, or is too far away. */
function pauseAfter(error: ZatgateError, failures: number): number | null {
  if (!RETRIED_STATUSES.includes(error.status) || error.code === 'aborted') return null
  if (error.retryAfterSecs !== null)
    return error.retryAfterSecs <= LONGEST_PAUSE_SECS ? error.retryAfterSecs * 1000 : null
  return FIRST_PAUSE_MS * 2 ** failures * (0.5 + Math.random() / 2)
}

async function readJson(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  const text = await readText(response)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ZatgateError(response.status, 'invalid_response', 'the answer is not JSON: is this the service?', {
      cause,
    })
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunksOf(response)) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) {
      throw new ZatgateError(response.status, 'invalid_response', 'the answer is too large: is this the service?')
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Not every browser iterates a stream by itself. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: controller => controller.close() })
}

async function errorOf(response: Response): Promise<ZatgateError> {
  const retryAfterSecs = /^[0-9]{1,9}$/.test(response.headers.get('retry-after') ?? '')
    ? Number(response.headers.get('retry-after'))
    : null
  const body = errorBodyOf(await readText(response))
  if (!body) {
    const message = `the service answered ${response.status} without an error body`
    return new ZatgateError(response.status, 'invalid_response', message, { retryAfterSecs })
  }
  return new ZatgateError(response.status, body.code, body.message, { body, retryAfterSecs })
}

function errorBodyOf(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text) as ErrorBody | null
    return typeof body?.code === 'string' && typeof body.message === 'string' ? body : null
  } catch {
    return null
  }
}
