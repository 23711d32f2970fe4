import type { World } from './world.ts'

/** No transaction takes longer, and no attempt from its claim to its request. */
const CLOCK_MEMORY_MS = 60_000

/** Whether a transaction or an attempt that is under way may have read a clock before it was set. */
export function clockWasSet({ clocksChangedMs, scheduler }: Pick<World, 'clocksChangedMs' | 'scheduler'>): boolean {
  return scheduler.nowMs - clocksChangedMs <= CLOCK_MEMORY_MS
}
