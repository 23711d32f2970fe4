import { SkewedClock } from '../skewed-clock.ts'

/** The time of a run, used by the simulated chain, the ledger and processes with a correct clock. */
export class SoakTime extends SkewedClock {
  readonly sinceMs: number
  readonly factor: number

  /** @param factor speed relative to the real clock */
  constructor(factor: number, sinceMs = Date.now()) {
    super({ factor, sinceMs })
    this.sinceMs = sinceMs
    this.factor = factor
  }

  /** The value of `ZATGATE_TEST_CLOCK` for a process whose clock is `shiftMs` ahead. */
  setting(shiftMs: number): string {
    return [this.sinceMs, this.factor, shiftMs].join(',')
  }
}
