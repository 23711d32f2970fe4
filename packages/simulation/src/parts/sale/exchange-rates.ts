import { createCachedRates } from '@zatgate/server/adapters/rates/cached'
import type { Overrides } from '@zatgate/server/infrastructure'
import type { Action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
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

  function action(name: string, weight: number, work: (draw: Draw) => void, fault?: string): Action {
    const run = (draw: Draw) => {
      work(draw)
      return name
    }
    return { name, weight: weight * share, run, ...(fault !== undefined && { fault }) }
  }

  return [
    action('the rate jumps', 2, () => rates.jump()),
    action(
      'the rate source fails',
      5,
      draw => {
        rates.down = true
        scheduler.advance(draw.int(0, 200) * 1000)
      },
      'the source of exchange rates does not answer',
    ),
    action(
      'the rate source is slow',
      1,
      draw => {
        rates.delayMs = draw.pick([1_000, 20_000, 90_000])
      },
      'the source of exchange rates answers late',
    ),
    action('the rate source recovers', 1, () => rates.heal()),
  ]
}
