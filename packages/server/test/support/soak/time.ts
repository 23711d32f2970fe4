import { setTimeout as after } from 'node:timers/promises'

/** The true time of a run: that of the simulated chain, of the ledger, and of processes whose clock is right. */
export class SoakTime {
  readonly sinceMs = Date.now()
  readonly factor: number

  /** @param factor how many times faster than the real clock it runs */
  constructor(factor: number) {
    this.factor = factor
  }

  nowMs(): number {
    return Math.floor(this.sinceMs + (Date.now() - this.sinceMs) * this.factor)
  }

  /** Milliseconds of this time; resolves early on an abort. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await after(ms / this.factor, undefined, signal ? { signal } : {}).catch(() => undefined)
  }

  /** The value of `ZATGATE_TEST_CLOCK` for a process whose clock is `shiftMs` ahead. */
  setting(shiftMs: number): string {
    return [this.sinceMs, this.factor, shiftMs].join(',')
  }
}
