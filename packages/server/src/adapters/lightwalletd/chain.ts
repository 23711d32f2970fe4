import type { CompactTransaction } from '../../domain/chain.ts'
import type { ChainProblem } from '../../domain/chain-problem.ts'
import { blockSpacingSecs, type ConsensusParams, nextUpgrade } from '../../domain/network-upgrade.ts'
import type { Chain, Clock, Log } from '../../ports.ts'
import { BadAnswer } from './decode.ts'
import { type Inspection, UpgradeNotFollowed } from './inspection.ts'
import { connectServer, type Deadlines, isPastTip, isTransient, type Server } from './server.ts'

export interface LightwalletdOptions {
  /** At least one: `https://…`, or `http://…` for HTTP/2 without TLS. */
  readonly urls: readonly string[]
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly log: Log
  readonly deadlines?: Partial<Deadlines>
}

/** The use of one server, from its inspection until it is left for another one. */
interface Session {
  readonly server: Server
  readonly inspected: Promise<unknown>
  readonly left: AbortController
  /** The newest height that it named, and since when (Unix milliseconds). */
  tip: { readonly height: number; readonly sinceMs: number }
  /** Another server is further on, while this one stays at the height (Unix milliseconds). */
  behind: { readonly height: number; readonly sinceMs: number } | null
  /** Its node was ahead of what it served when it was last inspected. */
  nodeWasAhead: boolean
  /** Blocks that its node stays ahead of it; 0 where it does not. */
  blocksBehindNode: number
  /** Blocks that its node guesses to be behind its network, where that is worth a warning; else 0. */
  estimatedLag: number
  /** Readings of its mempool that failed in a row. */
  mempoolFailures: number
}

const ATTEMPTS = 3
const FIRST_RETRY_MS = 200
const MAX_LAG_BLOCKS = 3
/** How long a server may be behind another by less than that, at one height. */
const MAX_LAG_MS = 60_000
const REVIEW_EVERY_MS = 15_000
/** How long the other servers may take: one that hangs must not delay the one in use. */
const PROBE_MS = 5_000
/** Failures in a row until it counts as a problem that the mempool cannot be read. */
const MEMPOOL_FAILURES = 3
/** A server whose node guesses a lag above this may still be syncing: the guess is a loose one. */
const SYNCING_BLOCKS = 100
/** A server that stays at the last block before an upgrade for so many expected intervals does not follow the upgrade. */
const STUCK_INTERVALS = 20

/**
 * The chain as light-client servers serve it (lightwallet-protocol 0.5.0). One server is used at a time, inspected
 * before its first response counts. When it fails for good, falls behind or is distrusted, another one follows; one that
 * fails to give its mempool is left only for a server that gives both mempool and blocks.
 */
export function createLightwalletd(options: LightwalletdOptions): Chain {
  const { clock, log, params } = options
  const servers = options.urls.map(url => connectServer(url, params, options.deadlines))
  if (servers.length === 0) throw new RangeError('a chain source needs at least one server')
  const closing = new AbortController()
  /** The upgrade that a server was last found not to follow. */
  const notFollowing = new Map<Server, string>()
  let next = 0
  let session: Session | null = null
  let era = 0
  let reviewedAtMs = clock.nowMs()
  let probedAtMs = Number.NEGATIVE_INFINITY

  function begin(server: Server): Session {
    const left = new AbortController()
    const signal = AbortSignal.any([closing.signal, left.signal])
    const inspected = retrying(() => inspect(server, signal), signal)
    const tip = { height: -1, sinceMs: clock.nowMs() }
    const begun: Session = {
      server,
      inspected,
      left,
      tip,
      behind: null,
      nodeWasAhead: false,
      blocksBehindNode: 0,
      estimatedLag: 0,
      mempoolFailures: 0,
    }
    inspected.then(
      inspection => {
        noteEstimate(begun, inspection)
        // It is used all the same; but the others are asked at once whether they are further on.
        if (begun.estimatedLag > 0) reviewedAtMs = Number.NEGATIVE_INFINITY
      },
      error => leave(begun, error),
    )
    return begun
  }

  async function inspect(server: Server, signal: AbortSignal): Promise<Inspection> {
    try {
      const inspection = await server.inspect(signal)
      notFollowing.delete(server)
      return inspection
    } catch (error) {
      if (error instanceof UpgradeNotFollowed) notFollowing.set(server, error.upgrade)
      throw error
    }
  }

  function noteEstimate(current: Session, { estimatedLag }: Inspection): void {
    current.estimatedLag = estimatedLag > SYNCING_BLOCKS ? estimatedLag : 0
  }

  /** The session in use, its server found good. */
  async function inspected(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted()
    session ??= begin(servers[next]!)
    const current = session
    await orAborted(current.inspected, signal)
    return current
  }

  /** Ends a session; without `to`, the next server in order follows. */
  function leave(leaving: Session, reason: unknown, to?: Server): void {
    if (session !== leaving || closing.signal.aborted) return
    session = null
    era += 1
    next = to ? servers.indexOf(to) : (servers.indexOf(leaving.server) + 1) % servers.length
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

  /** The other servers that pass their inspection, the highest first. */
  async function probe(current: Session, signal: AbortSignal): Promise<{ server: Server; height: number }[]> {
    const own = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)])
    const others = servers.filter(server => server !== current.server)
    const inspections = await Promise.allSettled(others.map(server => inspect(server, own)))
    return inspections
      .flatMap((result, index) =>
        result.status === 'fulfilled' ? [{ server: others[index]!, height: result.value.height }] : [],
      )
      .sort((a, b) => b.height - a.height)
  }

  /** Inspects the server in use again, and leaves it when it has to be refused or another good one is further on. */
  async function review(current: Session, height: number, signal: AbortSignal): Promise<void> {
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
    const error = new Error(`the chain server is ${lag} blocks behind another`)
    leave(current, error, best.server)
    throw error
  }

  async function reinspect(current: Session, signal: AbortSignal): Promise<void> {
    let inspection: Inspection
    try {
      inspection = await inspect(current.server, signal)
    } catch (error) {
      // Only what the server says of itself counts: a call that fails says nothing of the calls that matter.
      if (!(error instanceof BadAnswer)) return
      leave(current, error)
      throw error
    }
    noteEstimate(current, inspection)
    const upgrade = nextUpgrade(params, current.tip.height)
    const stays = inspection.nodeIsAhead && current.nodeWasAhead
    const isBeforeUpgrade = upgrade?.height === current.tip.height + 1 && inspection.height === current.tip.height
    const stuck = isBeforeUpgrade && isStuck(current, stays)
    if (stuck) notFollowing.set(current.server, upgrade.name)
    current.blocksBehindNode = stays && !stuck ? Math.max(1, inspection.blocksBehindNode) : 0
    current.nodeWasAhead = inspection.nodeIsAhead
  }

  /** Whether the server stays at its tip while its node goes on, or for longer than blocks take. A regtest has no pace. */
  function isStuck({ tip }: Session, nodeStaysAhead: boolean): boolean {
    const waitedMs = clock.nowMs() - tip.sinceMs
    const stalled = waitedMs > STUCK_INTERVALS * blockSpacingSecs(params, tip.height) * 1000
    return (nodeStaysAhead && waitedMs >= REVIEW_EVERY_MS) || (params.network !== 'regtest' && stalled)
  }

  /** The mempool of another server, which is used from now on; null where none gives its mempool and equal blocks. */
  async function mempoolElsewhere(current: Session, reason: unknown, signal: AbortSignal) {
    if (servers.length === 1 || Math.abs(clock.nowMs() - probedAtMs) < REVIEW_EVERY_MS) return null
    probedAtMs = clock.nowMs()
    for (const { server, height } of await probe(current, signal)) {
      if (height < current.tip.height - MAX_LAG_BLOCKS) continue
      const own = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)])
      const transactions = await server.mempool(own).catch(() => null)
      if (!transactions || session !== current) continue
      leave(current, reason, server)
      return transactions
    }
    return null
  }

  async function mempoolSnapshot(signal: AbortSignal): Promise<CompactTransaction[]> {
    const current = await inspected(signal)
    try {
      const transactions = await retrying(() => current.server.mempool(signal), signal)
      current.mempoolFailures = 0
      return transactions
    } catch (error) {
      if (signal.aborted) throw error
      current.mempoolFailures += 1
      if (current.mempoolFailures === 1)
        log.warn({ server: current.server.name, err: error }, 'the mempool could not be read')
      const transactions = await mempoolElsewhere(current, error, signal)
      if (transactions) return transactions
      throw error
    }
  }

  function problems(): ChainProblem[] {
    if (!session) {
      // Between two sessions only what is true of every server is known.
      const nobodyFollows = servers.every(server => notFollowing.has(server))
      return nobodyFollows ? notFollowed(servers[next]!) : []
    }
    const { server, mempoolFailures, blocksBehindNode, estimatedLag } = session
    const found = notFollowed(server)
    if (mempoolFailures >= MEMPOOL_FAILURES) found.unshift({ problem: 'mempool_unreadable' })
    if (blocksBehindNode > 0) found.push({ problem: 'not_synced', blocks: blocksBehindNode })
    if (estimatedLag > 0) found.push({ problem: 'estimated_lag', blocks: estimatedLag })
    return found
  }

  function notFollowed(server: Server): ChainProblem[] {
    const upgrade = notFollowing.get(server)
    return upgrade === undefined ? [] : [{ problem: 'upgrade_not_followed', upgrade }]
  }

  return {
    async tip(signal) {
      const current = await inspected(signal)
      let height: number
      try {
        height = await retrying(() => current.server.latestHeight(signal), signal)
      } catch (error) {
        if (!signal.aborted) leave(current, error)
        throw error
      }
      if (session === current) await review(current, height, signal)
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
        yield* current.server.mempoolStream(AbortSignal.any([signal, current.left.signal]))
      } catch (error) {
        // A server is not left for it: its whole mempool is read at each sync all the same.
        if (!signal.aborted && !current.left.signal.aborted) throw error
      }
    },

    mempoolSnapshot,

    get era() {
      return era
    },

    get problems() {
      return problems()
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
