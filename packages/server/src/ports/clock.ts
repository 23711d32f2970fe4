/** The time source of the service. Tests inject a clock that they set. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The current time in Unix seconds, the unit of the API and the tables. */
export function nowSecs(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}
