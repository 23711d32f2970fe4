/** Where the sandbox takes the time from; the server's clocks fit. */
export interface Clock {
  /** Unix milliseconds */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }
