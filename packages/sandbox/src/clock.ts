import { setTimeout as after } from 'node:timers/promises'

/** Where the sandbox takes the time from; the server's clocks fit. */
export interface Clock {
  /** Unix milliseconds */
  nowMs(): number
  /** Resolves after `ms` of this clock, or at once when the signal is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) => after(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
}
