import type { Rate } from '../domain/rate.ts'
import type { Clock } from '../ports/clock.ts'
import type { Rates } from '../ports/rate.ts'

/** How long a page waits for a rate. Without one it shows amounts only in ZEC. */
const RATE_TIMEOUT_MS = 1_000

/** The current rate; null if it is not available within one second. */
export async function currentRate(deps: { rates: Rates; clock: Clock }, currency: string): Promise<Rate | null> {
  const controller = new AbortController()
  const timeout = deps.clock.sleep(RATE_TIMEOUT_MS, controller.signal).then(() => null)
  const request = deps.rates.rate(currency).catch(() => null)
  try {
    return await Promise.race([request, timeout])
  } finally {
    controller.abort()
  }
}
