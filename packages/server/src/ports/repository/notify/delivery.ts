import type {
  DeliveryState,
  EndedProgress,
  OpenProgress,
  SendingProgress,
  WaitingProgress,
} from '../../../domain/notify/delivery-schedule.ts'
import type { Endpoint } from '../../../domain/notify/endpoint.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import type { Page } from '../page.ts'
import type { Event } from './event.ts'
import type { NewDelivery } from './new-delivery.ts'
import type { Webhook } from './webhook.ts'

interface DeliveryFields extends Omit<NewDelivery, 'dueAtMs'> {
  readonly id: number
}

/** A delivery that has not ended. */
export interface OpenDelivery extends DeliveryFields {
  readonly progress: OpenProgress
  /** The exact request body. */
  readonly body: string
}

/** A delivery in any state. */
export interface Delivery extends DeliveryFields {
  readonly state: DeliveryState
  /** Null: to the webhook. */
  readonly endpointPublicId: string | null
  /** Which message of its event it sends to an endpoint, from 0 on. */
  readonly part: number
  /** The public id of the delivery that it repeats; null: of none. */
  readonly originalId: string | null
}

/** An attempt that is about to be sent. It is logged before. */
export interface StartedAttempt {
  readonly publicId: string
  readonly delivery: OpenDelivery
  readonly progress: SendingProgress
  readonly url: string
  readonly startedAt: number
}

/** The result of an attempt, and the new progress of its delivery. */
export interface FinishedAttempt {
  readonly publicId: string
  /** Not its row id: in a promoted standby that id may belong to another delivery. */
  readonly deliveryPublicId: string
  readonly accountId: number
  readonly progress: WaitingProgress | EndedProgress
  /** Null when no response head was received. */
  readonly statusCode: number | null
  /** Readable description; null for a success. */
  readonly error: string | null
  readonly durationMs: number
  /** The first bytes of the response body as text; null when none were received. */
  readonly response: string | null
  /** A line for each header; null when nothing was sent, or received. */
  readonly requestHeaders: string | null
  readonly responseHeaders: string | null
}

/** An entry of the delivery log. */
export interface AttemptRow {
  readonly publicId: string
  readonly deliveryPublicId: string
  readonly invoicePublicId: string | null
  /** Null: to the webhook. */
  readonly endpointPublicId: string | null
  readonly eventType: EventType
  readonly url: string
  readonly attempt: number
  readonly statusCode: number | null
  readonly error: string | null
  /** Null while the attempt is in flight, and when its result is unknown. */
  readonly durationMs: number | null
  readonly createdAt: number
  /** As in its delivery. */
  readonly part: number
  readonly originalId: string | null
}

/** Selects entries of the delivery log to list. */
export interface AttemptFilter {
  readonly invoicePublicId?: string
}

/** Selects deliveries to list. */
export interface DeliveryFilter {
  /** Only those that have failed for good and were not sent again, without test events. */
  readonly failed?: boolean
  readonly type?: EventType
  /** Only of the newest invoices of this order. */
  readonly orderId?: string
  /** Only to this endpoint. Null: only to the webhook. */
  readonly endpointId?: number | null
  /** Only of the event with this number. */
  readonly eventSeq?: number
  /** Only the delivery with this public id. */
  readonly publicId?: string
}

/** Where an event was sent, and how that stands. */
export interface EventDelivery {
  readonly eventSeq: number
  /** Null: to the webhook. */
  readonly endpointUrl: string | null
  readonly state: DeliveryState
}

/** The attempts that a list shows of each delivery. The page of a delivery has all. */
export const LISTED_ATTEMPTS = 10

/** The deliveries of an event that are read: those to all endpoints, also if some were sent again. */
export const MAX_EVENT_DELIVERIES = 50

/** A delivery in the dashboard's list. */
export interface DeliveryRow {
  readonly publicId: string
  readonly invoicePublicId: string | null
  readonly orderId: string | null
  /** Null: to the webhook. */
  readonly endpoint: { readonly publicId: string; readonly url: string; readonly isActive: boolean } | null
  readonly eventType: EventType
  readonly state: DeliveryState
  /** Attempts begun. */
  readonly attempts: number
  /** When the next attempt is due, Unix milliseconds; null: it has ended, or follows an earlier event that fails. */
  readonly dueAtMs: number | null
  readonly createdAt: number
  /** When it was sent again as a new delivery after it had failed. */
  readonly resentAt: number | null
  /** Newest first, at most `LISTED_ATTEMPTS`. */
  readonly lastAttempts: readonly AttemptRow[]
}

/** An entry of the delivery log with its response. The request is made from its event. */
export interface AttemptDetail extends AttemptRow {
  readonly requestHeaders: string | null
  readonly responseHeaders: string | null
  readonly response: string | null
  readonly deliveryState: DeliveryState
  readonly event: Event
  /** Null: the webhook. */
  readonly receiver: Pick<Endpoint, 'dialect' | 'greenfieldEvents'> | null
}

/** Webhook deliveries and the log of their attempts. */
export interface DeliveryRepository {
  /** Inserts the deliveries whose account has a webhook. @returns their number */
  insert(deliveries: readonly NewDelivery[]): Promise<number>
  /** Inserts deliveries of accounts whose webhooks are locked. */
  insertLocked(deliveries: readonly NewDelivery[]): Promise<void>
  byPublicId(accountId: number, publicId: string): Promise<Delivery | null>

  // For delivery: lock the webhooks, decide, write, reschedule.

  /**
   * Locks the webhooks of these accounts until the transaction ends: no other transaction changes their deliveries
   * meanwhile. Call it first. @returns the accounts that have one
   */
  lockWebhooks(accountIds: readonly number[]): Promise<ReadonlySet<number>>
  /** The webhooks that `lockDueWebhooks` would lock, without their locks. */
  listDueWebhooks(nowMs: number, limit: number, except: readonly number[]): Promise<Webhook[]>
  /**
   * Locks webhooks with due deliveries, longest due first. Skips webhooks that are locked by another transaction, and those
   * that are set aside. @param only of these accounts; default: of all
   */
  lockDueWebhooks(nowMs: number, limit: number, except: readonly number[], only?: readonly number[]): Promise<Webhook[]>
  /** Public ids of the account's due deliveries that are not set aside, longest due first. */
  listDueIds(accountId: number, nowMs: number, limit: number): Promise<string[]>
  /** The due deliveries of locked webhooks, longest due first, up to the limit of each account, that are not set aside. */
  listDue(
    shares: readonly { accountId: number; limit: number; publicIds?: readonly string[] }[],
    nowMs: number,
  ): Promise<OpenDelivery[]>
  /**
   * Logs the attempts and marks their deliveries as `sending`, except for deliveries that have ended meanwhile.
   * @returns the ids of the deliveries that are now `sending`
   */
  startAttempts(attempts: readonly StartedAttempt[]): Promise<ReadonlySet<number>>
  /** Marks deliveries as failed after their last attempt was interrupted. @returns as `finishAttempts` */
  markFailed(ids: readonly number[]): Promise<number[]>
  /** Logs that the result of these deliveries' current attempts is unknown. */
  markInterrupted(ids: readonly number[], error: string): Promise<void>
  /**
   * Logs the results. A delivery changes only if the attempt is its current one, or succeeded.
   * @returns the account id of each delivery that has now failed for good, without test events
   */
  finishAttempts(attempts: readonly FinishedAttempt[]): Promise<number[]>
  /**
   * Makes an open delivery due, unless an attempt is under way.
   * @returns when that attempt counts as lost, in Unix milliseconds; null: none is under way
   */
  makeDue(publicId: string, nowMs: number): Promise<number | null>
  /** Stores when the next delivery of each locked webhook is due, of those that are not set aside. Call it last. */
  reschedule(accountIds: readonly number[]): Promise<void>
  /**
   * The earliest time at which a delivery may be due, in Unix milliseconds.
   * @param afterMs after this time. Default: overdue ones count too
   */
  nextDueAtMs(afterMs?: number): Promise<number | null>

  // For display.

  /** Number of deliveries that have not ended, counted up to `MAX_MEASURED`. */
  countOpen(): Promise<number>
  /** Number of an account's deliveries that have not ended, counted up to `max`. */
  countOpenOf(accountId: number, max: number): Promise<number>
  listAttempts(accountId: number, page: Page, filter?: AttemptFilter): Promise<AttemptRow[]>
  /** The newest attempts of a delivery, newest first. */
  attemptsOf(accountId: number, deliveryPublicId: string, limit: number): Promise<AttemptRow[]>
  attemptByPublicId(accountId: number, publicId: string): Promise<AttemptDetail | null>
  /** Deliveries to the webhook and to endpoints with their last attempts. */
  list(accountId: number, page: Page, filter?: DeliveryFilter): Promise<DeliveryRow[]>
  /**
   * The state of the newest delivery of each event to each receiver, of the newest `MAX_EVENT_DELIVERIES` of an event.
   * @param seqs the numbers of events of the account
   */
  newestOfEvents(accountId: number, seqs: readonly number[]): Promise<EventDelivery[]>
  /**
   * The oldest deliveries to the webhook that have failed for good and were not sent again, without test events.
   * @param since only those created at this time or later, in Unix seconds
   */
  listFailed(accountId: number, limit: number, since?: number): Promise<Delivery[]>
  /** The number of such deliveries, counted up to `max`. */
  countFailed(accountId: number, max: number, since?: number): Promise<number>
  /** Records that these deliveries were sent again as new ones. @param at Unix seconds */
  markResent(ids: readonly number[], at: number): Promise<void>
  /** Deletes ended deliveries created before a time, with their attempts. @returns the number of deliveries */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
