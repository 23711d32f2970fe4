import type { EventSkip } from '../../../domain/database-identity.ts'
import type { EventType, NewEvent } from '../../../domain/notify/event.ts'
import type { NewDelivery } from './new-delivery.ts'

/** An event to append, with its deliveries. */
export interface AppendedEvent extends NewEvent {
  readonly publicId: string
  readonly deliveries?: readonly Omit<NewDelivery, 'eventSeq'>[]
  /** A delivery to one endpoint, which gets no other event by it. */
  readonly endpointDelivery?: { readonly publicId: string; readonly endpointId: number; readonly dueAtMs: number }
}

/** An event of the feed. */
export interface Event {
  readonly accountId: number
  /** Counts the events of the account from 1 on, in the order of their commits. A restored copy leaves a gap. */
  readonly seq: number
  readonly publicId: string
  readonly invoiceId: number | null
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

/** A page of a list of events: those with numbers below `before`, or the nearest above `after`. At most one of the two. */
export interface EventListPage {
  readonly limit: number
  readonly before?: number
  readonly after?: number
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
  /** The account's newest events, or those nearest to a number, newest first. @param type only of this type */
  listNewest(accountId: number, page: EventListPage, type?: EventType): Promise<Event[]>
  /** The numbers of the account's next events, without test events. @param types only of these types; null: of all */
  numbersAfter(accountId: number, after: number, limit: number, types: readonly EventType[] | null): Promise<number[]>
  bySeq(accountId: number, seq: number): Promise<Event | null>
  /** The number of the first event at or after a time, if the clock never went back; null: there is none. */
  firstSince(accountId: number, since: number): Promise<number | null>
  /** The next events get much higher numbers: a restored copy may have lost events that a reader has seen. */
  skipNumbers(skip: EventSkip): Promise<void>
  /** Deletes events created before a time, with their deliveries. @returns the number of deleted events */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
