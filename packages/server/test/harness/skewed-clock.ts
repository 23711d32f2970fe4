import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** A clock that runs as the real one does, from whatever time, and is set forward by hand. */
export class SkewedClock implements Clock {
  #skewMs: number
  readonly sleep = systemClock.sleep

  /** @param unixSecs the time it begins at */
  constructor(unixSecs = 1_800_000_000) {
    this.#skewMs = unixSecs * 1000 - systemClock.nowMs()
  }

  nowMs(): number {
    return systemClock.nowMs() + this.#skewMs
  }

  advance(secs: number): void {
    this.#skewMs += secs * 1000
  }
}
