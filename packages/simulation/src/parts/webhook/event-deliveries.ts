import type { World } from '../../world/world.ts'
import type { EventRow } from '../event/new-events.ts'
import { short } from '../sale/shop.ts'
import type { DeliveryRow } from './ledger.ts'

/** The types of events that the webhook of an account gets. */
const WEBHOOK_TYPES: ReadonlySet<string> = new Set([
  'invoice.paid',
  'invoice.underpaid',
  'swap.refunded',
  'swap.failed',
  'swap.incomplete_deposit',
  'withdrawal.updated',
  'plan.updated',
  'test',
])

/** Checks that each delivery has a cause: an event of a webhook's types, or a request of its merchant. */
export class EventDeliveries {
  readonly #world: World
  /** Bodies that merchants have requested to be sent, by account; each permits one delivery. */
  readonly #requested = new Map<bigint, string[]>()

  constructor(world: World) {
    this.#world = world
  }

  /** A merchant requests that this body is sent. */
  requests(accountId: bigint, body: string): void {
    this.#requested.set(accountId, [...(this.#requested.get(accountId) ?? []), body])
  }

  /**
   * @param created the new deliveries
   * @param hadWebhook whether the account of an event certainly had a webhook when the event was written
   */
  check(events: readonly EventRow[], created: readonly DeliveryRow[], hadWebhook: (event: EventRow) => boolean): void {
    for (const row of this.#requestedAmong(events, created, hadWebhook)) {
      const requested = this.#requested.get(row.account_id) ?? []
      const index = requested.indexOf(row.body)
      if (index >= 0) requested.splice(index, 1)
      else this.#world.fail('each event has one delivery', `delivery ${short(row.public_id)} has no cause`)
    }
  }

  /**
   * Each event of a webhook's types has one delivery if its account has a webhook.
   * @returns those of the new deliveries that were requested: of a test, or of an event that is sent again
   */
  #requestedAmong(
    events: readonly EventRow[],
    created: readonly DeliveryRow[],
    hadWebhook: (event: EventRow) => boolean,
  ): DeliveryRow[] {
    const requested = [...created]
    for (const event of events) {
      const { seq, account_id: account, invoice_id: invoice, type } = event
      const index = requested.findIndex(
        row =>
          row.account_id === account && row.event_seq === seq && row.invoice_id === invoice && row.event_type === type,
      )
      const about = `event ${seq} of account ${account}: ${type}`
      const isCalled = WEBHOOK_TYPES.has(type)
      if (index >= 0 && !isCalled) this.#world.fail('the webhook gets no event of another type', about)
      // That of an endpoint has its delivery there.
      if (index === -1 && isCalled && type !== 'test' && hadWebhook(event))
        this.#world.fail('an event and its delivery are one commit', about)
      if (index >= 0 && type !== 'test') requested.splice(index, 1)
    }
    return requested
  }
}
