import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Backoff, backoffMs } from '../domain/backoff.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

/** The result of a run: 'again' runs at once, 'idle' pauses first. `pauseMs`: pauses that long, `idleMs` at most. */
export type LoopResult = 'again' | 'idle' | { readonly pauseMs: number }

export interface LoopOptions {
  readonly name: string
  /** One bounded piece of work that respects the signal. Errors are logged and retried with exponential backoff. */
  readonly run: (signal: AbortSignal) => Promise<LoopResult>
  /** Maximum pause in milliseconds; `notify` ends it early. */
  readonly idleMs: number
  readonly clock: Clock
  readonly log: Log
  /** Subscribes `notify` to new work. Returns the unsubscribe function. */
  readonly subscribe?: (notified: () => void) => () => void
  /** Pause after the first failure and its maximum. Doubles with each further failure, reduced by jitter. */
  readonly backoff?: Backoff
  /** Returns a number from 0 to 1. */
  readonly jitter?: () => number
}

export interface Loop {
  /** Ends the idle pause, or makes another run follow the current one. Does not shorten a pause after a failure. */
  notify(): void
  /** Aborts the current run. Resolves when it has ended. */
  stop(): Promise<void>
}

const DEFAULT_BACKOFF = { firstMs: 500, maxMs: 30_000 }

/** Starts a loop that calls `run` repeatedly until stopped, one call at a time. */
export function startLoop(options: LoopOptions): Loop {
  const { run, clock, log, idleMs, backoff = DEFAULT_BACKOFF, jitter = Math.random } = options
  const stopping = new AbortController()
  let woken = false
  let endPause = () => {}
  let failures = 0

  const notified = () => {
    woken = true
    endPause()
  }

  async function pause(ms: number): Promise<void> {
    if (woken || stopping.signal.aborted) return
    const pausing = new AbortController()
    endPause = () => pausing.abort()
    await clock.sleep(ms, pausing.signal)
    endPause = () => {}
  }

  async function handleFailure(error: unknown): Promise<void> {
    failures += 1
    const pauseMs = backoffMs(failures, backoff, jitter())
    // Only failures 1, 2, 4, 8 … in a row are logged as errors, so that a long outage does not flood the log.
    const level = Number.isInteger(Math.log2(failures)) ? 'error' : 'debug'
    log[level]({ loop: options.name, failures, retryMs: pauseMs, err: error }, 'failed, retrying later')
    await clock.sleep(pauseMs, stopping.signal)
  }

  async function runOnce(): Promise<void> {
    woken = false
    try {
      const next = await run(stopping.signal)
      if (failures > 0) log.info({ loop: options.name, failures }, 'recovered after failures')
      failures = 0
      if (next !== 'again') await pause(next === 'idle' ? idleMs : Math.min(next.pauseMs, idleMs))
      await yieldToEventLoop()
    } catch (error) {
      if (!stopping.signal.aborted) await handleFailure(error)
    }
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) await runOnce()
  }

  const unsubscribe = options.subscribe?.(notified)
  const ended = Promise.resolve().then(work)
  return {
    notify: notified,
    async stop() {
      unsubscribe?.()
      stopping.abort()
      endPause()
      await ended
    },
  }
}
