import { createCachedRates } from '../../adapters/rates/cached.ts'
import { createRateSources } from '../../adapters/rates/sources.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import type { Config } from '../../config/settings.ts'
import type { RateSource } from '../../ports/rate.ts'
import { type Finding, rootCauseMessage, runCheck, skipped } from './doctor-finding.ts'
import { withHttpClient } from './doctor-http.ts'

/** Says what each source of rates says in each currency of withdrawals, and which rate comes of it. */
export async function checkRates(config: Config): Promise<Finding> {
  if (config.sandbox) return skipped('rates', 'simulated')
  if (config.billingViewingKey === null)
    return skipped('rates', 'BILLING_VIEWING_KEY is not set: plans and withdrawals are off')
  return checkSources(config)
}

function checkSources({ rates, withdrawals }: Config): Promise<Finding> {
  const { maxAgeSecs, minSources } = rates
  return runCheck('rates', 'check RATES_SOURCES, RATES_MIN_SOURCES and WITHDRAWAL_CURRENCIES', () =>
    withHttpClient(async http => {
      const found = createRateSources(rates.sources, http, systemClock)
      const cached = createCachedRates({ ...found, clock: systemClock, maxAgeSecs, minSources })
      const reports = await Promise.all(
        withdrawals.currencies.map(async currency => {
          const said = await Promise.all(
            found.sources.filter(source => source.offers(currency)).map(source => askedPrice(source, currency)),
          )
          const rate = await cached.rate(currency).catch(() => null)
          const result = rate ? `1 ZEC = ${rate.price} ${currency}` : `no rate in ${currency}`
          const converted = rate?.cross ? [`USD converted by ${rate.cross.source} at ${rate.cross.price}`] : []
          return { isKnown: rate !== null, text: `${result} (${[...said, ...converted].join(', ')})` }
        }),
      )
      const text = reports.map(report => report.text).join('; ')
      if (reports.every(({ isKnown }) => isKnown)) return text
      throw new Error(text)
    }),
  )
}

async function askedPrice(source: RateSource, currency: string): Promise<string> {
  try {
    return `${source.name} ${(await source.price(currency)).price}`
  } catch (error) {
    return `${source.name}: ${rootCauseMessage(error)}`
  }
}
