import { setTimeout as delay } from 'node:timers/promises'

/** The time source of the sandbox. Compatible with the clock port of the server. */
export interface Clock {
  /** Unix milliseconds */
  nowMs(): number
  /** Resolves after `ms` milliseconds of this clock, or when the signal is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
}
