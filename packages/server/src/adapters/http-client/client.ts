import type { ClientRequest } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { unbracketed } from '../../domain/host.ts'
import type { HttpClient, HttpRequest } from '../../ports/http-client.ts'
import { HttpClientError } from '../../ports/http-client.ts'
import { blockedReason } from './blocked-address.ts'
import { exchange } from './exchange.ts'
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
/** Shorter than the first webhook retry delay, so that a retry never reuses the connection of the failed attempt. */
const IDLE_MS = 4_000
/** Before the next address of a name is tried. Node's 250 ms give up servers that are far away. */
const ADDRESS_MS = 1_000
const MAX_IDLE_PER_HOST = 32
const MAX_IDLE = 512

/**
 * HTTP client that connects to public addresses only. Each connection resolves its host name once, checks all resolved
 * addresses and connects to one of them, so DNS rebinding is not possible. TLS (certificate, SNI) and the Host header use
 * the name. Idle connections are reused for the same host; each was checked when it was opened. Responses are parsed as
 * leniently as RFC 9112 lets a user agent: line ends without CR, folded headers, a length beside chunks.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const resolve = options.resolve ?? (options.allowPrivate ? systemResolver : dnsResolver())
  const lookup = checkedLookup(resolve, options.allowPrivate)
  const idle = new IdleConnectionLimit()
  const connecting = { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ADDRESS_MS }
  const kept = { ...connecting, keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_PER_HOST }
  const tls = options.ca === undefined ? {} : { ca: options.ca }
  const agents = {
    'http:': idle.limit(new http.Agent(kept)),
    'https:': idle.limit(new https.Agent({ ...kept, ...tls })),
  }
  /** Their connections serve one request each. */
  const freshAgents = {
    'http:': new http.Agent(connecting),
    'https:': new https.Agent({ ...connecting, ...tls }),
  }
  const closing = new Set<() => void>()

  function open(request: HttpRequest, isFresh: boolean): ClientRequest {
    const { url, scheme } = parseUrl(request.url, options.allowPrivate)
    return (scheme === 'https:' ? https : http).request({
      agent: (isFresh ? freshAgents : agents)[scheme],
      method: request.method,
      hostname: unbracketed(url.hostname),
      port: url.port,
      path: url.pathname + url.search,
      headers: request.headers,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: true,
    })
  }

  return {
    async send(request) {
      if (request.signal?.aborted) throw new HttpClientError('aborted', 'the request was aborted')
      return exchange(isFresh => open(request, isFresh), request, closing)
    },

    close() {
      for (const abort of closing) abort()
      for (const agent of [...Object.values(agents), ...Object.values(freshAgents)]) agent.destroy()
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
