import type { delay } from './delay.ts'
import { ZatgateError } from './error.ts'
import { jittered } from './jitter.ts'
import type { FollowOptions } from './options.ts'
import type { EventQuery, FeedEvent } from './wire.ts'

/** An event of the account. */
export interface AccountEvent extends FeedEvent {
  /** The exact bytes of `body`, as text. Numbers of `metadata` keep all their digits here; in `body` they are floats. */
  readonly rawBody: string
}

/** A page of events. */
export interface EventPage {
  /** Oldest first. */
  readonly events: AccountEvent[]
  /** Where to go on: `after` of the next page. With `types` it can be above the last event of the page. */
  readonly nextAfter: number
}

/** How long a request waits for the first event. */
const WAIT_SECS = 30
const MIN_DELAY_MS = 500
const MAX_DELAY_MS = 10_000
const MAX_RETRY_AFTER_SECS = 3_600
/** Between a page without a new event and the next request: a cache or a closing service responds without a wait. */
const EMPTY_PAUSE_MS = 500

type ReadPage = (page: EventQuery, signal: AbortSignal | undefined) => Promise<EventPage>

/** Yields the events of one page after the other, each once. See Events.follow. */
export async function* follow(
  read: ReadPage,
  { after: given, types, signal, onRetry }: FollowOptions,
  wait: typeof delay,
): AsyncGenerator<AccountEvent, void, undefined> {
  let after = given
  let failures = 0
  let isConnected = false
  while (!signal?.aborted) {
    const page: EventQuery = {
      ...(after !== undefined && { after }),
      ...(types && { types: types.join(',') }),
      wait: WAIT_SECS,
    }
    let pauseMs = EMPTY_PAUSE_MS
    try {
      const { events, nextAfter } = await read(page, signal)
      isConnected = true
      failures = 0
      for (const event of events) {
        // A cache can send an earlier page again.
        if (after !== undefined && event.seq <= after) continue
        after = event.seq
        pauseMs = 0
        yield event
        if (signal?.aborted) return
      }
      after = Math.max(after ?? 0, nextAfter)
    } catch (error) {
      if (signal?.aborted) return
      if (!isTransient(error, isConnected)) throw error
      pauseMs = retryDelayMs(error, failures++)
      onRetry?.(error, pauseMs)
    }
    if (pauseMs > 0) await wait(pauseMs, signal)
  }
}

/**
 * A response that is no zatgate's comes from a proxy once there was one, and before from a wrong address. A service whose
 * database was replaced by a copy knows a number that was read only after its next event.
 */
function isTransient(error: unknown, isConnected: boolean): error is ZatgateError {
  if (!(error instanceof ZatgateError)) return false
  const { status, code } = error
  if (isConnected && ((status < 300 && code === 'invalid_response') || code === 'invalid_after')) return true
  return status === 0 || status === 429 || status >= 500
}

function retryDelayMs({ retryAfterSecs }: ZatgateError, failures: number): number {
  if (retryAfterSecs !== null) return Math.min(retryAfterSecs, MAX_RETRY_AFTER_SECS) * 1000
  return jittered(Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** Math.min(failures, 10)))
}
