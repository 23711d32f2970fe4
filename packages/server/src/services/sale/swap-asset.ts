import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { SwapAsset, SwapProvider } from '../../ports/swap-provider.ts'

export interface SwapAssets {
  /**
   * Assets that buyers can pay with. The list is at most five minutes old, or older while the provider is unavailable.
   * @throws AppError `swap_provider_unavailable` when no list was ever received
   */
  list(): Promise<readonly SwapAsset[]>
}

const MAX_AGE_MS = 5 * 60 * 1000
/** Minimum delay between requests while the provider fails, so that not every caller waits for it. */
const RETRY_MS = 5_000

export function createSwapAssets(deps: {
  readonly provider: Pick<SwapProvider, 'assets'>
  readonly clock: Clock
  readonly log: Log
}): SwapAssets {
  const { provider, clock, log } = deps
  let cached: readonly SwapAsset[] | null = null
  /** When the provider was asked last, and for how long the result counts. By a clock that was set back, no longer. */
  let asked: { readonly atMs: number; readonly waitMs: number } | null = null
  /** Why there is no list yet. */
  let failure: unknown = null
  let pending: Promise<readonly SwapAsset[]> | null = null

  async function refresh(): Promise<readonly SwapAsset[]> {
    try {
      cached = await provider.assets()
      asked = { atMs: clock.nowMs(), waitMs: MAX_AGE_MS }
      return cached
    } catch (error) {
      asked = { atMs: clock.nowMs(), waitMs: RETRY_MS }
      failure = error
      if (cached === null) throw error
      log.warn({ err: error }, 'the list of swap assets could not be refreshed, the old one is served')
      return cached
    } finally {
      pending = null
    }
  }

  return {
    async list() {
      const counts = asked !== null && Math.abs(clock.nowMs() - asked.atMs) < asked.waitMs
      if (counts && pending === null) {
        if (cached !== null) return cached
        throw failure
      }
      pending ??= refresh()
      return pending
    },
  }
}
