import { blockSpacingSecs } from '@zatgate/server/domain/chain/network-upgrade'
import type { Draw } from '../runtime/draw.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { World } from './world.ts'

/** Blocks during one passage of time. Longer passages end quietly: real networks have such gaps too. */
const MAX_BLOCKS = 16

/** How often, on average, the service runs during one passage of time. */
const RUNS_PER_PASSAGE = 2

/**
 * Lets time pass. Blocks are found at random intervals around the target spacing, unless `mines` is false.
 * @param stops the service runs at the times of up to this number of timers; later timers fire at the end
 */
export async function passTime(
  world: World,
  secs: number,
  draw: Draw,
  { stops = 0, mines = true }: { readonly stops?: number; readonly mines?: boolean } = {},
): Promise<void> {
  const { scheduler, network } = world
  const endMs = scheduler.nowMs + secs * 1000
  for (let blocks = 0; mines && blocks < MAX_BLOCKS && !world.finding; blocks++) {
    const spacing = blockSpacingSecs(world.params, network.height)
    const waitMs = Math.round(-Math.log(1 - draw.float()) * spacing * 1000)
    if (scheduler.nowMs + waitMs >= endMs) break
    // The service does not run at each block of a long passage: it finds several at once, as after a pause.
    if (draw.chance(RUNS_PER_PASSAGE / (secs / spacing))) await advance(scheduler, waitMs, stops)
    else scheduler.nowMs += waitMs
    world.mine([...network.mempool.keys()].filter(() => draw.chance(0.9)))
  }
  await advance(scheduler, endMs - scheduler.nowMs, stops)
}

async function advance(scheduler: Scheduler, ms: number, stops: number): Promise<void> {
  if (stops > 0) await scheduler.advanceByTimers(ms, stops)
  else scheduler.advance(ms)
  await scheduler.run()
}
