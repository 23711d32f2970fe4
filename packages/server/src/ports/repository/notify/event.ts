import type { EventType, NewEvent } from '../../../domain/notify/event.ts'
import type { NewDelivery } from './delivery.ts'

/** An event to append, with its deliveries to the account's webhook. */
export interface AppendedEvent extends NewEvent {
  readonly publicId: string
  readonly deliveries?: readonly Omit<NewDelivery, 'eventSeq'>[]
}

/** An event of the feed. */
export interface Event {
  readonly accountId: number
  /** Counts the events of the account from 1 on, in the order of their commits. A restored copy leaves a gap. */
  readonly seq: number
  readonly publicId: string
  readonly type: EventType
  readonly body: string
  readonly createdAt: number
}

/** The numbers of an account's events. */
export interface EventRange {
  /** All events up to this one are pruned; 0: none is. */
  readonly prunedSeq: number
  /** That of the newest event; 0: there is none. */
  readonly lastSeq: number
}

/** The events of accounts. */
export interface EventRepository {
  /**
   * Writes the events, and those of their deliveries whose account has a webhook. The writes happen at the end of the
   * transaction, so that the lock on an account's numbers is held briefly; the events are not readable before.
   */
  append(events: readonly AppendedEvent[]): Promise<void>
  range(accountId: number): Promise<EventRange>
  /** The numbers of the newest events of these accounts. Accounts without events are left out. */
  lastSeqs(accountIds: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** The account's events after a number, in their order. @param types only of these types */
  listAfter(accountId: number, after: number, limit: number, types?: readonly EventType[]): Promise<Event[]>
  /** The next events get much higher numbers: a restored copy may have lost events that a reader has seen. */
  skipNumbers(step: number): Promise<void>
  /** Deletes events created before a time, with their deliveries. @returns the number of deleted events */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
