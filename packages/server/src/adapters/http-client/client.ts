import type { ClientRequest, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HttpClient, HttpRequest, HttpResponse } from '../../ports/http-client.ts'
import { HttpClientError } from '../../ports/http-client.ts'
import { blockedReason } from './blocked-address.ts'
import { toHttpClientError } from './error.ts'
import { meter, type ReceivedBytes } from './meter.ts'
import type { ResolveName } from './resolver.ts'
import { dnsResolver, systemResolver } from './resolver.ts'

export interface HttpClientOptions {
  /** For development: allows plain http and addresses that are not public. */
  readonly allowPrivate: boolean
  /** Resolves host names. Default: DNS servers; with `allowPrivate`, the operating system. */
  readonly resolve?: ResolveName
  /** Certificate authorities to trust instead of the default ones, PEM. */
  readonly ca?: string
}

const MAX_HEADER_BYTES = 16 * 1024
/** Responses with a status of 1xx before the response. HTTP needs one or two. */
const MAX_INTERIM = 8
/** Chunks may be small, as long as there are few, or large ones make up for them: each costs as much as a kilobyte. */
const SMALL_CHUNKS = 256
const BYTES_PER_CHUNK = 256
/** Shorter than the first webhook retry delay, so that a retry never reuses the connection of the failed attempt. */
const IDLE_MS = 4_000
const MAX_IDLE_PER_HOST = 32
const MAX_IDLE = 512

/**
 * HTTP client that connects to public addresses only. Each connection resolves its host name once, checks all resolved
 * addresses and connects to one of them, so DNS rebinding is not possible. TLS (certificate, SNI) and the Host header use
 * the name. Idle connections are reused for the same host; each was checked when it was opened.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const resolve = options.resolve ?? (options.allowPrivate ? systemResolver : dnsResolver())
  const lookup = checkedLookup(resolve, options.allowPrivate)
  const idle = new IdleConnectionLimit()
  const shared = { keepAlive: true, lookup, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_PER_HOST }
  const agents = {
    'http:': idle.limit(new http.Agent(shared)),
    'https:': idle.limit(new https.Agent({ ...shared, ...(options.ca !== undefined && { ca: options.ca }) })),
  }
  const closing = new Set<() => void>()

  function open(request: HttpRequest): ClientRequest {
    const { url, scheme } = parseUrl(request.url, options.allowPrivate)
    return (scheme === 'https:' ? https : http).request({
      agent: agents[scheme],
      method: request.method,
      hostname: unbracketed(url.hostname),
      port: url.port,
      path: url.pathname + url.search,
      headers: request.headers,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
  }

  return {
    async send(request) {
      if (request.signal?.aborted) throw new HttpClientError('aborted', 'the request was aborted')
      return exchange(open(request), request, closing)
    },

    close() {
      for (const abort of closing) abort()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Only webhooks are refused for these reasons. */
const HOW_TO_ALLOW = 'for development, WEBHOOK_ALLOW_PRIVATE allows it'

function parseUrl(text: string, allowPrivate: boolean): { url: URL; scheme: 'http:' | 'https:' } {
  const url = URL.parse(text)
  if (!url) throw new HttpClientError('refused', 'not an absolute URL')
  const scheme = url.protocol
  if (scheme !== 'https:' && !(allowPrivate && scheme === 'http:')) {
    throw new HttpClientError('refused', `the URL is not https; ${HOW_TO_ALLOW}`)
  }
  if (url.username !== '' || url.password !== '') throw new HttpClientError('refused', 'the URL holds credentials')
  const host = unbracketed(url.hostname)
  // The URL parser has normalised every notation of an IP address (hex, octal, single number).
  const reason = isIP(host) !== 0 && !allowPrivate ? blockedReason(host) : null
  if (reason !== null) throw new HttpClientError('refused', `the address is not public (${reason}); ${HOW_TO_ALLOW}`)
  return { url, scheme }
}

/** Resolves a name. Rejects it if any of its addresses is not public. */
function checkedLookup(resolve: ResolveName, allowPrivate: boolean): LookupFunction {
  async function resolveChecked(name: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(name).catch(() => [])
    if (addresses.length === 0) throw new HttpClientError('unresolved', 'the name has no address')
    const blocked = allowPrivate ? undefined : addresses.map(blockedReason).find(reason => reason !== null)
    // The message leaves out the address: otherwise a caller could read names of an internal network.
    if (blocked !== undefined)
      throw new HttpClientError('refused', `the name resolves to a non-public address (${blocked}); ${HOW_TO_ALLOW}`)
    return addresses.map(address => ({ address, family: isIP(address) }))
  }

  return (name, { all }, callback) => {
    resolveChecked(name).then(
      found => (all === true ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      error => callback(error, []),
    )
  }
}

/** Sends the request and reads the whole response within its limits. Closes the connection on any error. */
function exchange(client: ClientRequest, request: HttpRequest, closing: Set<() => void>): Promise<HttpResponse> {
  const { deadlineMs, signal } = request
  let reader: ResponseReader | undefined
  return new Promise<HttpResponse>((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(toHttpClientError(error, reader?.response() ?? null))
      client.destroy()
    }
    const abort = () => fail(new HttpClientError('aborted', 'the request was aborted'))
    const onTimeout = () => fail(new HttpClientError('timeout', timeoutMessage(deadlineMs, reader !== undefined)))
    const timer = setTimeout(onTimeout, deadlineMs)
    let interim = 0
    let metered: ReceivedBytes | undefined
    signal?.addEventListener('abort', abort)
    closing.add(abort)

    client.on('socket', socket => {
      metered = meter(socket)
      metered.begin(request.maxBytes, fail)
    })
    client.on('information', () => {
      interim += 1
      if (interim > MAX_INTERIM)
        fail(new HttpClientError('too_large', `more than ${MAX_INTERIM} interim responses (1xx)`))
    })
    client.on('error', fail)
    client.on('upgrade', (_message, socket) => {
      socket.destroy()
      fail(new HttpClientError('not_http', 'the server switched to another protocol'))
    })
    client.on('response', message => {
      reader = new ResponseReader(message, request)
      reader.start(resolve, fail)
    })
    // Emitted last for every request. After a complete response the promise is already resolved.
    client.on('close', () => {
      clearTimeout(timer)
      metered?.end()
      signal?.removeEventListener('abort', abort)
      closing.delete(abort)
      fail(new HttpClientError('reset', 'the connection was closed before the response was complete'))
    })
    client.end(request.body)
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

/** `[::1]` → `::1`: URLs put IPv6 addresses in brackets, sockets do not. */
function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Limits the idle connections of both agents together, with Node's agent hooks. */
class IdleConnectionLimit {
  readonly #idle = new Map<Duplex, () => void>()

  limit<A extends http.Agent>(agent: A): A {
    // Node's types declare no return value, but it returns whether the connection is kept.
    const keepAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => unknown
    const reuse = agent.reuseSocket.bind(agent)
    agent.keepSocketAlive = socket => {
      if (this.#idle.size >= MAX_IDLE || !keepAlive(socket)) return false
      const remove = () => this.#idle.delete(socket)
      this.#idle.set(socket, remove)
      socket.once('close', remove)
      return true
    }
    agent.reuseSocket = (socket, request) => {
      const remove = this.#idle.get(socket)
      if (remove) socket.off('close', remove)
      this.#idle.delete(socket)
      reuse(socket, request)
    }
    return agent
  }
}
