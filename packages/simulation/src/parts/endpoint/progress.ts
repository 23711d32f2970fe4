import type { Problem } from '../webhook/progress.ts'
import {
  type EndpointClaim,
  type EndpointDeliveryRow,
  type EndpointRow,
  isActive,
  type KnownEndpointDelivery,
} from './ledger.ts'

/** An attempt counts as lost this long after its claim. */
const LEASE_MS = 15_000
const MAX_ATTEMPTS = 4
const STANDARD_MS = [10_000, 60_000, 300_000] as const
const HOUR_MS = 3_600_000
const PERSISTENT_MS = [10_000, 60_000, 300_000, HOUR_MS / 2] as const
const PERSISTENT_FOR_MS = 3 * 24 * HOUR_MS
/** Delays of a persistent endpoint are longer by up to this part. */
const JITTER = 0.1
/** From this failure of the oldest event on, the next one is tried in turns with it. */
const PROBE_FROM = 4
const PROBE_MS = 1_000

/** The circumstances of a change of a delivery. */
export interface EndpointChange {
  readonly committer: EndpointClaim['process']
  /** The endpoint before and after the commit. */
  readonly before: EndpointRow
  readonly after: EndpointRow
  /** The commit has enabled it again, resumed or removed it, or may have. */
  readonly isReplaced: boolean
  /** The number of the newest event of the account that is no longer kept. */
  readonly prunedSeq: bigint
  /** How much the errors of all clocks have differed so far. */
  readonly clockRangeMs: number
  /** How often nothing was left to run before. */
  readonly idles: number
  /** Whether the database has never failed, been replaced or held a poisoned row, and no process stood still alone. */
  readonly isHealthy: boolean
  /** When the whole machine stood still last. */
  readonly suspendedAtMs: number
}

/** Checks a change of a delivery to an endpoint. */
export function progressProblem(
  delivery: KnownEndpointDelivery,
  row: EndpointDeliveryRow,
  change: EndpointChange,
): Problem | null {
  const before = delivery.row
  if (before.due_at_ms === null) return ['the end of a delivery is final', row.state]
  if (row.attempts !== before.attempts) return claimProblem(delivery, row, change)
  switch (row.state) {
    case 'sending':
      return ['an attempt is counted before it is sent']
    case 'waiting':
      return before.state === 'sending' ? failedAttemptProblem(delivery, row, change) : null
    case 'delivered':
      return delivery.claims.some(({ request }) => request?.outcome?.succeeded === true)
        ? null
        : ['only a complete 2xx in time delivers']
    case 'failed':
      return failureProblem(delivery, row, change)
    case 'canceled':
      return change.isReplaced ? null : ['only the end of its endpoint cancels a delivery']
  }
}

/** A claim counts one attempt of a due delivery to an active endpoint. */
function claimProblem(
  { row: before, claims }: KnownEndpointDelivery,
  row: EndpointDeliveryRow,
  change: EndpointChange,
): Problem | null {
  const { committer, before: endpoint, after, clockRangeMs } = change
  if (row.attempts !== before.attempts + 1n || row.state !== 'sending')
    return ['attempts are counted one by one', `${row.state} after ${row.attempts}`]
  if (!isActive(endpoint) && !isActive(after)) return ['nothing is sent to an endpoint that is not active']
  if (claims.some(claim => claim.process.alive && isKnownSuccess(claim, change)))
    return ['nothing is sent again after a success']
  // The row says when the attempt counts as lost, and so what the clock showed when it was claimed.
  const claimedMs = Number(row.due_at_ms) - LEASE_MS
  const isHeld = endpoint.retry_at_ms !== null && before.passed === 0n && before.state === 'waiting'
  const dueMs = isHeld && before.attempts > 0n ? Number(endpoint.retry_at_ms) : Number(before.due_at_ms)
  if (claimedMs < dueMs || claimedMs > committer.clock.nowMs() + clockRangeMs)
    return ['an attempt is made when it is due', `${claimedMs - dueMs} ms later`]
  return null
}

/** The current attempt has failed or was lost. The next one follows after the delay of the endpoint's schedule. */
function failedAttemptProblem(
  delivery: KnownEndpointDelivery,
  row: EndpointDeliveryRow,
  change: EndpointChange,
): Problem | null {
  const { before, after } = change
  if (before.schedule !== after.schedule || before.url !== after.url) return null
  const ends = endsOf(delivery, change)
  if (ends === null) return ['only a failed attempt is repeated']
  const isIn = (atMs: bigint | null, least: number, most: number) => {
    const ms = Number(atMs)
    return atMs !== null && ends.some(([fromMs, toMs]) => ms >= fromMs + least && ms <= toMs + most)
  }
  const attempts = Number(row.attempts)
  if (before.schedule === 'standard' || row.event_type === 'test') {
    const delayMs = STANDARD_MS[attempts - 1]
    if (delayMs === undefined) return ['a delivery to an endpoint fails after 4 attempts, or after three days']
    return isIn(row.due_at_ms, delayMs, delayMs)
      ? null
      : ['attempts follow 10, 60 and 300 s after the end of the failed one', `due at ${row.due_at_ms}`]
  }
  const delayMs = persistentMs(attempts)
  const isDelayed = isIn(row.due_at_ms, delayMs, delayMs * (1 + JITTER) + 1)
  if (!isDelayed) return ['a persistent endpoint is tried less and less often, at last every hour', `${row.due_at_ms}`]
  if (row.passed === 0n) return holdProblem(change, isIn)
  return after.failures === before.failures && after.retry_at_ms === before.retry_at_ms
    ? null
    : ['an event that later ones have passed holds up none', `${after.failures} failures`]
}

/** While its oldest event fails, a persistent endpoint is tried at one time only. */
function holdProblem(
  { before, after }: EndpointChange,
  isIn: (atMs: bigint | null, least: number, most: number) => boolean,
): Problem | null {
  const failures = before.is_probing === 1n ? before.failures : before.failures + 1n
  if (after.failures !== failures || (after.is_probing === 1n && failures < PROBE_FROM))
    return ['a persistent endpoint is tried less and less often, at last every hour', `${after.failures} failures`]
  const delayMs = after.is_probing === 1n ? PROBE_MS : persistentMs(Number(failures))
  const mostMs = after.is_probing === 1n ? PROBE_MS : delayMs * (1 + JITTER) + 1
  return isIn(after.retry_at_ms, delayMs, mostMs)
    ? null
    : ['a persistent endpoint is tried less and less often, at last every hour', `at ${after.retry_at_ms}`]
}

function failureProblem(
  delivery: KnownEndpointDelivery,
  row: EndpointDeliveryRow,
  change: EndpointChange,
): Problem | null {
  const { before, after, prunedSeq } = change
  if (prunedSeq >= row.event_seq || (after.paused_at !== null && before.paused_at === null)) return null
  const ends = delivery.row.state === 'sending' ? endsOf(delivery, change) : null
  if (ends === null) return ['only a failed attempt ends a delivery without a success']
  if (delivery.claims.some(claim => isKnownSuccess(claim, change)))
    return ['a delivery whose attempt succeeded has not failed']
  const isStandard = (endpoint: EndpointRow) => endpoint.schedule === 'standard' || row.event_type === 'test'
  const isTried = row.attempts >= BigInt(MAX_ATTEMPTS) && (isStandard(before) || isStandard(after))
  const lastMs = Math.max(...ends.map(([, toMs]) => toMs))
  const isLongTried = lastMs - Number(row.created_at) * 1000 >= PERSISTENT_FOR_MS
  return isTried || isLongTried ? null : ['a delivery to an endpoint fails after 4 attempts, or after three days']
}

/** Whether there was time to record the success, and nothing that could have prevented it. */
function isKnownSuccess({ request }: EndpointClaim, { idles, isHealthy, suspendedAtMs }: EndpointChange): boolean {
  const outcome = request?.outcome
  if (!isHealthy || outcome?.succeeded !== true) return false
  return outcome.idles + 2 <= idles && outcome.atMs >= suspendedAtMs
}

/**
 * When the current attempt has ended, by the clock of the process that knows of it, from and to.
 * @returns null when it has not
 */
function endsOf(
  { row, claims }: KnownEndpointDelivery,
  { committer, clockRangeMs }: EndpointChange,
): (readonly [fromMs: number, toMs: number])[] | null {
  const failures = claims.flatMap(({ process, attempt, request }): (readonly [number, number])[] => {
    const outcome = request?.outcome
    const isOwn = process === committer && attempt === Number(row.attempts)
    return isOwn && outcome && !outcome.succeeded ? [[outcome.clockMs, outcome.clockMs]] : []
  })
  const latestMs = committer.clock.nowMs() + clockRangeMs
  if (Number(row.due_at_ms) <= latestMs) failures.push([Number(row.due_at_ms), latestMs])
  return failures.length === 0 ? null : failures
}

function persistentMs(failures: number): number {
  return PERSISTENT_MS[failures - 1] ?? HOUR_MS
}

/** Checks that an endpoint was paused because all attempts have failed for three days. */
export function pauseProblem(before: EndpointRow, after: EndpointRow): Problem | null {
  if (after.paused_at === null || before.paused_at !== null) return null
  const failedFor = Number(after.paused_at) - Number(after.failing_since ?? after.paused_at)
  return before.schedule === 'persistent' && failedFor * 1000 >= PERSISTENT_FOR_MS
    ? null
    : ['only three days of failures pause an endpoint, a persistent one', `after ${failedFor} s`]
}

/**
 * Checks that nothing is begun while the oldest event of a persistent endpoint fails, except in turns with it.
 * @param earlier open deliveries of earlier events that have failed, by the present terms of the endpoint
 */
export function orderProblem(
  { schedule, failures }: EndpointRow,
  earlier: readonly EndpointDeliveryRow[],
  seq: bigint,
): Problem | null {
  const holding = earlier.filter(({ passed, event_type: type }) => passed === 0n && type !== 'test')
  if (schedule !== 'persistent' || holding.length === 0) return null
  // Those that have failed may no longer be kept.
  if (failures >= BigInt(PROBE_FROM) || holding.some(({ attempts }) => attempts >= BigInt(PROBE_FROM))) return null
  const [first] = holding
  return [
    'a persistent endpoint is sent nothing else while its oldest event fails',
    `${seq} after ${first?.attempts} attempts at ${first?.event_seq}`,
  ]
}
