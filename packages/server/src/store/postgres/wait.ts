import { setTimeout as sleep } from 'node:timers/promises'
import { type Backoff, backoffMs } from '../../domain/backoff.ts'
import { mayBecomeReachable } from './error.ts'

const BACKOFF: Backoff = { firstMs: 250, maxMs: 5_000 }
/** About five minutes. Then the process ends, and what started it starts it again. */
const MAX_ATTEMPTS = 60
/** About a minute. */
const ATTEMPTS_PER_REPORT = 10

/**
 * Opens a database, and tries again while it cannot be reached for a reason that may pass.
 * @param onWait called with the reason, now and then; without it the first failure is final
 * @param signal ends the wait
 */
export async function untilReachable<T>(
  open: () => Promise<T>,
  onWait: ((error: unknown) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open()
    } catch (error) {
      if (!onWait || attempt >= MAX_ATTEMPTS || !mayBecomeReachable(error)) throw error
      if (attempt % ATTEMPTS_PER_REPORT === 1) onWait(error)
    }
    await sleep(backoffMs(attempt, BACKOFF), null, signal && { signal })
  }
}
