import type { ClientRequest, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../ports/http-client.ts'
import { OutboundError } from '../../ports/http-client.ts'
import { refusalOf } from './blocked-address.ts'
import { outboundErrorOf } from './error.ts'
import type { Resolve } from './resolver.ts'
import { publicNames, systemNames } from './resolver.ts'

export interface OutboundOptions {
  /** For development: plain http, and addresses that are not public. */
  readonly allowPrivate: boolean
  /** How names become addresses. Default: the name servers; for development the operating system. */
  readonly resolve?: Resolve
  /** Certificate authorities to trust instead of the well-known ones, PEM. */
  readonly ca?: string
}

const MAX_HEADER_BYTES = 16 * 1024
/** Below the first retry's pause, so that no attempt meets a connection that a failed one left behind. */
const IDLE_MS = 4_000
const MAX_IDLE_PER_RECEIVER = 32
const MAX_IDLE = 512

/**
 * One look-up for each connection, whose answer is judged as a whole and then is what is connected to: a name cannot
 * change its address in between. The name stays with TLS (certificate, SNI) and the Host header. Connections are kept
 * for the next request to the same receiver; each was judged when it was made.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const resolve = options.resolve ?? (options.allowPrivate ? systemNames : publicNames())
  const lookup = judgedLookup(resolve, options.allowPrivate)
  const idle = new IdleBound()
  const shared = { keepAlive: true, lookup, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_PER_RECEIVER }
  const agents = {
    'http:': idle.watch(new http.Agent(shared)),
    'https:': idle.watch(new https.Agent({ ...shared, ...(options.ca !== undefined && { ca: options.ca }) })),
  }
  const closing = new Set<() => void>()

  function open(request: OutboundRequest): ClientRequest {
    const { url, scheme } = parse(request.url, options.allowPrivate)
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
      if (request.signal?.aborted) throw new OutboundError('aborted', 'given up')
      return exchange(open(request), request, closing)
    },

    close() {
      for (const giveUp of closing) giveUp()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function parse(text: string, allowPrivate: boolean): { url: URL; scheme: 'http:' | 'https:' } {
  const url = URL.parse(text)
  if (!url) throw new OutboundError('refused', 'not an absolute URL')
  const scheme = url.protocol
  if (scheme !== 'https:' && !(allowPrivate && scheme === 'http:')) {
    throw new OutboundError('refused', 'the URL is not https')
  }
  if (url.username !== '' || url.password !== '') throw new OutboundError('refused', 'the URL holds credentials')
  const host = unbracketed(url.hostname)
  // The URL parser has brought every spelling of an address (hex, octal, one number) into its usual form.
  const refusal = isIP(host) !== 0 && !allowPrivate ? refusalOf(host) : null
  if (refusal !== null) throw new OutboundError('refused', `the address is not public (${refusal})`)
  return { url, scheme }
}

/** Resolves a name and lets all its addresses through, or none. */
function judgedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  async function judged(name: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(name).catch(() => [])
    if (addresses.length === 0) throw new OutboundError('unresolved', 'the name has no address')
    const refusal = allowPrivate ? undefined : addresses.map(refusalOf).find(reason => reason !== null)
    // The address itself is not told: names of an inside network would be readable from outside.
    if (refusal !== undefined)
      throw new OutboundError('refused', `the name leads to an address not public (${refusal})`)
    return addresses.map(address => ({ address, family: isIP(address) }))
  }

  return (name, { all }, done) => {
    judged(name).then(
      found => (all === true ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
      error => done(error, []),
    )
  }
}

/** The whole answer, within the deadline and the bounds; whatever goes wrong, the connection is torn down. */
function exchange(client: ClientRequest, request: OutboundRequest, closing: Set<() => void>): Promise<OutboundAnswer> {
  const { deadlineMs, signal } = request
  let reading: Reading | undefined
  return new Promise<OutboundAnswer>((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(outboundErrorOf(error, reading?.answer() ?? null))
      client.destroy()
    }
    const abort = () => fail(new OutboundError('aborted', 'given up'))
    const late = () => fail(new OutboundError('timeout', lateness(deadlineMs, reading !== undefined)))
    const timer = setTimeout(late, deadlineMs)
    signal?.addEventListener('abort', abort)
    closing.add(abort)

    client.on('error', fail)
    client.on('upgrade', (_message, socket) => {
      socket.destroy()
      fail(new OutboundError('not_http', 'the receiver switched to another protocol'))
    })
    client.on('response', message => {
      reading = new Reading(message, request)
      reading.start(resolve, fail)
    })
    // The last event of every request, a successful one's too: then the promise is settled already.
    client.on('close', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      closing.delete(abort)
      fail(new OutboundError('reset', 'the connection was closed before the answer was complete'))
    })
    client.end(request.body)
  })
}

/** An answer's body as it comes in. */
class Reading {
  readonly #message: IncomingMessage
  readonly #maxBytes: number
  readonly #keepBytes: number
  readonly #kept: Buffer[] = []

  constructor(message: IncomingMessage, { maxBytes, keepBytes = maxBytes }: OutboundRequest) {
    this.#message = message
    this.#maxBytes = maxBytes
    this.#keepBytes = keepBytes
  }

  start(done: (answer: OutboundAnswer) => void, fail: (error: unknown) => void): void {
    const message = this.#message
    const tooLarge = () => fail(new OutboundError('too_large', `the answer is larger than ${this.#maxBytes} bytes`))
    let length = 0
    message.on('data', (chunk: Buffer) => {
      const room = this.#keepBytes - length
      if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)))
      length += chunk.length
      if (length > this.#maxBytes) tooLarge()
    })
    message.on('error', fail)
    message.on('end', () => done(this.answer()))
    if (Number(message.headers['content-length'] ?? 0) > this.#maxBytes) tooLarge()
  }

  answer(): OutboundAnswer {
    const headers = Object.entries(this.#message.headersDistinct)
    return {
      status: this.#message.statusCode ?? 0,
      headers: Object.fromEntries(headers.map(([name, values]) => [name, values?.join(', ') ?? ''])),
      body: Buffer.concat(this.#kept),
    }
  }
}

function lateness(deadlineMs: number, begun: boolean): string {
  return `${begun ? 'no complete answer' : 'no answer'} within ${deadlineMs / 1000} s`
}

/** `[::1]` → `::1`: URLs wrap such addresses, sockets do not. */
function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Bounds the idle connections of all receivers together, by Node's own hooks for agents. */
class IdleBound {
  readonly #idle = new Map<Duplex, () => void>()

  watch<A extends http.Agent>(agent: A): A {
    // Node's types have it return nothing; it says whether the connection is kept.
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => unknown
    const reuse = agent.reuseSocket.bind(agent)
    agent.keepSocketAlive = socket => {
      if (this.#idle.size >= MAX_IDLE || !keep(socket)) return false
      const forget = () => this.#idle.delete(socket)
      this.#idle.set(socket, forget)
      socket.once('close', forget)
      return true
    }
    agent.reuseSocket = (socket, request) => {
      const forget = this.#idle.get(socket)
      if (forget) socket.off('close', forget)
      this.#idle.delete(socket)
      reuse(socket, request)
    }
    return agent
  }
}
