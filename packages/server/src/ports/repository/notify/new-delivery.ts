import type { EventType } from '../../../domain/notify/event.ts'

/** A webhook delivery to insert. */
export interface NewDelivery {
  /** The value of the header `webhook-id`. */
  readonly publicId: string
  readonly accountId: number
  readonly invoiceId: number | null
  /** The number of its event among those of the account. */
  readonly eventSeq: number
  readonly eventType: EventType
  /** Null: that of the account's webhook, or of the endpoint, at each attempt. */
  readonly url: string | null
  readonly createdAt: number
  /** Unix milliseconds. */
  readonly dueAtMs: number
}
