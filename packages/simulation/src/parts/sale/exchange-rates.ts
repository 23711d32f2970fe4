import { createCachedRates } from '@zatgate/server/adapters/rates/cached'
import type { Overrides } from '@zatgate/server/infrastructure'
import { type Action, action, fault } from '../../run/part.ts'
import type { ServiceProcess } from '../../service/process.ts'
import { RATES_MAX_AGE_SECS } from '../../world/rates.ts'
import type { World } from '../../world/world.ts'

/** The cached rates of a process. */
export function cachedRates({ rates }: World, { clock }: ServiceProcess): Overrides {
  const terms = { clock, maxAgeSecs: RATES_MAX_AGE_SECS, minSources: 1 }
  return { rates: createCachedRates({ ...terms, sources: [rates], crossSource: null }) }
}

/** Changes and faults of the source of exchange rates. */
export function rateActions({ rates, scheduler, setup }: World): readonly Action[] {
  // Without withdrawals, only prices need rates.
  const share = setup.parts.includes('withdrawal') ? 1 : 0.3

  return [
    action('the rate jumps', 2 * share, () => {
      rates.jump()
      return 'the rate jumps'
    }),
    fault('the rate source fails', 5 * share, 'the source of exchange rates does not answer', draw => {
      rates.down = true
      scheduler.advance(draw.int(0, 200) * 1000)
      return 'the rate source fails'
    }),
    fault('the rate source is slow', share, 'the source of exchange rates answers late', draw => {
      rates.delayMs = draw.pick([1_000, 20_000, 90_000])
      return 'the rate source is slow'
    }),
    action('the rate source recovers', share, () => {
      rates.heal()
      return 'the rate source recovers'
    }),
  ]
}
