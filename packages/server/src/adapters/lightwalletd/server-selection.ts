import type { ChainProblem } from '../../domain/chain/chain-problem.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { InvalidResponse } from './decode.ts'
import { type ServerInspection, UpgradeNotFollowedError } from './inspection.ts'
import { sessionProblems, sharedProblems } from './problems.ts'
import { raceAbort, retrying } from './retry.ts'
import type { LightwalletServer } from './server.ts'
import {
  isTooFarBehind,
  newSession,
  REVIEW_EVERY_MS,
  recordEstimatedLag,
  recordInspection,
  recordTip,
  type ServerSession,
} from './server-session.ts'

/** Selects the server in use. Each server is inspected before its first response is used. */
export interface ServerSelection {
  /** Changes with every change of the server in use. */
  readonly serverEpoch: number
  /** Problems of the server in use, or of all servers. */
  readonly problems: readonly ChainProblem[]
  /** The current session, or a new one, after its server has passed the inspection. */
  currentSession(signal: AbortSignal): Promise<ServerSession>
  isCurrent(session: ServerSession): boolean
  /** Ends a session. Uses server `to` next; by default the next one in order. Ignores sessions that have ended. */
  endSession(ending: ServerSession, reason: unknown, to?: LightwalletServer): void
  /** Ends the current session, if there is one. */
  endCurrentSession(reason: unknown): void
  /**
   * Inspects the server in use again, at most every `REVIEW_EVERY_MS`. Ends its session when it is refused or another
   * good server is ahead.
   * @param height the tip that the server has just reported
   * @throws the reason for which the session has ended
   */
  review(current: ServerSession, height: number, signal: AbortSignal): Promise<void>
  /** The other servers that pass their inspection, highest first. */
  probe(current: ServerSession, signal: AbortSignal): Promise<{ server: LightwalletServer; height: number }[]>
  close(): void
}

/** Deadline for the other servers: one that hangs must not delay the server in use. */
export const PROBE_DEADLINE_MS = 5_000

export function createServerSelection(deps: {
  /** At least one, in order of preference. */
  readonly servers: readonly LightwalletServer[]
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly log: Log
}): ServerSelection {
  const { servers, params, clock, log } = deps
  const closing = new AbortController()
  /** The upgrade that each server did not follow at its last inspection. */
  const upgradesNotFollowed = new Map<LightwalletServer, string>()
  let next = 0
  let session: ServerSession | null = null
  let serverEpoch = 0
  let reviewedAtMs = clock.nowMs()

  function startSession(server: LightwalletServer): ServerSession {
    const ended = new AbortController()
    const signal = AbortSignal.any([closing.signal, ended.signal])
    const inspection = retrying(() => inspect(server, signal), clock, signal)
    const started = newSession(server, inspection, ended, clock.nowMs())
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

  async function currentSession(signal: AbortSignal): Promise<ServerSession> {
    signal.throwIfAborted()
    session ??= startSession(servers[next]!)
    const current = session
    await raceAbort(current.inspection, signal)
    return current
  }

  function endSession(ending: ServerSession, reason: unknown, to?: LightwalletServer): void {
    if (session !== ending || closing.signal.aborted) return
    session = null
    serverEpoch += 1
    next = to ? servers.indexOf(to) : (servers.indexOf(ending.server) + 1) % servers.length
    ending.ended.abort(new Error('the chain server is no longer in use'))
    const details = { server: ending.server.name, next: servers[next]!.name, err: reason }
    log.warn(details, servers.length > 1 ? 'switching to the next chain server' : 'the chain server failed')
  }

  async function probe(current: ServerSession, signal: AbortSignal) {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_DEADLINE_MS)])
    const others = servers.filter(server => server !== current.server)
    const inspections = await Promise.allSettled(others.map(server => inspect(server, deadline)))
    return inspections
      .flatMap((result, index) =>
        result.status === 'fulfilled' ? [{ server: others[index]!, height: result.value.height }] : [],
      )
      .sort((a, b) => b.height - a.height)
  }

  async function review(current: ServerSession, height: number, signal: AbortSignal): Promise<void> {
    recordTip(current, height, clock.nowMs())
    if (Math.abs(clock.nowMs() - reviewedAtMs) < REVIEW_EVERY_MS) return
    reviewedAtMs = clock.nowMs()
    await reinspect(current, signal)
    if (servers.length === 1) return
    const [best] = await probe(current, signal)
    const lag = best ? best.height - height : 0
    if (!isTooFarBehind(current, height, lag, clock.nowMs()) || !best) return
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
    const upgrade = recordInspection(current, inspection, params, clock.nowMs())
    if (upgrade !== null) upgradesNotFollowed.set(current.server, upgrade)
  }

  function problems(): ChainProblem[] {
    if (session) return sessionProblems(session, upgradesNotFollowed.get(session.server))
    const inOrderOfUse = [...servers.slice(next), ...servers.slice(0, next)]
    return sharedProblems(inOrderOfUse.map(server => upgradesNotFollowed.get(server)))
  }

  return {
    get serverEpoch() {
      return serverEpoch
    },

    get problems() {
      return problems()
    },

    currentSession,
    isCurrent: candidate => session === candidate,
    endSession,

    endCurrentSession(reason) {
      if (session) endSession(session, reason)
    },

    review,
    probe,
    close: () => closing.abort(new Error('closing')),
  }
}
