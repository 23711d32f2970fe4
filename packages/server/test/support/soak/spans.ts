/** A half-open interval of time, in Unix milliseconds. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Records when something was the case. */
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

  /** All spans in order; one that goes on has no end. */
  get spans(): Span[] {
    return this.#fromMs === null
      ? [...this.#ended]
      : [...this.#ended, { fromMs: this.#fromMs, toMs: Number.POSITIVE_INFINITY }]
  }
}

/** The moments that are in a span of each list. */
export function intersection(one: readonly Span[], other: readonly Span[]): Span[] {
  return one.flatMap(a =>
    other.flatMap(b => {
      const span = { fromMs: Math.max(a.fromMs, b.fromMs), toMs: Math.min(a.toMs, b.toMs) }
      return span.fromMs < span.toMs ? [span] : []
    }),
  )
}

/** Ordered spans with the gaps of at most `gapMs` closed. */
export function withoutGaps(spans: readonly Span[], gapMs: number): Span[] {
  const joined: Span[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last && span.fromMs - last.toMs <= gapMs) joined[joined.length - 1] = { ...last, toMs: span.toMs }
    else joined.push(span)
  }
  return joined
}
