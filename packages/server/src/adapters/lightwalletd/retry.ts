import { backoffMs } from '../../domain/backoff.ts'
import type { Clock } from '../../ports/clock.ts'
import { isTransient } from './server.ts'

export const ATTEMPTS = 3
const BACKOFF = { firstMs: 200, maxMs: 10_000 }

/** Makes a call up to `ATTEMPTS` times, as long as its errors are transient. */
export async function retrying<T>(call: () => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === ATTEMPTS || !isTransient(error, signal)) throw error
      await clock.sleep(retryMs(attempt), signal)
    }
  }
}

/** A random time between half and all of the exponential backoff. */
export function retryMs(attempt: number): number {
  return backoffMs(attempt, BACKOFF, Math.random())
}

/** Settles like `work`, or rejects with the signal's reason when it aborts first. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
