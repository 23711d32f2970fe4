/** Delays between the attempts of work that fails. */
export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * Exponential backoff in milliseconds: `firstMs` doubled with each further failure, at most `maxMs`, reduced by up to half.
 * @param failures 1 or more
 * @param jitter 0 to 1: the part of the possible reduction to apply
 */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff, jitter = 0): number {
  const full = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs)
  return Math.round(full * (1 - jitter / 2))
}
