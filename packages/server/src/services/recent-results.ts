import type { Clock } from '../ports/clock.ts'

export interface RecentResults<T> {
  /** The result of the last computation for the key if it is recent, otherwise of a new one. Failures are not kept. */
  get(key: string, compute: () => Promise<T>): Promise<T>
}

/** Keeps results for some seconds, so that a page cannot make the service compute them at the rate of its requests. */
export function createRecentResults<T>(
  clock: Pick<Clock, 'nowMs'>,
  { maxAgeMs, maxKeys }: { readonly maxAgeMs: number; readonly maxKeys: number },
): RecentResults<T> {
  const results = new Map<string, { readonly atMs: number; readonly result: Promise<T> }>()

  return {
    get(key, compute) {
      const now = clock.nowMs()
      const known = results.get(key)
      // A result from the future was computed before the clock was set back; its age is the difference.
      if (known && Math.abs(now - known.atMs) < maxAgeMs) return known.result
      const own = { atMs: now, result: compute() }
      results.delete(key)
      results.set(key, own)
      if (results.size > maxKeys) results.delete(results.keys().next().value as string)
      own.result.catch(() => {
        if (results.get(key) === own) results.delete(key)
      })
      return own.result
    },
  }
}
