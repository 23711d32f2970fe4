/** A half-open interval of time, in Unix milliseconds. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Records the time spans of a state. */
export class SpanLog {
  readonly #ended: Span[] = []
  #fromMs: number | null = null

  begin(atMs: number): void {
    this.#fromMs ??= atMs
  }

  end(atMs: number): void {
    if (this.#fromMs !== null) this.#ended.push({ fromMs: this.#fromMs, toMs: atMs })
    this.#fromMs = null
  }

  /** All spans in order. A current span ends at infinity. */
  get spans(): Span[] {
    return this.#fromMs === null
      ? [...this.#ended]
      : [...this.#ended, { fromMs: this.#fromMs, toMs: Number.POSITIVE_INFINITY }]
  }
}

/** The times that are in a span of both lists. */
export function intersection(first: readonly Span[], second: readonly Span[]): Span[] {
  return first.flatMap(a =>
    second.flatMap(b => {
      const span = { fromMs: Math.max(a.fromMs, b.fromMs), toMs: Math.min(a.toMs, b.toMs) }
      return span.fromMs < span.toMs ? [span] : []
    }),
  )
}

/** Merges ordered spans whose gap is at most `gapMs`. */
export function withoutGaps(spans: readonly Span[], gapMs: number): Span[] {
  const merged: Span[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last && span.fromMs - last.toMs <= gapMs) merged[merged.length - 1] = { ...last, toMs: span.toMs }
    else merged.push(span)
  }
  return merged
}
