import type { AccountEvent } from '@zatgate/sdk'
import { backoffMs } from '../domain/backoff.ts'
import { ATTEMPT_TIMEOUT_MS } from '../domain/notify/delivery-schedule.ts'
import { webhookSignatures } from '../domain/notify/webhook-signature.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'

/** One request to the receiver, and its result. */
export interface ForwardAttempt {
  readonly event: AccountEvent
  readonly atMs: number
  readonly durationMs: number
  /** Null: there was no response. */
  readonly status: number | null
  /** Null: the receiver has the event. */
  readonly error: string | null
  /** Null: it is not repeated. */
  readonly retryInMs: number | null
}

export interface ForwardOptions {
  readonly events: AsyncIterable<AccountEvent>
  /** The receiver. */
  readonly url: string
  readonly secret: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called after each attempt. */
  readonly onAttempt: (attempt: ForwardAttempt) => void
}

const BACKOFF = { firstMs: 1_000, maxMs: 30_000 }

/**
 * Posts each event to the receiver as a webhook, one at a time. An event that the receiver does not accept is repeated until
 * it does or the signal aborts, so that the order is kept.
 */
export async function forward({ events, url, secret, clock, signal, onAttempt }: ForwardOptions): Promise<void> {
  for await (const event of events) {
    for (let failures = 0; ; failures++) {
      const atMs = clock.nowMs()
      const { status, error } = await post(event, { url, secret, clock, signal })
      if (signal.aborted && error !== null) return
      const retryInMs = error === null ? null : backoffMs(failures + 1, BACKOFF)
      onAttempt({ event, atMs, durationMs: Math.max(0, clock.nowMs() - atMs), status, error, retryInMs })
      if (retryInMs === null) break
      await clock.sleep(retryInMs, signal)
      if (signal.aborted) return
    }
  }
}

async function post(
  { id, rawBody }: AccountEvent,
  { url, secret, clock, signal }: Pick<ForwardOptions, 'url' | 'secret' | 'clock' | 'signal'>,
): Promise<Pick<ForwardAttempt, 'status' | 'error'>> {
  const ended = new AbortController()
  const late = new AbortController()
  void clock.sleep(ATTEMPT_TIMEOUT_MS, ended.signal).then(() => ended.signal.aborted || late.abort())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'zatgate-listen/1',
        ...webhookSignatures([secret], id, nowSecs(clock), rawBody),
      },
      body: rawBody,
      redirect: 'manual',
      signal: AbortSignal.any([signal, late.signal]),
    })
    await response.body?.cancel()
    return { status: response.status, error: response.ok ? null : `status ${response.status}` }
  } catch (error) {
    const text = late.signal.aborted ? `no response within ${ATTEMPT_TIMEOUT_MS / 1000} s` : reasonOf(error as Error)
    return { status: null, error: text }
  } finally {
    ended.abort()
  }
}

/** The code of a lost connection, such as ECONNREFUSED. */
function reasonOf({ message, cause }: Error): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : message
}
