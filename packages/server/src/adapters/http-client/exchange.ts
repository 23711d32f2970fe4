import type { ClientRequest, IncomingMessage } from 'node:http'
import type { HttpClientFailure, HttpRequest, HttpResponse } from '../../ports/http-client.ts'
import { HttpClientError } from '../../ports/http-client.ts'
import { toHttpClientError } from './error.ts'
import { meter, type ReceivedBytes } from './meter.ts'

/** Responses with a status of 1xx before the response. HTTP needs one or two. */
const MAX_INTERIM = 8
/** Chunks may be small, as long as there are few, or large ones make up for them: each costs as much as a kilobyte. */
const SMALL_CHUNKS = 256
const BYTES_PER_CHUNK = 256
/** The status on an idle connection that a server closes; a request that crosses it may be repeated (RFC 9110 15.5.9). */
const REQUEST_TIMEOUT = 408
/** How a kept connection fails that the server has closed meanwhile. */
const LOST: ReadonlySet<HttpClientFailure> = new Set(['reset', 'unreachable', 'tls', 'not_http'])

/**
 * Sends the request and reads the whole response within its limits. A request on a reused connection that ends without
 * the beginning of a response is sent again, once, on a new one: the server closed the connection as the request was written.
 * Closes the connection on any error.
 *
 * @param open begins the request; `isFresh`: on a new connection
 */
export function exchange(
  open: (isFresh: boolean) => ClientRequest,
  request: HttpRequest,
  closing: Set<() => void>,
): Promise<HttpResponse> {
  const { deadlineMs, signal } = request
  return new Promise<HttpResponse>((resolve, reject) => {
    let client: ClientRequest | undefined
    let reader: ResponseReader | undefined
    let isSettled = false
    const settle = () => {
      isSettled = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      closing.delete(abort)
    }
    const fail = (error: unknown) => {
      reject(toHttpClientError(error, reader?.response() ?? null))
      settle()
      client?.destroy()
    }
    const abort = () => fail(new HttpClientError('aborted', 'the request was aborted'))
    const onTimeout = () => fail(new HttpClientError('timeout', timeoutMessage(deadlineMs, reader !== undefined)))
    const timer = setTimeout(onTimeout, deadlineMs)
    signal?.addEventListener('abort', abort)
    closing.add(abort)

    function attempt(isFresh: boolean): void {
      const current = open(isFresh)
      client = current
      let interim = 0
      let metered: ReceivedBytes | undefined
      const resend = () => {
        attempt(true)
        current.destroy()
      }
      const lost = (error: unknown) => {
        const isResent = client !== current
        // Bytes after a complete response end the connection; its `end` follows all the same.
        if (isSettled || isResent || reader?.isComplete) return
        const mayResend = current.reusedSocket && !isFresh && metered?.isAnswered === false
        if (mayResend && LOST.has(toHttpClientError(error, null).failure)) resend()
        else fail(error)
      }

      current.on('socket', socket => {
        metered = meter(socket)
        metered.begin(request.maxBytes, fail)
      })
      current.on('information', () => {
        interim += 1
        if (interim > MAX_INTERIM)
          fail(new HttpClientError('too_large', `more than ${MAX_INTERIM} interim responses (1xx)`))
      })
      current.on('error', lost)
      current.on('upgrade', (_message, socket) => {
        socket.destroy()
        fail(new HttpClientError('not_http', 'the server switched to another protocol'))
      })
      current.on('response', message => {
        if (isSettled) return
        if (message.statusCode === REQUEST_TIMEOUT && current.reusedSocket && !isFresh) {
          resend()
          return
        }
        reader = new ResponseReader(message, request)
        reader.start(response => {
          resolve(response)
          settle()
        }, fail)
      })
      // Emitted last for every request.
      current.on('close', () => {
        metered?.end()
        lost(new HttpClientError('reset', 'the connection was closed before the response was complete'))
      })
      current.end(request.body)
    }
    attempt(false)
  })
}

/** Collects a response body up to the limits of its size and of its chunks. */
class ResponseReader {
  readonly #message: IncomingMessage
  readonly #maxBytes: number
  readonly #keepBytes: number
  readonly #kept: Buffer[] = []

  constructor(message: IncomingMessage, { maxBytes, keepBytes = maxBytes }: HttpRequest) {
    this.#message = message
    this.#maxBytes = maxBytes
    this.#keepBytes = keepBytes
  }

  start(resolve: (response: HttpResponse) => void, fail: (error: unknown) => void): void {
    const message = this.#message
    const tooLarge = () => fail(new HttpClientError('too_large', `the response is larger than ${this.#maxBytes} bytes`))
    let length = 0
    let chunks = 0
    let bytes = 0
    const push = message.push.bind(message)
    // `data` comes after everything that was read has been parsed.
    message.push = (chunk: Buffer | null, encoding) => {
      chunks += 1
      bytes += chunk?.length ?? 0
      if (chunks > SMALL_CHUNKS + bytes / BYTES_PER_CHUNK)
        fail(new HttpClientError('too_large', 'the body has too many small chunks'))
      return push(chunk, encoding)
    }
    message.on('data', (chunk: Buffer) => {
      const remaining = this.#keepBytes - length
      if (remaining > 0) this.#kept.push(Buffer.from(chunk.subarray(0, remaining)))
      length += chunk.length
      if (length > this.#maxBytes) tooLarge()
    })
    message.on('error', fail)
    message.on('end', () => resolve(this.response()))
    if (Number(message.headers['content-length'] ?? 0) > this.#maxBytes) tooLarge()
  }

  /** Whether the last byte of the response was parsed. */
  get isComplete(): boolean {
    return this.#message.complete
  }

  response(): HttpResponse {
    const headers = Object.entries(this.#message.headersDistinct)
    return {
      status: this.#message.statusCode ?? 0,
      headers: Object.fromEntries(headers.map(([name, values]) => [name, values?.join(', ') ?? ''])),
      body: Buffer.concat(this.#kept),
    }
  }
}

function timeoutMessage(deadlineMs: number, hasHead: boolean): string {
  const secs = deadlineMs / 1000
  return hasHead ? `no complete response within ${secs} s` : `no response within ${secs} s`
}
