import type { Account } from '../../domain/account/account.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import type { EventType } from '../../domain/notify/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Event } from '../../ports/repository/notify/event.ts'
import type { Store } from '../../ports/store.ts'

export interface EventQuery {
  /** Events after this number; default: from the oldest that is kept. */
  readonly after?: number | undefined
  /** Default: of all types. */
  readonly types?: readonly EventType[] | undefined
  readonly limit: number
  /** How long to wait for the first event, in milliseconds; 0: not at all. */
  readonly waitMs: number
}

export interface EventPage {
  readonly events: readonly Event[]
  /** Reading on after this number misses nothing. With few types it is above the last event of the page. */
  readonly nextAfter: number
}

/** Reads the events of an account, in the order of their commits. */
export interface EventFeed {
  /**
   * The next events. None when there are none after the wait, when the signal aborts it, and when the feed closes.
   * @throws AppError `events_pruned` (410) when events after the number are no longer kept; `invalid_after` for a number
   * above the newest; `too_many_event_readers`
   */
  read(account: Account, query: EventQuery, signal: AbortSignal): Promise<EventPage>
  /** Ends all waits, and those to come. */
  close(): void
}

const MAX_WAITING = 2_000
const MAX_WAITING_OF_ACCOUNT = 20
const RETRY_SECS = 5
/** In case a notification is missed. */
const POLL_MS = 1_000

/** A reader that waits for an event of its account after a number. */
interface Waiter {
  readonly accountId: number
  readonly after: number
  readonly wake: () => void
}

export function createEventFeed({ store, clock }: { readonly store: Store; readonly clock: Clock }): EventFeed {
  const waiting = new Set<Waiter>()
  let isWatching = false
  let isClosed = false

  async function readNow(accountId: number, { after, types, limit }: EventQuery): Promise<EventPage> {
    return store.read(async tx => {
      const { prunedSeq, lastSeq } = await tx.events.range(accountId)
      const from = after ?? prunedSeq
      if (from < prunedSeq) throw new AppError('events_pruned', { extra: { first_seq: prunedSeq + 1 } })
      if (from > lastSeq) throw invalidField('after', `the newest event of this account is ${lastSeq}`)
      const events = from < lastSeq ? await tx.events.listAfter(accountId, from, limit, types) : []
      const isFull = events.length === limit
      return { events, nextAfter: isFull ? (events.at(-1)?.seq ?? from) : lastSeq }
    })
  }

  /** Resolves when the account has an event after the number, at a time, or when the signal aborts. */
  async function nextEvent(accountId: number, after: number, untilMs: number, signal: AbortSignal): Promise<void> {
    const ofAccount = [...waiting].filter(waiter => waiter.accountId === accountId).length
    if (waiting.size >= MAX_WAITING || ofAccount >= MAX_WAITING_OF_ACCOUNT)
      throw new AppError('too_many_event_readers', { retryAfterSecs: RETRY_SECS })
    const pause = new AbortController()
    const wake = () => pause.abort()
    const waiter = { accountId, after, wake }
    waiting.add(waiter)
    signal.addEventListener('abort', wake, { once: true })
    if (!isWatching) void watch()
    await clock.sleep(Math.max(0, untilMs - clock.nowMs()), pause.signal)
    signal.removeEventListener('abort', wake)
    waiting.delete(waiter)
  }

  /** One query for all readers finds the accounts with new events, for as long as anybody waits. */
  async function watch(): Promise<void> {
    isWatching = true
    let notified = () => {}
    const unlisten = store.listen('events', () => notified())
    try {
      while (waiting.size > 0) {
        const pause = new AbortController()
        notified = () => pause.abort()
        const accountIds = new Set([...waiting].map(({ accountId }) => accountId))
        const lastSeqs = await store.query(tx => tx.events.lastSeqs([...accountIds]))
        for (const waiter of waiting) if ((lastSeqs.get(waiter.accountId) ?? 0) > waiter.after) waiter.wake()
        await clock.sleep(POLL_MS, pause.signal)
      }
    } catch {
      // The next read of each reader meets the error.
      for (const { wake } of waiting) wake()
    } finally {
      isWatching = false
      unlisten()
    }
  }

  return {
    async read({ id }, query, signal) {
      const endsAtMs = clock.nowMs() + query.waitMs
      let page = await readNow(id, query)
      while (page.events.length === 0 && clock.nowMs() < endsAtMs && !signal.aborted && !isClosed) {
        await nextEvent(id, page.nextAfter, endsAtMs, signal)
        page = await readNow(id, { ...query, after: page.nextAfter })
      }
      return page
    },

    close() {
      isClosed = true
      for (const { wake } of waiting) wake()
    },
  }
}
