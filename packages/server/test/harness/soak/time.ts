import { setTimeout as delay } from 'node:timers/promises'

/** The time of a run, used by the simulated chain, the ledger and processes with a correct clock. */
export class SoakTime {
  readonly sinceMs = Date.now()
  readonly factor: number

  /** @param factor speed relative to the real clock */
  constructor(factor: number) {
    this.factor = factor
  }

  nowMs(): number {
    return Math.floor(this.sinceMs + (Date.now() - this.sinceMs) * this.factor)
  }

  /** Sleeps for milliseconds of this time. Resolves early on an abort. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await delay(ms / this.factor, undefined, signal ? { signal } : {}).catch(() => undefined)
  }

  /** The value of `ZATGATE_TEST_CLOCK` for a process whose clock is `shiftMs` ahead. */
  setting(shiftMs: number): string {
    return [this.sinceMs, this.factor, shiftMs].join(',')
  }
}
