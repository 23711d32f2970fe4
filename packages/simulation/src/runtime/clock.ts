import type { Clock } from '@zatgate/server/ports/clock'
import type { Scheduler } from './scheduler.ts'

/** The clock of one simulated machine: the true time plus an error. */
export class SimulatedClock implements Clock {
  /** How far the clock is ahead, in milliseconds. */
  errorMs = 0
  readonly #scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  nowMs(): number {
    return this.#scheduler.nowMs + this.errorMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const timer = this.#scheduler.startTimer(ms, wake)
      const scheduler = this.#scheduler
      function wake(): void {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      function abort(): void {
        scheduler.cancelTimer(timer)
        resolve()
      }
      signal?.addEventListener('abort', abort, { once: true })
    })
  }
}
