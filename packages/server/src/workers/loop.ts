import { setImmediate as breathe } from 'node:timers/promises'
import type { Clock, Log } from '../ports.ts'

/** What a loop does after a piece of work: the next one at once, or a rest first. */
export type Next = 'again' | 'idle'

export interface LoopOptions {
  readonly name: string
  /** One bounded piece of work. It heeds the signal; what it throws is logged and tried again, later and later. */
  readonly run: (signal: AbortSignal) => Promise<Next>
  /** The rest after 'idle', unless a wake ends it. */
  readonly idleMs: number
  readonly clock: Clock
  readonly log: Log
  /** Tells the loop of new work: gets its `wake`, gives back the way to leave. */
  readonly wakeOn?: (wake: () => void) => () => void
  /** The rest after the first failure, doubled by each further one, and its limit; a random part of it is left out. */
  readonly backoff?: { readonly firstMs: number; readonly mostMs: number }
  /** 0 to 1. */
  readonly jitter?: () => number
}

export interface Loop {
  /** Ends a rest, or has one more piece of work follow the present one. A rest after a failure is kept. */
  wake(): void
  /** Aborts the work under way; resolves when it has ended. */
  stop(): Promise<void>
}

const USUAL_BACKOFF = { firstMs: 500, mostMs: 30_000 }

/** Starts doing `run` over and over, until stopped: never two at a time. */
export function startLoop(options: LoopOptions): Loop {
  const { run, clock, log, idleMs, backoff = USUAL_BACKOFF, jitter = Math.random } = options
  const stopping = new AbortController()
  let wakened = false
  let endRest = () => {}
  let failures = 0

  const wake = () => {
    wakened = true
    endRest()
  }

  async function rest(): Promise<void> {
    const resting = new AbortController()
    endRest = () => resting.abort()
    if (!wakened) await clock.sleep(idleMs, AbortSignal.any([stopping.signal, resting.signal]))
    endRest = () => {}
  }

  async function failed(error: unknown): Promise<void> {
    failures += 1
    const restMs = backoffMs(failures, backoff, jitter())
    // Every failure of a long outage would drown the rest of the log: the 1st, 2nd, 4th, 8th … are told.
    const level = Number.isInteger(Math.log2(failures)) ? 'error' : 'debug'
    log[level]({ loop: options.name, failures, restMs, err: error }, 'failed, will try again')
    await clock.sleep(restMs, stopping.signal)
  }

  async function once(): Promise<void> {
    wakened = false
    try {
      const next = await run(stopping.signal)
      if (failures > 0) log.info({ loop: options.name, failures }, 'works again')
      failures = 0
      if (next === 'idle') await rest()
      await breathe()
    } catch (error) {
      if (!stopping.signal.aborted) await failed(error)
    }
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) await once()
  }

  const leave = options.wakeOn?.(wake)
  const ended = Promise.resolve().then(work)
  return {
    wake,
    async stop() {
      leave?.()
      stopping.abort()
      await ended
    },
  }
}

/** Between half and all of `firstMs` doubled with each failure, at most `mostMs`. */
export function backoffMs(failures: number, backoff: { firstMs: number; mostMs: number }, jitter: number): number {
  const full = Math.min(backoff.firstMs * 2 ** Math.min(failures - 1, 30), backoff.mostMs)
  return Math.round(full * (1 - jitter / 2))
}
