import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store, Tx } from '../../ports/store.ts'

export interface LastUsedDeps {
  readonly store: Store
  readonly clock: Clock
  /** Called when recording the use of a credential fails. */
  readonly onError: (error: unknown) => void
}

/** Records when credentials of one kind were last used. */
export interface LastUsedRecorder {
  record(credential: { readonly id: number; readonly lastUsedAt: number | null }): void
  /** Resolves when no write is in progress. */
  whenIdle(): Promise<void>
}

/** A credential in constant use is written once in this many seconds. */
const RECORD_INTERVAL_SECS = 60
/** Credentials per transaction. */
const BATCH = 200
/** Beyond this number of credentials that wait, the use of others is not recorded. They are recorded at a later use. */
const MAX_PENDING = 10_000

/** Writes in batches after the request, so that no request waits for it. */
export function createLastUsedRecorder(
  { store, clock, onError }: LastUsedDeps,
  touch: (tx: Tx, ids: readonly number[], at: number) => Promise<void>,
): LastUsedRecorder {
  const pending = new Set<number>()
  let writing: Promise<void> | null = null

  async function flush(): Promise<void> {
    while (pending.size > 0) {
      const ids: number[] = []
      for (const id of pending) if (ids.push(id) === BATCH) break
      await store.write(tx => touch(tx, ids, nowSecs(clock))).catch(onError)
      for (const id of ids) pending.delete(id)
    }
    writing = null
  }

  return {
    record({ id, lastUsedAt }) {
      if (lastUsedAt !== null && nowSecs(clock) - lastUsedAt < RECORD_INTERVAL_SECS) return
      if (pending.size >= MAX_PENDING) return
      pending.add(id)
      writing ??= flush()
    },

    whenIdle: async () => writing ?? undefined,
  }
}
