import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import type { Scheduler } from './scheduler.ts'

let current: Scheduler | null = null
let installed = false

/** Sets the scheduler of the present run; null between runs, when the real timers and random numbers are in effect. */
export function useScheduler(scheduler: Scheduler | null): void {
  current = scheduler
  if (!installed) install()
}

/**
 * Replaces the timers, clocks and random numbers of this process by those of the scheduler. The service takes its time
 * and randomness from ports; this covers the few places that do not, such as the jitter of retries.
 */
function install(): void {
  installed = true
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setImmediate: globalThis.setImmediate,
    random: Math.random,
    dateNow: Date.now,
    performanceNow: performance.now.bind(performance),
    abortTimeout: AbortSignal.timeout,
    abortAny: AbortSignal.any,
    yieldPromise: timersPromises.setImmediate,
    sleepPromise: timersPromises.setTimeout,
  }

  const setTimeout = (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    current ? handleOf(current, ms, () => work(...args)) : real.setTimeout(work, ms, ...args)
  const clearTimeout = (handle: unknown) => {
    if (handle instanceof TimerHandle) handle.cancel()
    else real.clearTimeout(handle as NodeJS.Timeout)
  }
  const setImmediate = (work: (...args: unknown[]) => void, ...args: unknown[]) =>
    current ? current.enqueue(() => work(...args)) : real.setImmediate(work, ...args)

  Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate })
  Math.random = () => (current ? current.draw.float() : real.random())
  Date.now = () => (current ? current.nowMs : real.dateNow())
  performance.now = () => (current ? current.nowMs : real.performanceNow())
  AbortSignal.timeout = ms => {
    if (!current) return real.abortTimeout.call(AbortSignal, ms)
    const controller = new AbortController()
    current.startTimer(ms, () => controller.abort(new DOMException('the operation timed out', 'TimeoutError')))
    return controller.signal
  }
  AbortSignal.any = signals => (current ? anyOf(signals) : real.abortAny.call(AbortSignal, signals))
  Object.assign(timersPromises, {
    setImmediate: (value?: unknown) => (current ? current.yield().then(() => value) : real.yieldPromise(value)),
    setTimeout: (ms = 0, value?: unknown) =>
      current
        ? new Promise(resolve => current!.startTimer(ms, () => resolve(value)))
        : real.sleepPromise(ms, value as undefined),
  })
  syncBuiltinESMExports()
}

/** As `AbortSignal.any`, whose signals stay in memory until they abort: those of crashed processes never do. */
function anyOf(signals: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  }
  return controller.signal
}

function handleOf(scheduler: Scheduler, ms: number, fire: () => void): TimerHandle {
  const timer = scheduler.startTimer(ms, fire)
  return new TimerHandle(() => scheduler.cancelTimer(timer))
}

/** The part of Node's timeout object that the service uses. */
class TimerHandle {
  readonly cancel: () => void

  constructor(cancel: () => void) {
    this.cancel = cancel
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}
