import { blockSpacingSecs, type ConsensusParams, nextUpgrade } from '../../domain/chain/network-upgrade.ts'
import type { ServerInspection } from './inspection.ts'
import type { LightwalletServer } from './server.ts'

/** The use of one server, from its inspection until the switch to another server. Times in Unix milliseconds. */
export interface ServerSession {
  readonly server: LightwalletServer
  readonly inspection: Promise<unknown>
  readonly ended: AbortController
  /** The latest height that the server reported, and since when it reports it. */
  tip: { readonly height: number; readonly sinceMs: number }
  /** Set while another server is ahead and this one stays at `height`; since when. */
  behind: { readonly height: number; readonly sinceMs: number } | null
  /** The node was ahead of the server at the last inspection. */
  nodeWasAhead: boolean
  /** Blocks that the server is behind its node in consecutive inspections; else 0. */
  blocksBehindNode: number
  /** Blocks that the node estimates to be behind its network, if above SYNCING_BLOCKS; else 0. */
  estimatedLag: number
  /** Consecutive failed mempool reads. */
  mempoolFailures: number
  /** Consecutive failed mempool streams. They fail too when a cached list hides that the mempool cannot be read. */
  streamFailures: number
}

export const MAX_LAG_BLOCKS = 3
/** How long a server may stay at one height while another is up to MAX_LAG_BLOCKS ahead. */
const MAX_LAG_MS = 60_000
export const REVIEW_EVERY_MS = 15_000
/** An estimated lag above this is reported: the node may still be syncing. The estimate is imprecise. */
const SYNCING_BLOCKS = 100
/** A server that stays at the last block before an upgrade for this many block intervals does not follow the upgrade. */
const STUCK_INTERVALS = 20

export function newSession(
  server: LightwalletServer,
  inspection: Promise<unknown>,
  ended: AbortController,
  nowMs: number,
): ServerSession {
  return {
    server,
    inspection,
    ended,
    tip: { height: -1, sinceMs: nowMs },
    behind: null,
    nodeWasAhead: false,
    blocksBehindNode: 0,
    estimatedLag: 0,
    mempoolFailures: 0,
    streamFailures: 0,
  }
}

export function recordTip(session: ServerSession, height: number, nowMs: number): void {
  if (height !== session.tip.height) session.tip = { height, sinceMs: nowMs }
}

export function recordEstimatedLag(session: ServerSession, { estimatedLag }: ServerInspection): void {
  session.estimatedLag = estimatedLag > SYNCING_BLOCKS ? estimatedLag : 0
}

/**
 * Records how far the server is behind its node, from an inspection after the first.
 * @returns the name of the upgrade that the server does not follow: it stays at the last block before it. Null otherwise.
 */
export function recordInspection(
  session: ServerSession,
  inspection: ServerInspection,
  params: ConsensusParams,
  nowMs: number,
): string | null {
  recordEstimatedLag(session, inspection)
  const { height } = session.tip
  const upgrade = nextUpgrade(params, height)
  const nodeStaysAhead = inspection.nodeIsAhead && session.nodeWasAhead
  const isBeforeUpgrade = upgrade?.height === height + 1 && inspection.height === height
  const stuck = isBeforeUpgrade && isStuck(session, nodeStaysAhead, params, nowMs)
  session.blocksBehindNode = nodeStaysAhead && !stuck ? Math.max(1, inspection.blocksBehindNode) : 0
  session.nodeWasAhead = inspection.nodeIsAhead
  return stuck ? upgrade.name : null
}

/** Whether the server stays at its tip while its node advances, or for too long. Regtest has no block interval. */
function isStuck({ tip }: ServerSession, nodeStaysAhead: boolean, params: ConsensusParams, nowMs: number): boolean {
  const waitedMs = nowMs - tip.sinceMs
  const stalled = waitedMs > STUCK_INTERVALS * blockSpacingSecs(params, tip.height) * 1000
  return (nodeStaysAhead && waitedMs >= REVIEW_EVERY_MS) || (params.network !== 'regtest' && stalled)
}

/** Compares the server, at `height`, with another that is `lag` blocks ahead. Returns whether it is too far behind. */
export function isTooFarBehind(session: ServerSession, height: number, lag: number, nowMs: number): boolean {
  if (lag <= 0) session.behind = null
  else if (session.behind?.height !== height) session.behind = { height, sinceMs: nowMs }
  const behindMs = session.behind ? nowMs - session.behind.sinceMs : 0
  return lag > MAX_LAG_BLOCKS || behindMs >= MAX_LAG_MS
}
