/**
 * Tells the calls of a comparison of the servers from those of a sync, by their signals. A comparison has its own signal,
 * under which it inspects the server first. All syncs share a signal, under which they read first, and inspect now and then.
 */
export class CallOrigins {
  readonly #firstCalls = new WeakMap<AbortSignal, 'reading' | 'inspection'>()

  /** Notes a read of the mempool or of the tip. */
  reading(signal: AbortSignal): AbortSignal {
    return this.#note(signal, 'reading')
  }

  /** Notes an inspection. */
  inspection(signal: AbortSignal): AbortSignal {
    return this.#note(signal, 'inspection')
  }

  isComparison(signal: AbortSignal): boolean {
    return this.#firstCalls.get(signal) === 'inspection'
  }

  #note(signal: AbortSignal, call: 'reading' | 'inspection'): AbortSignal {
    if (!this.#firstCalls.has(signal)) this.#firstCalls.set(signal, call)
    return signal
  }
}
