import type { EventType, NewEvent } from '../../domain/event.ts'

export interface EventRow extends NewEvent {
  /** Increases in the order of commits: a reader that has seen `seq` will see every later one above it. */
  readonly seq: number
  readonly type: EventType | null
}

export interface EventRows {
  /**
   * Writes the events and, for those with a body, the deliveries of accounts that have a webhook: at the end of the
   * transaction, whenever it is called, so that the lock on the numbering is held shortly. Not readable before.
   */
  append(events: readonly NewEvent[]): Promise<void>
  /** Invoice ids touched by events above `seq`, oldest first, with the last `seq` read. */
  touchedSince(seq: number, limit: number): Promise<{ readonly seq: number; readonly invoiceIds: number[] }>
  /** 0 before the first event. */
  lastSeq(): Promise<number>
  /** Deletes events made before; how many. */
  prune(before: number, limit: number): Promise<number>
}
