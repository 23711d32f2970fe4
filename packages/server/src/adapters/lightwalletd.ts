import type { Network } from '../domain/account.ts'
import type { Chain, Clock, Log } from '../ports.ts'
import { connectServer, type Deadlines, isPastTip, isTransient, type Server } from './lightwalletd-server.ts'

export interface LightwalletdOptions {
  /** At least one: `https://…`, or `http://…` for HTTP/2 without TLS. */
  readonly urls: readonly string[]
  readonly network: Network
  /** First block of NU6.3; null: never. */
  readonly nu63Height: number | null
  readonly clock: Clock
  readonly log: Log
  readonly deadlines?: Partial<Deadlines>
}

/** The use of one server, from its inspection until it is left for the next one. */
interface Session {
  readonly server: Server
  readonly inspected: Promise<unknown>
  readonly left: AbortController
  /** Mempool streams that failed since one brought something. */
  mempoolFailures: number
}

const ATTEMPTS = 3
const FIRST_RETRY_MS = 200
const MAX_LAG_BLOCKS = 3
const COMPARE_EVERY_MS = 15_000
const MAX_MEMPOOL_FAILURES = 3

/**
 * The chain as light-client servers tell it (lightwallet-protocol 0.5.0). One server is used at a time, inspected
 * before its first answer counts; when it fails for good, falls behind or is distrusted, the next one follows.
 */
export function createLightwalletd(options: LightwalletdOptions): Chain {
  const { clock, log } = options
  const servers = options.urls.map(url => connectServer(url, options, options.deadlines))
  if (servers.length === 0) throw new RangeError('a chain source needs at least one server')
  const closing = new AbortController()
  let next = 0
  let session: Session | null = null
  let era = 0
  let comparedAtMs = clock.nowMs()

  function begin(): Session {
    const server = servers[next % servers.length]!
    const left = new AbortController()
    const signal = AbortSignal.any([closing.signal, left.signal])
    const begun = { server, inspected: retrying(() => server.inspect(signal), signal), left, mempoolFailures: 0 }
    begun.inspected.catch(error => leave(begun, error))
    return begun
  }

  /** The session in use, its server found good. */
  async function inspected(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted()
    session ??= begin()
    const current = session
    await orAborted(current.inspected, signal)
    return current
  }

  function leave(leaving: Session, reason: unknown): void {
    if (session !== leaving || closing.signal.aborted) return
    session = null
    era += 1
    next = (servers.indexOf(leaving.server) + 1) % servers.length
    leaving.left.abort(new Error('the server was left'))
    const details = { server: leaving.server.name, next: servers[next]!.name, err: reason }
    log.warn(details, servers.length > 1 ? 'leaving a chain server for the next' : 'the chain server failed')
  }

  async function retrying<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error, signal)) throw error
        await clock.sleep(retryMs(attempt), signal)
      }
    }
  }

  /** A call on the server in use; one that fails for good leaves it. */
  async function ask<T>(signal: AbortSignal, call: (server: Server, signal: AbortSignal) => Promise<T>): Promise<T> {
    const current = await inspected(signal)
    try {
      return await retrying(() => call(current.server, signal), signal)
    } catch (error) {
      if (!signal.aborted) leave(current, error)
      throw error
    }
  }

  /** Leaves the server in use when another good one is further on. */
  async function compare(current: Session, height: number, signal: AbortSignal): Promise<void> {
    if (servers.length === 1 || clock.nowMs() - comparedAtMs < COMPARE_EVERY_MS) return
    comparedAtMs = clock.nowMs()
    const others = servers.filter(server => server !== current.server)
    const inspections = await Promise.allSettled(others.map(server => server.inspect(signal)))
    const heights = inspections.flatMap(other => (other.status === 'fulfilled' ? [other.value.height] : []))
    const lag = Math.max(...heights, height) - height
    if (lag <= MAX_LAG_BLOCKS) return
    const error = new Error(`the chain server is ${lag} blocks behind another`)
    leave(current, error)
    throw error
  }

  return {
    async tip(signal) {
      const height = await ask(signal, (server, own) => server.latestHeight(own))
      const current = session
      if (current) await compare(current, height, signal)
      return height
    },

    async *blocks(from, to, signal) {
      const current = await inspected(signal)
      let wanted = from
      for (let attempt = 1; wanted <= to; attempt++) {
        try {
          for await (const block of current.server.blocks(wanted, to, signal)) {
            yield block
            wanted = block.height + 1
            attempt = 1
          }
          return
        } catch (error) {
          if (isPastTip(error)) return
          if (attempt === ATTEMPTS || !isTransient(error, signal)) {
            if (!signal.aborted) leave(current, error)
            throw error
          }
          await clock.sleep(retryMs(attempt), signal)
        }
      }
    },

    async *mempool(signal) {
      const current = await inspected(signal)
      try {
        for await (const raw of current.server.mempoolStream(AbortSignal.any([signal, current.left.signal]))) {
          current.mempoolFailures = 0
          yield raw
        }
        current.mempoolFailures = 0
      } catch (error) {
        if (signal.aborted || current.left.signal.aborted) return
        if (++current.mempoolFailures >= MAX_MEMPOOL_FAILURES) leave(current, error)
        throw error
      }
    },

    mempoolSnapshot: signal => ask(signal, (server, own) => server.mempool(own)),

    get era() {
      return era
    },

    distrust(reason) {
      if (session) leave(session, new Error(reason))
    },

    async close() {
      closing.abort(new Error('closing'))
      for (const server of servers) server.close()
    },
  }
}

/** Between half and all of the doubled time. */
function retryMs(attempt: number): number {
  return FIRST_RETRY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
}

/** `work`, or the signal's reason, whichever is first. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
