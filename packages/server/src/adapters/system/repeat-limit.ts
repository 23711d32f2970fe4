export interface RepeatLimitOptions {
  /** Lines of one key in an interval. */
  readonly maxLines: number
  readonly intervalMs: number
  /** Further keys share one entry. */
  readonly maxKeys: number
}

interface Interval {
  readonly sinceMs: number
  lines: number
  dropped: number
}

/** A key whose interval has ended, and the number of its lines that were left out. */
export interface Dropped<K> {
  readonly key: K
  readonly count: number
}

/**
 * Limits how often equal lines are written: a chain server, a receiver or a client may cause one as often as it likes.
 * Lines above the limit are counted, and the count is reported once for each interval.
 */
export class RepeatLimit {
  readonly #options: RepeatLimitOptions
  /** By the start of the interval, oldest first. */
  readonly #intervals = new Map<string, Interval>()

  constructor(options: RepeatLimitOptions) {
    this.#options = options
  }

  /** Whether to write the next line of this key. */
  allows(key: string, nowMs: number): boolean {
    const { maxLines, maxKeys } = this.#options
    const isNew = !this.#intervals.has(key)
    const counted = isNew && this.#intervals.size >= maxKeys ? '' : key
    const interval = this.#intervals.get(counted) ?? { sinceMs: nowMs, lines: 0, dropped: 0 }
    this.#intervals.set(counted, interval)
    if (interval.lines < maxLines) {
      interval.lines += 1
      return true
    }
    interval.dropped += 1
    return false
  }

  /** Ends the intervals that are over. Returns the keys with lines that were left out. */
  takeDropped(nowMs: number): Dropped<string>[] {
    const found: Dropped<string>[] = []
    for (const [key, { sinceMs, dropped }] of this.#intervals) {
      const isOver = nowMs - sinceMs >= this.#options.intervalMs || nowMs < sinceMs
      if (!isOver) break
      this.#intervals.delete(key)
      if (dropped > 0) found.push({ key, count: dropped })
    }
    return found
  }
}
