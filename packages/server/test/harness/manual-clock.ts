import type { Clock } from '../../src/ports/clock.ts'

interface Sleeper {
  readonly untilMs: number
  readonly wake: () => void
}

/** A clock that only moves when advanced. Sleepers wake in the order of their times. */
export class ManualClock implements Clock {
  #nowMs: number
  readonly #sleepers = new Set<Sleeper>()

  constructor(unixSecs = 1_800_000_000) {
    this.#nowMs = unixSecs * 1000
  }

  nowMs(): number {
    return this.#nowMs
  }

  get secs(): number {
    return Math.floor(this.#nowMs / 1000)
  }

  /** Remaining sleep times in milliseconds, shortest first. */
  get sleeping(): number[] {
    return [...this.#sleepers].map(sleeper => sleeper.untilMs - this.#nowMs).sort((a, b) => a - b)
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const notify = () => {
        this.#sleepers.delete(sleeper)
        resolve()
      }
      const sleeper = { untilMs: this.#nowMs + ms, wake: notify }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', notify, { once: true })
    })
  }

  advanceMs(ms: number): void {
    this.#nowMs += ms
    const due = [...this.#sleepers].filter(sleeper => sleeper.untilMs <= this.#nowMs)
    for (const sleeper of due.sort((a, b) => a.untilMs - b.untilMs)) sleeper.wake()
  }

  advance(secs: number): void {
    this.advanceMs(secs * 1000)
  }
}
