import { crossedRate, decideRate, isDue, type Quote, type Rate, rateUnavailableError } from '../../domain/rate.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { CrossRateSource, RateSource, ReportedRates } from '../../ports/rate.ts'
import { createCachedCrossRates } from './cross.ts'

/** After sources have failed to give a rate, they are not asked again for this time. */
const RETRY_MS = 1_000

/** The name of a converted price among the quotes that it is compared with. */
const CONVERTED = 'converted'

export interface CachedRatesDeps {
  readonly sources: readonly RateSource[]
  /** Null: only currencies that the sources offer. */
  readonly crossSource: CrossRateSource | null
  readonly clock: Clock
  readonly maxAgeSecs: number
  readonly minSources: number
}

/** The quotes of a currency, and its refreshes. */
interface Entry {
  /** The latest quote of each source. */
  readonly quotes: Map<string, Quote>
  readonly failures: Map<string, unknown>
  /** When the latest refresh began and ended; null: never. */
  beganAtMs: number | null
  endedAtMs: number | null
  refresh: Refresh | null
}

interface Refresh {
  /** Resolves when the sources that answered agree. */
  readonly agreed: Promise<void>
  /** Resolves when every source has answered or failed. Never rejects. */
  readonly ended: Promise<void>
}

/**
 * Keeps the quotes of all sources and decides the rate by those that are fresh when it is asked for. Callers share one
 * refresh per currency. Quotes that are half as old as they may become are refreshed while the rate is still used; only
 * a caller without a usable rate waits, until two sources agree or every source has answered or failed.
 *
 * A currency in which too few quotes are fresh, or agree, is converted from USD.
 */
export function createCachedRates(deps: CachedRatesDeps): ReportedRates {
  const { sources, clock, maxAgeSecs, minSources } = deps
  const entries = new Map<string, Entry>()
  const cross = deps.crossSource && createCachedCrossRates(deps.crossSource, clock)

  function entryOf(currency: string): Entry {
    const known = entries.get(currency)
    if (known) return known
    const entry: Entry = {
      quotes: new Map(),
      failures: new Map(),
      beganAtMs: null,
      endedAtMs: null,
      refresh: null,
    }
    entries.set(currency, entry)
    return entry
  }

  function decide(entry: Entry, atLeast: number) {
    return decideRate([...entry.quotes.values()], { now: nowSecs(clock), maxAgeSecs, minSources: atLeast })
  }

  function directRate(currency: string, atLeast = minSources): Rate | null {
    const { rate } = decide(entryOf(currency), atLeast)
    return rate && { currency, ...rate }
  }

  /** The rate of the present quotes. */
  function currentRate(currency: string): Rate | null {
    return directRate(currency) ?? (isCrossed(currency) ? convertedRate(currency) : null)
  }

  /**
   * The rate in USD, converted. Fresh quotes in the currency can still refute it; of two that disagree, it says which one is
   * right.
   */
  function convertedRate(currency: string): Rate | null {
    const usd = directRate('USD')
    const price = cross?.current(currency)
    const converted = usd && price ? crossedRate(usd, currency, price) : null
    if (converted === null) return null
    const quote = { source: CONVERTED, price: converted.price, at: converted.fetchedAt }
    const quotes = [...entryOf(currency).quotes.values(), quote]
    const { rate } = decideRate(quotes, { now: nowSecs(clock), maxAgeSecs, minSources: 1 })
    return rate?.sources.includes(CONVERTED) ? converted : null
  }

  function isCrossed(currency: string): boolean {
    return cross !== null && currency !== 'USD' && currency !== 'BTC'
  }

  /** The age of a quote counts from the request, because the response may take long. */
  async function ask(source: RateSource, currency: string, entry: Entry): Promise<void> {
    const askedAt = nowSecs(clock)
    try {
      const { price, at = askedAt } = await source.price(currency)
      // A source whose clock is ahead does not make its price newer.
      entry.quotes.set(source.name, { source: source.name, price, at: Math.min(at, askedAt) })
      entry.failures.delete(source.name)
    } catch (error) {
      entry.failures.set(source.name, error)
    }
  }

  function sharedRefresh(currency: string): Refresh {
    const entry = entryOf(currency)
    if (entry.refresh) return entry.refresh
    entry.beganAtMs = clock.nowMs()
    const { promise: agreed, resolve } = Promise.withResolvers<void>()
    const requests = sources
      .filter(source => source.offers(currency))
      .map(async source => {
        await ask(source, currency, entry)
        // One source alone waits for the others, also where it would be enough: it may be the one that is wrong.
        if (directRate(currency, Math.max(2, minSources))) resolve()
      })
    const ended = Promise.all(requests).then(() => {
      entry.endedAtMs = clock.nowMs()
      entry.refresh = null
      resolve()
    })
    entry.refresh = { agreed, ended }
    return entry.refresh
  }

  /** Refreshes the quotes of a currency and what it may be converted by. */
  function refreshAll(currency: string): { readonly direct: Refresh; readonly converted: Promise<unknown> } {
    const direct = sharedRefresh(currency)
    if (!isCrossed(currency) || !cross) return { direct, converted: Promise.resolve() }
    const usd = entryOf('USD')
    const isKept = directRate('USD') ? !isToBeRefreshed(usd) : hasJustFailed(usd)
    return { direct, converted: Promise.all([isKept || sharedRefresh('USD').agreed, cross.refreshed()]) }
  }

  function isToBeRefreshed({ beganAtMs }: Entry): boolean {
    return beganAtMs === null || isDue(Math.floor(beganAtMs / 1000), nowSecs(clock), maxAgeSecs)
  }

  function hasJustFailed({ refresh, endedAtMs }: Entry): boolean {
    return refresh === null && endedAtMs !== null && Math.abs(clock.nowMs() - endedAtMs) < RETRY_MS
  }

  async function awaited(currency: string, entry: Entry): Promise<Rate> {
    const { direct, converted } = refreshAll(currency)
    await direct.agreed
    const agreed = currentRate(currency)
    if (agreed) return agreed
    await converted
    const rate = currentRate(currency)
    if (rate) return rate
    throw unavailable(entry)
  }

  function unavailable(entry: Entry) {
    const { problem, leftOut } = decide(entry, minSources)
    const failures = [...entry.failures].map(([name, error]) => `${name}: ${(error as Error).message}`)
    const reasons = [...leftOut.map(({ source, reason }) => `${source}: ${reason}`), ...failures]
    return rateUnavailableError(
      new Error(`no rate (${problem}): ${reasons.join('; ') || 'no source has this currency'}`),
    )
  }

  return {
    async rate(currency) {
      const entry = entryOf(currency)
      const current = currentRate(currency)
      if (current) {
        if (isToBeRefreshed(entry)) refreshAll(currency)
        return current
      }
      if (hasJustFailed(entry)) throw unavailable(entry)
      return awaited(currency, entry)
    },

    report() {
      return [...entries].map(([currency, { quotes }]) => ({
        currency,
        quotes: [...quotes.values()],
        rate: currentRate(currency),
      }))
    },
  }
}
