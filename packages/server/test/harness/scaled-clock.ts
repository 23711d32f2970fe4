import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** A clock that runs `factor` times as fast as the system clock since `sinceMs`, so that several processes can agree. */
export function scaledClock(sinceMs: number, factor: number): Clock {
  return {
    nowMs: () => Math.floor(sinceMs + (systemClock.nowMs() - sinceMs) * factor),
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  }
}
