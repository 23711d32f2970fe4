import type { WaitingDelivery } from '../../../domain/notify/endpoint-progress.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import type { FinishedAttempt } from './delivery.ts'

/** A delivery to an endpoint that has not ended. `dueAtMs`: of one that is being sent, when its attempt counts as lost. */
export interface OpenEndpointDelivery extends WaitingDelivery {
  readonly id: number
  readonly publicId: string
  readonly isSending: boolean
  /** Attempts begun. */
  readonly attempts: number
  /** When the first attempt began, in Unix seconds. */
  readonly createdAt: number
  /** Which message of its event it sends, from 0 on. */
  readonly part: number
  /** The public id of the delivery that it repeats; null: of none. */
  readonly originalId: string | null
}

/** A delivery to an endpoint: its first attempt begins, or follows those of the parts before it. */
export interface NewEndpointDelivery {
  readonly publicId: string
  readonly accountId: number
  readonly endpointId: number
  readonly invoiceId: number | null
  readonly eventSeq: number
  readonly eventType: EventType
  readonly createdAt: number
  readonly part: number
  readonly originalId: string | null
}

/** Deliveries to endpoints. */
export interface EndpointDeliveryRepository {
  /** Not more than `limit`, in the order of the events. */
  openOf(endpointId: number, limit: number): Promise<OpenEndpointDelivery[]>
  /** Those among the events that the endpoint has received, or all of whose parts are being delivered to it. */
  takenAmong(endpointId: number, accountId: number, seqs: readonly number[]): Promise<ReadonlySet<number>>
  /** Inserts a delivery that waits. Earlier ones of the same part that have failed count as sent again. @returns its id */
  insert(delivery: NewEndpointDelivery, dueAtMs: number, isPassed: boolean): Promise<number>
  /**
   * Begins an attempt, and logs it.
   * @param leaseUntilMs when it counts as lost
   * @returns false when the delivery was deleted meanwhile, with its event
   */
  start(attempt: StartedEndpointAttempt, leaseUntilMs: number): Promise<boolean>
  /** Writes the result of an attempt into the log. */
  log(attempt: FinishedAttempt): Promise<void>
  /** Ends a delivery, or lets it wait until `dueAtMs`. */
  settle(id: number, state: 'delivered' | 'failed' | 'waiting', dueAtMs: number | null): Promise<void>
  /**
   * Makes all waiting deliveries due, by any clock: later events must not go before them when this one was ahead. Those of
   * events before `seq` are passed: they hold up no other any more.
   */
  release(endpointId: number, seq: number): Promise<void>
  /** Ends all that wait as failed. @returns their number */
  failAll(endpointId: number): Promise<number>
  /**
   * The number of the first event that has failed for good and was not sent again, without test events, of deliveries begun
   * at this time or later, in Unix seconds. Only the newest thousand of each type count. Null: there is none.
   */
  firstFailedSeq(accountId: number, endpointId: number, begunFrom: number): Promise<number | null>
  /** The number of deliveries that have failed for good and were not sent again, counted up to `max`. */
  countFailed(endpointId: number, max: number): Promise<number>
}

/** An attempt that is about to be sent. It is logged before. */
export interface StartedEndpointAttempt {
  readonly publicId: string
  readonly deliveryId: number
  readonly accountId: number
  readonly invoiceId: number | null
  readonly url: string
  /** Its number, 1 or more. */
  readonly attempt: number
  readonly startedAt: number
}
