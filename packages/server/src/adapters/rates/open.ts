import type { Clock } from '../../ports/clock.ts'
import type { ReportedRates } from '../../ports/rate.ts'
import { refreshedAhead } from './ahead.ts'
import { createCachedRates } from './cached.ts'
import { createRateSources } from './sources.ts'
import type { TickerHttp } from './ticker.ts'

interface RateTerms {
  /** Base URLs by the name of the source. */
  readonly sources: Parameters<typeof createRateSources>[0]
  readonly minSources: number
  readonly maxAgeSecs: number
}

/** Opens the rates of the service. `close` ends their refresh. */
export function openRates(
  { sources, minSources, maxAgeSecs }: RateTerms,
  http: TickerHttp,
  clock: Clock,
): ReportedRates & { close(): void } {
  const cached = createCachedRates({ ...createRateSources(sources, http, clock), clock, maxAgeSecs, minSources })
  return refreshedAhead(cached, clock, maxAgeSecs)
}
