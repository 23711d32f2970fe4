import type { NewInvoice } from '../ports/repository/invoice.ts'

/** `watchUntil` is rounded up to this many seconds, so that a busy key's row changes once an hour instead of with every invoice. */
const WATCH_STEP_SECS = 3_600
const MAX_KEYS = 10_000

/** Caches the `watchUntil` that this process has committed for each viewing key. */
export interface WatchCache {
  /** The `watchUntil` to write with this invoice, in Unix seconds; null when the stored value is already late enough. */
  due(invoice: NewInvoice): number | null
  /** Call it after the commit of an invoice whose `due` was written. */
  written(invoice: NewInvoice): void
}

/** The stored value never decreases, so cached values stay valid lower bounds. */
export function createWatchCache(): WatchCache {
  const known = new Map<number, number>()
  const step = (until: number) => Math.ceil(until / WATCH_STEP_SECS) * WATCH_STEP_SECS
  return {
    due: ({ viewingKeyId, watchUntil }) => ((known.get(viewingKeyId) ?? 0) >= watchUntil ? null : step(watchUntil)),

    written({ viewingKeyId, watchUntil }) {
      if (known.size >= MAX_KEYS) known.clear()
      known.set(viewingKeyId, Math.max(known.get(viewingKeyId) ?? 0, step(watchUntil)))
    },
  }
}
