import type { Block, CompactTransaction } from '../../domain/chain/chain.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import type { Chain, ServerTip, ServerView } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { ATTEMPTS, retrying, retryMs } from './retry.ts'
import {
  type CallDeadlines,
  connectServer,
  isPastTip,
  isTransient,
  isUnimplemented,
  type LightwalletServer,
} from './server.ts'
import { createServerSelection, PROBE_DEADLINE_MS } from './server-selection.ts'
import { MAX_LAG_BLOCKS, REVIEW_EVERY_MS, type ServerSession } from './server-session.ts'

export interface LightwalletdOptions {
  /** At least one: `https://…`, or `http://…` for HTTP/2 without TLS. */
  readonly urls: readonly string[]
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly log: Log
  readonly deadlines?: Partial<CallDeadlines>
}

/** Reads the chain from the light-client servers (lightwallet-protocol 0.5.0) at these URLs. */
export function createLightwalletd({ urls, deadlines, ...options }: LightwalletdOptions): Chain {
  return createServerChain({ ...options, servers: urls.map(url => connectServer(url, options.params, deadlines)) })
}

/**
 * Reads the chain from several servers. One server is in use at a time and is inspected before its first response is
 * used. When it fails after all retries, falls behind or is distrusted, the next server replaces it. A server whose
 * mempool cannot be read is replaced only by one that serves both mempool and blocks.
 */
export function createServerChain({
  servers,
  params,
  clock,
  log,
}: {
  /** At least one, in order of preference. The chain closes them. */
  readonly servers: readonly LightwalletServer[]
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly log: Log
}): Chain {
  if (servers.length === 0) throw new RangeError('a chain source needs at least one server')
  const selection = createServerSelection({ servers, params, clock, log })
  const { currentSession, endSession } = selection
  let probedAtMs = Number.NEGATIVE_INFINITY
  /** Servers that could not be compared the last time. */
  const notCompared = new Set<LightwalletServer>()

  /** Switches to another server that serves its mempool and equal blocks. Returns that mempool; null if there is none. */
  async function mempoolFromOtherServer(current: ServerSession, reason: unknown, signal: AbortSignal) {
    if (servers.length === 1 || Math.abs(clock.nowMs() - probedAtMs) < REVIEW_EVERY_MS) return null
    probedAtMs = clock.nowMs()
    for (const { server, height } of await selection.probe(current, signal)) {
      if (height < current.tip.height - MAX_LAG_BLOCKS) continue
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_DEADLINE_MS)])
      const transactions = await server.mempool(deadline).catch(() => null)
      if (!transactions || !selection.isCurrent(current)) continue
      endSession(current, reason, server)
      return transactions
    }
    return null
  }

  async function mempoolSnapshot(signal: AbortSignal): Promise<CompactTransaction[]> {
    const current = await currentSession(signal)
    try {
      const transactions = await retrying(() => current.server.mempool(signal), clock, signal)
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

  /** Logs when a server can no longer be compared, and when it can again. */
  function reportView(server: LightwalletServer, view: PromiseSettledResult<ServerView>): void {
    const { name } = server
    if (view.status === 'fulfilled') {
      if (notCompared.delete(server)) log.info({ server: name }, 'the chain server is compared with the others again')
    } else if (!notCompared.has(server)) {
      notCompared.add(server)
      log.warn({ server: name, err: view.reason }, 'the chain server cannot be compared with the others')
    }
  }

  return {
    async tip(signal) {
      const current = await currentSession(signal)
      let tip: ServerTip
      try {
        tip = await retrying(() => current.server.tip(signal), clock, signal)
      } catch (error) {
        if (!signal.aborted) endSession(current, error)
        throw error
      }
      if (selection.isCurrent(current)) await selection.review(current, tip.height, signal)
      return tip
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
        for await (const raw of current.server.mempoolStream(AbortSignal.any([signal, current.ended.signal]))) {
          current.streamFailures = 0
          yield raw
        }
        current.streamFailures = 0
      } catch (error) {
        if (signal.aborted || current.ended.signal.aborted || isUnimplemented(error)) return
        // The session goes on: each sync reads the whole mempool anyway.
        current.streamFailures += 1
        throw error
      }
    },

    mempoolSnapshot,

    servers: servers.length,

    async views(from, to, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_DEADLINE_MS)])
      const views = await Promise.allSettled(servers.map(server => viewOf(server, from, to, deadline)))
      for (const [index, view] of views.entries()) if (!signal.aborted) reportView(servers[index]!, view)
      return views.flatMap(view => (view.status === 'fulfilled' ? [view.value] : []))
    },

    get serverEpoch() {
      return selection.serverEpoch
    },

    get problems() {
      return selection.problems
    },

    abandonServer(reason) {
      selection.endCurrentSession(new Error(reason))
    },

    async close() {
      selection.close()
      for (const server of servers) server.close()
    },
  }
}

/** Limits what is held and scanned of one server at a time. The blocks that are left out are compared later. */
const MAX_VIEW_ACTIONS = 4_000

async function viewOf(server: LightwalletServer, from: number, to: number, signal: AbortSignal): Promise<ServerView> {
  const { height } = await server.inspect(signal)
  const mempool = await server.mempool(signal).catch(() => null)
  const blocks: Block[] = []
  const last = Math.min(to, height)
  let actions = 0
  if (from > last) return { height, mempool, blocks }
  for await (const block of server.blocks(from, last, signal)) {
    blocks.push(block)
    for (const { orchard, ironwood } of block.transactions) actions += orchard.length + ironwood.length
    if (actions >= MAX_VIEW_ACTIONS) break
  }
  return { height, mempool, blocks }
}
