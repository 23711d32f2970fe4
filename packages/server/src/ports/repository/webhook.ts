import type { EventType } from '../../domain/event.ts'
import type { DeliveryState, Ended, Open, Sending, Waiting } from '../../domain/webhook.ts'
import type { Page } from './account.ts'

/** An account has at most one. */
export interface Webhook {
  readonly accountId: number
  readonly url: string
  /** The signing secret's text, sealed by the vault for this account's row. */
  readonly sealedSecret: Uint8Array
  readonly createdAt: number
  readonly updatedAt: number
}

export interface WebhookRows {
  byAccount(accountId: number): Promise<Webhook | null>
  /** False when the account has one already. */
  insert(webhook: Webhook): Promise<boolean>
  /** Null when the account has none. */
  setUrl(accountId: number, url: string, at: number): Promise<Webhook | null>
  /** False when the account has none. */
  setSecret(accountId: number, sealedSecret: Uint8Array, at: number): Promise<boolean>
  /** Cancels what is not delivered, too. False when the account has none. */
  remove(accountId: number): Promise<boolean>
  /** The webhooks of accounts above `afterAccountId`, by account. */
  all(afterAccountId: number, limit: number): Promise<Webhook[]>
  /** The same secret under another key: no change for anybody. */
  reseal(accountId: number, sealedSecret: Uint8Array): Promise<void>
}

export interface NewDelivery {
  /** What receivers know it by: the header `webhook-id`. */
  readonly publicId: string
  readonly accountId: number
  readonly invoiceId: number | null
  readonly eventType: EventType
  /** The exact text to send. */
  readonly body: string
  readonly createdAt: number
  /** Unix milliseconds. */
  readonly dueAtMs: number
}

interface DeliveryFields extends Omit<NewDelivery, 'dueAtMs'> {
  readonly id: number
}

export type OpenDelivery = DeliveryFields & { readonly progress: Open }

export interface Delivery extends DeliveryFields {
  readonly state: DeliveryState
}

/** An attempt about to be made: logged before anything is sent. */
export interface BegunAttempt {
  readonly publicId: string
  readonly delivery: OpenDelivery
  readonly progress: Sending
  readonly url: string
  readonly beganAt: number
}

/** How an attempt ended, and what that makes of its delivery. */
export interface EndedAttempt {
  readonly publicId: string
  readonly deliveryId: number
  readonly accountId: number
  readonly progress: Waiting | Ended
  /** Null when no answer's head came. */
  readonly statusCode: number | null
  /** In words; null for a success. */
  readonly error: string | null
  readonly durationMs: number
  /** The first bytes of the answer as text; null when none came. */
  readonly answer: string | null
}

/** A line of the delivery log. */
export interface AttemptRow {
  readonly publicId: string
  readonly deliveryPublicId: string
  readonly invoicePublicId: string | null
  readonly eventType: EventType
  readonly url: string
  readonly attempt: number
  readonly statusCode: number | null
  readonly error: string | null
  /** Null while it is under way, and when nobody knows how it ended. */
  readonly durationMs: number | null
  readonly createdAt: number
}

export interface AttemptDetail extends AttemptRow {
  readonly requestBody: string
  readonly answer: string | null
  readonly deliveryState: DeliveryState
}

export interface DeliveryRows {
  /** Those whose account has a webhook become deliveries; how many. */
  insert(deliveries: readonly NewDelivery[]): Promise<number>
  byPublicId(accountId: number, publicId: string): Promise<Delivery | null>

  // To deliver: hold, decide, write, and put back.

  /**
   * Holds the webhooks of these accounts until the transaction ends: nobody else changes their deliveries meanwhile.
   * Call it first of all.
   */
  hold(accountIds: readonly number[]): Promise<void>
  /** Holds webhooks that have something due, the longest due first; leaves out those that someone else holds. */
  holdDue(nowMs: number, limit: number, except: readonly number[]): Promise<Webhook[]>
  /** The deliveries due of held accounts, the longest due first, so many of each. */
  due(shares: readonly { accountId: number; limit: number }[], nowMs: number): Promise<OpenDelivery[]>
  begin(attempts: readonly BegunAttempt[]): Promise<void>
  /** Gives up deliveries whose last attempt was interrupted. */
  fail(ids: readonly number[]): Promise<void>
  /** Logs that nobody knows how the attempts under way of these deliveries ended. */
  interrupt(ids: readonly number[], error: string): Promise<void>
  /** Logs the ends. A delivery moves only if the attempt is its present one, or succeeded. */
  end(attempts: readonly EndedAttempt[]): Promise<void>
  /** Writes on held webhooks when their next delivery is due. Call it last. */
  reschedule(accountIds: readonly number[]): Promise<void>
  /** Unix milliseconds of the first time after `afterMs` at which something may be due. */
  nextDueAtMs(afterMs: number): Promise<number | null>

  // To look at.

  /** Deliveries not ended. */
  countOpen(): Promise<number>
  /** Of those, one account's, counted up to `most`. */
  countOpenOf(accountId: number, most: number): Promise<number>
  attempts(accountId: number, page: Page, filter?: { invoicePublicId?: string }): Promise<AttemptRow[]>
  attempt(accountId: number, publicId: string): Promise<AttemptDetail | null>
  /** Deletes ended deliveries made before, with their attempts; how many deliveries. */
  prune(before: number, limit: number): Promise<number>
}
