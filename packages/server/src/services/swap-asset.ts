import type { SwapAsset } from '../ports/repository/swap.ts'
import type { Clock, Log, SwapProvider } from '../ports.ts'

export interface SwapAssets {
  /**
   * What buyers can pay with: at most five minutes old, or older while the provider is down.
   * @throws Fault `swap_provider_unavailable` when there never was a list
   */
  list(): Promise<readonly SwapAsset[]>
}

const FRESH_MS = 5 * 60 * 1000
/** While an old list is served, the provider is asked again only so often: nobody waits for it in vain each time. */
const RETRY_MS = 5_000

export function createSwapAssets(deps: {
  readonly provider: Pick<SwapProvider, 'assets'>
  readonly clock: Clock
  readonly log: Log
}): SwapAssets {
  const { provider, clock, log } = deps
  let cached: readonly SwapAsset[] | null = null
  let askAgainAtMs = 0
  let asking: Promise<readonly SwapAsset[]> | null = null

  async function ask(): Promise<readonly SwapAsset[]> {
    try {
      cached = await provider.assets()
      askAgainAtMs = clock.nowMs() + FRESH_MS
      return cached
    } catch (error) {
      if (cached === null) throw error
      log.warn({ err: error }, 'no new list of swap assets, the old one is served')
      askAgainAtMs = clock.nowMs() + RETRY_MS
      return cached
    } finally {
      asking = null
    }
  }

  return {
    async list() {
      if (cached !== null && clock.nowMs() < askAgainAtMs) return cached
      asking ??= ask()
      return asking
    },
  }
}
