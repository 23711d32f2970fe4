import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Clock } from '../../src/ports.ts'

/** The system's clock, but faster since a moment that several processes agree on. */
export function scaledClock(sinceMs: number, factor: number): Clock {
  return {
    nowMs: () => Math.floor(sinceMs + (systemClock.nowMs() - sinceMs) * factor),
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  }
}
