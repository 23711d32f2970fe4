/** Maximum number of attempts of a delivery, the first included. */
export const MAX_ATTEMPTS = 4

/** Time limit of an attempt, up to the end of the response. */
export const ATTEMPT_TIMEOUT_MS = 5_000

/** Delays from the end of a failed attempt to the next one: after the first, the second, the third. */
export const RETRY_DELAYS_MS = [10_000, 60_000, 300_000] as const

export type DeliveryState = DeliveryProgress['state']

/** Not yet sent, or failed; the next attempt is due at `dueAtMs`. */
export interface WaitingProgress {
  readonly state: 'waiting'
  /** Attempts made: 0 to 3. */
  readonly attempts: number
  /** Unix milliseconds. */
  readonly dueAtMs: number
}

/**
 * An attempt is in flight. When its process dies, the result is never recorded; the attempt then counts as failed at its
 * time limit, and the next one is due at `dueAtMs`. So the lease of a delivery and its retry schedule are the same time.
 */
export interface SendingProgress {
  readonly state: 'sending'
  /** Attempts begun: 1 to 4. */
  readonly attempts: number
  readonly dueAtMs: number
}

export interface EndedProgress {
  readonly state: 'delivered' | 'failed' | 'canceled'
  readonly attempts: number
}

export type DeliveryProgress = WaitingProgress | SendingProgress | EndedProgress

/** A delivery that has not ended. */
export type OpenProgress = WaitingProgress | SendingProgress

/** An attempt that the state of its delivery does not allow: an error in the program. */
export class IllegalAttemptError extends Error {
  constructor(progress: DeliveryProgress, action: string) {
    super(`a delivery that is ${progress.state} after ${progress.attempts} attempts cannot ${action}`)
    this.name = 'IllegalAttemptError'
  }
}

/**
 * Starts the next attempt of a due delivery. Ends the delivery as `failed` when its last attempt was interrupted.
 * @throws IllegalAttempt when the delivery is not due at `nowMs`
 */
export function startAttempt(open: OpenProgress, nowMs: number): SendingProgress | EndedProgress {
  if (open.dueAtMs > nowMs) throw new IllegalAttemptError(open, `begin ${open.dueAtMs - nowMs} ms early`)
  if (open.attempts >= MAX_ATTEMPTS) return { state: 'failed', attempts: open.attempts }
  const attempts = open.attempts + 1
  return { state: 'sending', attempts, dueAtMs: nowMs + ATTEMPT_TIMEOUT_MS + retryAfterMs(attempts) }
}

/** The progress of a delivery after an attempt that ended at `endedAtMs`. */
export function finishAttempt(
  sending: SendingProgress,
  succeeded: boolean,
  endedAtMs: number,
): WaitingProgress | EndedProgress {
  const { attempts } = sending
  if (succeeded) return { state: 'delivered', attempts }
  if (attempts >= MAX_ATTEMPTS) return { state: 'failed', attempts }
  return { state: 'waiting', attempts, dueAtMs: endedAtMs + retryAfterMs(attempts) }
}

/** The last attempt has no retry. The first delay then serves as the time after which it counts as interrupted. */
function retryAfterMs(attempts: number): number {
  return RETRY_DELAYS_MS[attempts - 1] ?? RETRY_DELAYS_MS[0]
}
