import { backoffMs } from '../../domain/backoff.ts'
import type { CompactTransaction } from '../../domain/chain.ts'
import type { ChainProblem } from '../../domain/chain-problem.ts'
import { blockSpacingSecs, type ConsensusParams, nextUpgrade } from '../../domain/network-upgrade.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { InvalidResponse } from './decode.ts'
import { type ServerInspection, UpgradeNotFollowedError } from './inspection.ts'
import { type CallDeadlines, connectServer, isPastTip, isTransient, type LightwalletServer } from './server.ts'

export interface LightwalletdOptions {
  /** At least one: `https://…`, or `http://…` for HTTP/2 without TLS. */
  readonly urls: readonly string[]
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly log: Log
  readonly deadlines?: Partial<CallDeadlines>
}

/** The use of one server, from its inspection until the switch to another server. */
interface ServerSession {
  readonly server: LightwalletServer
  readonly inspection: Promise<unknown>
  readonly ended: AbortController
  /** The latest height that the server reported, and since when it reports it (Unix milliseconds). */
  tip: { readonly height: number; readonly sinceMs: number }
  /** Set while another server is ahead and this one stays at `height`; since when (Unix milliseconds). */
  behind: { readonly height: number; readonly sinceMs: number } | null
  /** The node was ahead of the server at the last inspection. */
  nodeWasAhead: boolean
  /** Blocks that the server is behind its node in consecutive inspections; else 0. */
  blocksBehindNode: number
  /** Blocks that the node estimates to be behind its network, if above SYNCING_BLOCKS; else 0. */
  estimatedLag: number
  /** Consecutive failed mempool reads. */
  mempoolFailures: number
}

const ATTEMPTS = 3
const BACKOFF = { firstMs: 200, maxMs: 10_000 }
const MAX_LAG_BLOCKS = 3
/** How long a server may stay at one height while another is up to MAX_LAG_BLOCKS ahead. */
const MAX_LAG_MS = 60_000
const REVIEW_EVERY_MS = 15_000
/** Deadline for the other servers: one that hangs must not delay the server in use. */
const PROBE_DEADLINE_MS = 5_000
/** Consecutive failures after which `mempool_unreadable` is reported. */
const MAX_MEMPOOL_FAILURES = 3
/** An estimated lag above this is reported: the node may still be syncing. The estimate is imprecise. */
const SYNCING_BLOCKS = 100
/** A server that stays at the last block before an upgrade for this many block intervals does not follow the upgrade. */
const STUCK_INTERVALS = 20

/**
 * Reads the chain from light-client servers (lightwallet-protocol 0.5.0). One server is in use at a time and is
 * inspected before its first response is used. When it fails after all retries, falls behind or is distrusted, the next
 * server replaces it. A server whose mempool cannot be read is replaced only by one that serves both mempool and blocks.
 */
export function createLightwalletd(options: LightwalletdOptions): Chain {
  const { clock, log, params } = options
  const servers = options.urls.map(url => connectServer(url, params, options.deadlines))
  if (servers.length === 0) throw new RangeError('a chain source needs at least one server')
  const closing = new AbortController()
  /** The upgrade that each server did not follow at its last inspection. */
  const upgradesNotFollowed = new Map<LightwalletServer, string>()
  let next = 0
  let session: ServerSession | null = null
  let serverEpoch = 0
  let reviewedAtMs = clock.nowMs()
  let probedAtMs = Number.NEGATIVE_INFINITY

  function startSession(server: LightwalletServer): ServerSession {
    const ended = new AbortController()
    const signal = AbortSignal.any([closing.signal, ended.signal])
    const inspection = retrying(() => inspect(server, signal), signal)
    const tip = { height: -1, sinceMs: clock.nowMs() }
    const started: ServerSession = {
      server,
      inspection,
      ended,
      tip,
      behind: null,
      nodeWasAhead: false,
      blocksBehindNode: 0,
      estimatedLag: 0,
      mempoolFailures: 0,
    }
    inspection.then(
      result => {
        recordEstimatedLag(started, result)
        // The server stays in use, but the next review compares it with the others at once.
        if (started.estimatedLag > 0) reviewedAtMs = Number.NEGATIVE_INFINITY
      },
      error => endSession(started, error),
    )
    return started
  }

  async function inspect(server: LightwalletServer, signal: AbortSignal): Promise<ServerInspection> {
    try {
      const inspection = await server.inspect(signal)
      upgradesNotFollowed.delete(server)
      return inspection
    } catch (error) {
      if (error instanceof UpgradeNotFollowedError) upgradesNotFollowed.set(server, error.upgrade)
      throw error
    }
  }

  function recordEstimatedLag(current: ServerSession, { estimatedLag }: ServerInspection): void {
    current.estimatedLag = estimatedLag > SYNCING_BLOCKS ? estimatedLag : 0
  }

  /** The current session, after its server has passed the inspection. */
  async function currentSession(signal: AbortSignal): Promise<ServerSession> {
    signal.throwIfAborted()
    session ??= startSession(servers[next]!)
    const current = session
    await raceAbort(current.inspection, signal)
    return current
  }

  /** Ends a session. Uses server `to` next; by default the next one in order. */
  function endSession(ending: ServerSession, reason: unknown, to?: LightwalletServer): void {
    if (session !== ending || closing.signal.aborted) return
    session = null
    serverEpoch += 1
    next = to ? servers.indexOf(to) : (servers.indexOf(ending.server) + 1) % servers.length
    ending.ended.abort(new Error('the chain server is no longer in use'))
    const details = { server: ending.server.name, next: servers[next]!.name, err: reason }
    log.warn(details, servers.length > 1 ? 'switching to the next chain server' : 'the chain server failed')
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

  /** The other servers that pass their inspection, highest first. */
  async function probe(
    current: ServerSession,
    signal: AbortSignal,
  ): Promise<{ server: LightwalletServer; height: number }[]> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_DEADLINE_MS)])
    const others = servers.filter(server => server !== current.server)
    const inspections = await Promise.allSettled(others.map(server => inspect(server, deadline)))
    return inspections
      .flatMap((result, index) =>
        result.status === 'fulfilled' ? [{ server: others[index]!, height: result.value.height }] : [],
      )
      .sort((a, b) => b.height - a.height)
  }

  /** Inspects the server in use again. Ends its session when it is refused or another good server is ahead. */
  async function review(current: ServerSession, height: number, signal: AbortSignal): Promise<void> {
    if (height !== current.tip.height) current.tip = { height, sinceMs: clock.nowMs() }
    if (Math.abs(clock.nowMs() - reviewedAtMs) < REVIEW_EVERY_MS) return
    reviewedAtMs = clock.nowMs()
    await reinspect(current, signal)
    if (servers.length === 1) return
    const [best] = await probe(current, signal)
    const lag = best ? best.height - height : 0
    if (lag <= 0) current.behind = null
    else if (current.behind?.height !== height) current.behind = { height, sinceMs: clock.nowMs() }
    const behindMs = current.behind ? clock.nowMs() - current.behind.sinceMs : 0
    if (!best || (lag <= MAX_LAG_BLOCKS && behindMs < MAX_LAG_MS)) return
    const error = new Error(`the chain server is ${lag} blocks behind another server`)
    endSession(current, error, best.server)
    throw error
  }

  async function reinspect(current: ServerSession, signal: AbortSignal): Promise<void> {
    let inspection: ServerInspection
    try {
      inspection = await inspect(current.server, signal)
    } catch (error) {
      // Only an invalid report ends the session. A failed inspection call does not mean that other calls fail.
      if (!(error instanceof InvalidResponse)) return
      endSession(current, error)
      throw error
    }
    recordEstimatedLag(current, inspection)
    const upgrade = nextUpgrade(params, current.tip.height)
    const nodeStaysAhead = inspection.nodeIsAhead && current.nodeWasAhead
    const isBeforeUpgrade = upgrade?.height === current.tip.height + 1 && inspection.height === current.tip.height
    const stuck = isBeforeUpgrade && isStuck(current, nodeStaysAhead)
    if (stuck) upgradesNotFollowed.set(current.server, upgrade.name)
    current.blocksBehindNode = nodeStaysAhead && !stuck ? Math.max(1, inspection.blocksBehindNode) : 0
    current.nodeWasAhead = inspection.nodeIsAhead
  }

  /** Whether the server stays at its tip while its node advances, or for too long. Regtest has no block interval. */
  function isStuck({ tip }: ServerSession, nodeStaysAhead: boolean): boolean {
    const waitedMs = clock.nowMs() - tip.sinceMs
    const stalled = waitedMs > STUCK_INTERVALS * blockSpacingSecs(params, tip.height) * 1000
    return (nodeStaysAhead && waitedMs >= REVIEW_EVERY_MS) || (params.network !== 'regtest' && stalled)
  }

  /** Switches to another server that serves its mempool and equal blocks. Returns that mempool; null if there is none. */
  async function mempoolFromOtherServer(current: ServerSession, reason: unknown, signal: AbortSignal) {
    if (servers.length === 1 || Math.abs(clock.nowMs() - probedAtMs) < REVIEW_EVERY_MS) return null
    probedAtMs = clock.nowMs()
    for (const { server, height } of await probe(current, signal)) {
      if (height < current.tip.height - MAX_LAG_BLOCKS) continue
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_DEADLINE_MS)])
      const transactions = await server.mempool(deadline).catch(() => null)
      if (!transactions || session !== current) continue
      endSession(current, reason, server)
      return transactions
    }
    return null
  }

  async function mempoolSnapshot(signal: AbortSignal): Promise<CompactTransaction[]> {
    const current = await currentSession(signal)
    try {
      const transactions = await retrying(() => current.server.mempool(signal), signal)
      current.mempoolFailures = 0
      return transactions
    } catch (error) {
      if (signal.aborted) throw error
      current.mempoolFailures += 1
      if (current.mempoolFailures === 1)
        log.warn({ server: current.server.name, err: error }, 'the mempool could not be read')
      const transactions = await mempoolFromOtherServer(current, error, signal)
      if (transactions) return transactions
      throw error
    }
  }

  function problems(): ChainProblem[] {
    if (!session) {
      // Without a session, only problems that all servers share are reported.
      const noneFollows = servers.every(server => upgradesNotFollowed.has(server))
      return noneFollows ? upgradeProblem(servers[next]!) : []
    }
    const { server, mempoolFailures, blocksBehindNode, estimatedLag } = session
    const found = upgradeProblem(server)
    if (mempoolFailures >= MAX_MEMPOOL_FAILURES) found.unshift({ problem: 'mempool_unreadable' })
    if (blocksBehindNode > 0) found.push({ problem: 'not_synced', blocks: blocksBehindNode })
    if (estimatedLag > 0) found.push({ problem: 'estimated_lag', blocks: estimatedLag })
    return found
  }

  function upgradeProblem(server: LightwalletServer): ChainProblem[] {
    const upgrade = upgradesNotFollowed.get(server)
    return upgrade === undefined ? [] : [{ problem: 'upgrade_not_followed', upgrade }]
  }

  return {
    async tip(signal) {
      const current = await currentSession(signal)
      let height: number
      try {
        height = await retrying(() => current.server.latestHeight(signal), signal)
      } catch (error) {
        if (!signal.aborted) endSession(current, error)
        throw error
      }
      if (session === current) await review(current, height, signal)
      return height
    },

    async *blocks(from, to, signal) {
      const current = await currentSession(signal)
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
            if (!signal.aborted) endSession(current, error)
            throw error
          }
          await clock.sleep(retryMs(attempt), signal)
        }
      }
    },

    async *mempool(signal) {
      const current = await currentSession(signal)
      try {
        yield* current.server.mempoolStream(AbortSignal.any([signal, current.ended.signal]))
      } catch (error) {
        // The session goes on: each sync reads the whole mempool anyway.
        if (!signal.aborted && !current.ended.signal.aborted) throw error
      }
    },

    mempoolSnapshot,

    get serverEpoch() {
      return serverEpoch
    },

    get problems() {
      return problems()
    },

    abandonServer(reason) {
      if (session) endSession(session, new Error(reason))
    },

    async close() {
      closing.abort(new Error('closing'))
      for (const server of servers) server.close()
    },
  }
}

/** A random time between half and all of the exponential backoff. */
function retryMs(attempt: number): number {
  return backoffMs(attempt, BACKOFF, Math.random())
}

/** Settles like `work`, or rejects with the signal's reason when it aborts first. */
async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
