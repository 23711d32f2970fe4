import type { Rule } from '../../rules.ts'
import type { AttemptRow, Claim, DeliveryRow, KnownDelivery, Target } from './ledger.ts'

const MAX_ATTEMPTS = 4
const ATTEMPT_MS = 5_000
/** From the end of the first, second, third failed attempt to the next. The fourth is lost after the last one. */
const DELAYS_MS = [10_000, 60_000, 300_000, 10_000]

/** The process that made a commit. */
export interface Committer {
  readonly name: string
  readonly alive: boolean
  readonly clock: { nowMs(): number }
}

/** The circumstances of a change of a delivery. */
export interface Change {
  readonly committer: Committer
  /** The webhooks of the account before and after the commit. */
  readonly targets: readonly Target[]
  /** The number of use cases that share the commit. Default: 1. */
  readonly useCases?: number
  /** It may have been set aside: it is then sent when it is tried again. Default: false. */
  readonly wasPoisoned?: boolean
  /** How much the errors of all clocks have differed so far. */
  readonly clockRangeMs: number
  /** How often nothing was left to run before. */
  readonly idles: number
  /** The log of the delivery. */
  log(): readonly AttemptRow[]
}

/** A broken rule, with details. */
export type Problem = readonly [rule: Rule, detail?: string]

/** A new delivery is due at once. */
export function startProblem({ due_at_ms: due, created_at: created }: DeliveryRow): Problem | null {
  const lagMs = Number((due ?? 0n) - created * 1000n)
  return lagMs >= 0 && lagMs < 1000 ? null : ['a new delivery is due at once', `${lagMs} ms after its creation`]
}

/** Checks a change of a delivery, and adds its claim to the known ones. */
export function progressProblem(delivery: KnownDelivery, row: DeliveryRow, change: Change): Problem | null {
  const before = delivery.row
  if (before.due_at_ms === null) return ['the end of a delivery is final', row.state]
  if (row.attempts !== before.attempts) return claimProblem(delivery, row, change)
  if (row.state === before.state && change.wasPoisoned) return retryProblem(row, change)
  switch (row.state) {
    case 'sending':
      return ['an attempt is counted before it is sent']
    case 'waiting':
      return failedAttemptProblem(delivery, row)
    case 'delivered':
      return claimsOf(delivery).some(hasSucceeded) ? null : ['only a complete 2xx in time delivers']
    case 'failed':
      return failureProblem(delivery, row, change)
    case 'canceled': {
      const [first, second] = change.targets
      return second && first?.secret === second.secret ? ['only the end of its webhook cancels a delivery'] : null
    }
  }
}

/** A claim counts and logs one attempt of a due delivery. */
function claimProblem(delivery: KnownDelivery, row: DeliveryRow, change: Change): Problem | null {
  const { committer, targets, useCases = 1, clockRangeMs } = change
  const before = delivery.row
  const attempt = Number(row.attempts)
  if (row.attempts !== before.attempts + 1n || row.state === 'waiting')
    return ['attempts are counted one by one', `${row.state} after ${row.attempts}`]
  if (attempt > MAX_ATTEMPTS) return ['a delivery has 4 attempts']
  if (targets.length === 0) return ['nothing is sent to a deleted webhook']
  // A result that the database refused to record is lost, and the delivery is sent again.
  if (!change.wasPoisoned && delivery.claims.some(claim => isKnownSuccess(claim, change)))
    return ['nothing is sent again after a success']
  if (row.due_at_ms !== null) {
    // The row says when the attempt counts as lost, and so what the clock showed when it was claimed.
    const claimedMs = Number(row.due_at_ms) - ATTEMPT_MS - DELAYS_MS[attempt - 1]!
    const lateMs = claimedMs - Number(before.due_at_ms)
    if ((lateMs < 0 && !change.wasPoisoned) || claimedMs > committer.clock.nowMs() + clockRangeMs)
      return ['an attempt is made when it is due', `${lateMs} ms later, for ${row.due_at_ms}`]
  }
  const entry = change.log().find(candidate => candidate.attempt === row.attempts)
  const mayHaveUnknownTarget = useCases > 2
  if (!entry || !(mayHaveUnknownTarget || targets.some(({ url }) => url === entry.url)))
    return ['each attempt is logged']
  delivery.claims.push({
    process: committer,
    attempt,
    targets: [...targets],
    mayHaveUnknownTarget,
    request: null,
  })
  return null
}

/** A delivery that was set aside is due now. It is claimed later when its webhook is set aside too. */
function retryProblem(row: DeliveryRow, { committer, clockRangeMs }: Change): Problem | null {
  const aheadMs = Number(row.due_at_ms) - committer.clock.nowMs()
  return aheadMs > clockRangeMs ? ['an attempt is made when it is due', `due in ${aheadMs} ms`] : null
}

/** The current attempt has failed, and the next one is due some time after its end. */
function failedAttemptProblem(delivery: KnownDelivery, row: DeliveryRow): Problem | null {
  const claims = claimsOf(delivery)
  const current = claims.findLast(({ attempt }) => attempt === Number(row.attempts))
  const failures = claims.flatMap(({ process, request }) => {
    const outcome = request?.outcome
    return process === current?.process && outcome && !outcome.succeeded ? [outcome] : []
  })
  if (failures.length === 0 || row.attempts >= BigInt(MAX_ATTEMPTS)) return ['only a failed attempt is repeated']
  const delaysMs = failures.map(({ clockMs }) => Number(row.due_at_ms) - clockMs)
  if (delaysMs.includes(DELAYS_MS[Number(row.attempts) - 1]!)) return null
  return ['attempts follow 10, 60 and 300 s after the end of the failed one', `${delaysMs.at(-1)} ms`]
}

function failureProblem({ claims }: KnownDelivery, row: DeliveryRow, change: Change): Problem | null {
  if (row.attempts !== BigInt(MAX_ATTEMPTS)) return ['a delivery fails after 4 attempts']
  if (!claims.some(claim => isKnownSuccess(claim, change))) return null
  return ['a delivery whose attempt succeeded has not failed']
}

/** Each attempt has a row with its result. */
export function logProblem(delivery: KnownDelivery, log: readonly AttemptRow[]): Problem | null {
  const { row, claims } = delivery
  if (log.length !== Number(row.attempts)) return ['each attempt is logged', `${log.length} of ${row.attempts}`]
  for (const entry of log) {
    const claim = claims.find(({ attempt }) => attempt === Number(entry.attempt))
    const candidates = claimsOf(delivery).filter(({ process }) => process === claim?.process)
    if (claim && !candidates.some(candidate => agrees(candidate, entry)))
      return ['the log tells what happened', `${entry.attempt}: ${entry.status_code} ${entry.error}`]
    // The success of a last attempt that was taken for lost is logged too.
    if (row.state === 'failed' && entry.error === null && entry.duration_ms === null)
      return ['a failed attempt is logged with its error']
  }
  return null
}

/** All claims, also those that a restored database does not contain. */
export function claimsOf({ forgotten, claims }: KnownDelivery): readonly Claim[] {
  return [...forgotten, ...claims]
}

/** Whether an entry of the log tells the result of the attempt. Without a duration the result is unknown. */
function agrees({ request }: Claim, { status_code: status, error, duration_ms: duration }: AttemptRow): boolean {
  if (duration === null) return status === null
  const outcome = request?.outcome
  if (!outcome) return false
  return outcome.succeeded === (error === null) && (status === null ? null : Number(status)) === outcome.status
}

/**
 * Whether the committing process has known of the success long enough to record it. What it began before it knew may
 * still be committed.
 */
function isKnownSuccess({ process, request }: Claim, { committer, idles }: Change): boolean {
  const outcome = request?.outcome
  return process === committer && outcome?.succeeded === true && outcome.idles + 2 <= idles
}

function hasSucceeded({ request }: Claim): boolean {
  return request?.outcome?.succeeded === true
}
