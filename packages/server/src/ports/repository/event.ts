import type { NewEvent } from '../../domain/event.ts'
import type { NewDelivery } from './delivery.ts'

/** The log of changes, which WebSockets and webhooks read. */
export interface EventRepository {
  /**
   * Writes the events, and those of their deliveries whose account has a webhook. The writes happen at the end of the
   * transaction, so that the lock on `seq` is held briefly; the events are not readable before.
   */
  append(events: readonly NewEvent[], deliveries: readonly NewDelivery[]): Promise<void>
  /** Ids of invoices with events above `seq`, oldest first, with the last `seq` that was read. */
  invoicesChangedSince(seq: number, limit: number): Promise<{ readonly seq: number; readonly invoiceIds: number[] }>
  /** The highest `seq`; 0 before the first event. */
  lastSeq(): Promise<number>
  /** Deletes events created before a time. @returns the number of deleted events */
  prune(before: number, limit: number): Promise<number>
}
