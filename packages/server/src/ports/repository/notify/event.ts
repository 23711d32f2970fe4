import type { NewEvent } from '../../../domain/notify/event.ts'
import type { NewDelivery } from './delivery.ts'

/** A position in the log of changes. */
export interface EventCursor {
  readonly seq: number
  /**
   * Differs for another event with this number: a promoted standby numbers its own ones from an earlier state on. Null when
   * the event was not in the log any more, and before the first one.
   */
  readonly event: string | null
}

/** The log of changes, which WebSockets and webhooks read. */
export interface EventRepository {
  /**
   * Writes the events, and those of their deliveries whose account has a webhook. The writes happen at the end of the
   * transaction, so that the lock on `seq` is held briefly; the events are not readable before.
   */
  append(events: readonly NewEvent[], deliveries: readonly NewDelivery[]): Promise<void>
  /**
   * Ids of invoices with events after the cursor, oldest first, with the cursor of the last event that was read. Null when
   * the cursor is not a position in this log: the sequence went back, or the event is pruned and there are later ones.
   */
  invoicesChangedSince(
    cursor: EventCursor,
    limit: number,
  ): Promise<{ readonly cursor: EventCursor; readonly invoiceIds: number[] } | null>
  /** The position of the last event. */
  last(): Promise<EventCursor>
  /** Deletes events created before a time. @returns the number of deleted events */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
