/** Give up after this long without any success. */
const GIVE_UP_MS = 60_000

/**
 * Measures how long attempts have failed. A step that took longer than it can does not count: the device slept, or the
 * browser held the timers of a hidden page back.
 */
export class Patience {
  readonly #maxStepMs: number
  #failedMs = 0
  #steppedAtMs = Date.now()

  /** @param maxStepMs the longest time between two calls while the device is awake */
  constructor(maxStepMs: number) {
    this.#maxStepMs = maxStepMs
  }

  /** Ends the failures. */
  succeeded(): void {
    this.#failedMs = 0
    this.#steppedAtMs = Date.now()
  }

  /** Counts the time since the last call. @returns whether it is time to give up */
  failed(): boolean {
    const stepMs = Date.now() - this.#steppedAtMs
    this.#steppedAtMs += stepMs
    if (stepMs > 0 && stepMs <= this.#maxStepMs) this.#failedMs += stepMs
    return this.#failedMs > GIVE_UP_MS
  }
}
