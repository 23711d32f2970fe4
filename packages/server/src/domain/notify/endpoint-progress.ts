import { DAY_SECS } from '../time.ts'
import { ATTEMPT_TIMEOUT_MS, MAX_ATTEMPTS, RETRY_DELAYS_MS } from './delivery-schedule.ts'
import { MAX_OPEN_OF_ENDPOINT, type Schedule } from './endpoint.ts'

const HOUR_MS = 3_600_000
/** The delays of a persistent endpoint, after which it is tried hourly. */
const PERSISTENT_DELAYS_MS = [...RETRY_DELAYS_MS, HOUR_MS / 2] as const
/** After these BTCPay's clients expect a failed request again. */
const GREENFIELD_DELAYS_MS = [10_000, 60_000, ...Array<number>(6).fill(600_000)] as const
/** For how long a persistent endpoint is tried, from the first failure on. */
const PERSISTENT_SECS = 3 * DAY_SECS
/** Delays are longer by up to this part, so that many endpoints of one host do not return at the same time. */
const JITTER = 0.1
/** From this failure on, another event is tried after the oldest: perhaps only this one is refused. */
const PROBE_FROM_FAILURE = 4
const PROBE_DELAY_MS = 1_000
/** After the time limit of an attempt, its process counts as dead. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + RETRY_DELAYS_MS[0]

/** The failures of an endpoint since its last success, and its pause. */
export interface EndpointProgress {
  readonly schedule: Schedule
  /** Failed attempts of the oldest delivery. A persistent endpoint that fails sends nothing else meanwhile. */
  readonly failures: number
  /** The next attempt is of another event than the oldest. */
  readonly isProbing: boolean
  readonly failingSince: number | null
  /** The number of the first event of which an attempt has failed. */
  readonly firstFailedSeq: number | null
  /** The next attempt of a persistent endpoint that fails, in Unix milliseconds. */
  readonly retryAtMs: number | null
  readonly pausedAt: number | null
}

/** A delivery to an endpoint that has failed and waits. */
export interface WaitingDelivery {
  readonly seq: number
  readonly dueAtMs: number
  /** A later event was delivered while this one failed, so that it holds up none. */
  readonly isPassed: boolean
}

export const NO_FAILURES = {
  ...{ failures: 0, isProbing: false, failingSince: null, firstFailedSeq: null, retryAtMs: null },
} as const

/** When an attempt that begins now counts as lost. */
export function leaseUntilMs(nowMs: number): number {
  return nowMs + LEASE_MS
}

/**
 * The deliveries to send now: waiting ones, or the next event that was not begun, the first choice first. Empty: none yet.
 * A persistent endpoint keeps the order of the events: while it fails, only the oldest one is tried, and from some failure
 * on, in turns with the next event. With many that wait, as when a receiver refuses all, no further event is begun.
 * @param waiting oldest first
 */
export function choices<D extends WaitingDelivery>(
  { retryAtMs, isProbing }: Pick<EndpointProgress, 'retryAtMs' | 'isProbing'>,
  waiting: readonly D[],
  nowMs: number,
): (D | 'next')[] {
  const isHeld = retryAtMs !== null
  const due = waiting.find(delivery => delivery.dueAtMs <= nowMs && (delivery.isPassed || !isHeld))
  if (due) return [due]
  const next = waiting.length < MAX_OPEN_OF_ENDPOINT ? (['next'] as const) : []
  if (!isHeld) return [...next]
  if (retryAtMs > nowMs) return []
  const oldest = waiting.find(delivery => !delivery.isPassed)
  if (!oldest) return [...next]
  return isProbing ? [...next, oldest] : [oldest]
}

/** When to look again, if nothing can be sent now and there is no new event. Null: after the next event. */
export function nextLookMs(
  { retryAtMs }: Pick<EndpointProgress, 'retryAtMs'>,
  waiting: readonly WaitingDelivery[],
  nowMs: number,
): number | null {
  const dues = waiting.filter(({ isPassed }) => isPassed || retryAtMs === null).map(({ dueAtMs }) => dueAtMs)
  // A time that has passed, for which nothing was left to send, never comes.
  const times = (retryAtMs === null ? dues : [retryAtMs, ...dues]).filter(timeMs => timeMs > nowMs)
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b))
}

interface FailedAttempt {
  /** The number of its event. */
  readonly seq: number
  /** Attempts of the delivery, with this one. */
  readonly attempts: number
  readonly isPassed: boolean
  /** A test event: it is tried on the standard schedule, and holds up none. */
  readonly isTest: boolean
  /** Status code of the response. Null: there was none. */
  readonly statusCode: number | null
  /** Its process died, so that it is unknown whether the receiver got it. */
  readonly isInterrupted: boolean
  /** When the first attempt of the delivery began, in Unix milliseconds. */
  readonly begunAtMs: number
}

/** The endpoint and the delivery after a failed attempt. */
interface AfterFailure {
  readonly progress: EndpointProgress
  /** When the delivery is tried again; null: it has failed for good. */
  readonly dueAtMs: number | null
}

/**
 * @param hasNext whether the account has an event that was not begun
 * @param jitter 0 to 1
 */
export function afterFailure(
  before: EndpointProgress,
  { seq, attempts, isPassed, isTest, statusCode, isInterrupted, begunAtMs }: FailedAttempt,
  { nowMs, hasNext, jitter }: { readonly nowMs: number; readonly hasNext: boolean; readonly jitter: number },
): AfterFailure {
  const now = Math.floor(nowMs / 1000)
  // A test event and a delivery that others have passed are given up by themselves.
  const isHeld = before.schedule === 'persistent' && !isTest && !isPassed
  const isFirst = isHeld && before.failures === 0
  const failingSince = isFirst ? now : (before.failingSince ?? now)
  const firstFailedSeq = isTest ? before.firstFailedSeq : Math.min(seq, before.firstFailedSeq ?? seq)
  const failing = { ...before, failingSince, firstFailedSeq }
  if (before.schedule === 'greenfield' || before.schedule === 'once') {
    // A process that died was no attempt that a client has forbidden to repeat.
    const isRepeated = isInterrupted || (before.schedule === 'greenfield' && isRepeatable(statusCode))
    const delay = isRepeated ? GREENFIELD_DELAYS_MS[attempts - 1] : undefined
    return { progress: failing, dueAtMs: delay === undefined ? null : nowMs + delay }
  }
  if (isTest || before.schedule === 'standard') {
    const delay = RETRY_DELAYS_MS[attempts - 1]
    const isOver = attempts >= MAX_ATTEMPTS || delay === undefined
    return { progress: failing, dueAtMs: isOver ? null : nowMs + delay }
  }
  // While the service was not running, the endpoint was not tried.
  const wasTried = isPassed || before.failures >= PERSISTENT_DELAYS_MS.length
  const isOver = wasTried && nowMs - begunAtMs >= PERSISTENT_SECS * 1000
  const dueAtMs = isOver ? null : nowMs + persistentDelayMs(attempts, jitter)
  if (isPassed) return { progress: failing, dueAtMs }
  if (wasTried && now - failingSince >= PERSISTENT_SECS)
    return { progress: { ...before, ...NO_FAILURES, failingSince, firstFailedSeq, pausedAt: now }, dueAtMs: null }
  const failures = before.isProbing ? before.failures : before.failures + 1
  const isProbing = !before.isProbing && failures >= PROBE_FROM_FAILURE && hasNext
  const retryAtMs = nowMs + (isProbing ? PROBE_DELAY_MS : persistentDelayMs(failures, jitter))
  return { progress: { ...failing, failures, isProbing, retryAtMs }, dueAtMs }
}

/** Whether the same request may succeed later. Any other answer is the receiver's last word. */
function isRepeatable(statusCode: number | null): boolean {
  return statusCode === null || statusCode >= 500 || statusCode === 408 || statusCode === 429
}

/** @param failures 1 or more */
function persistentDelayMs(failures: number, jitter: number): number {
  const delay = PERSISTENT_DELAYS_MS[failures - 1] ?? HOUR_MS
  return Math.round(delay * (1 + JITTER * jitter))
}
