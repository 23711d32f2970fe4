import type { Account } from '../../domain/account/account.ts'
import { AppError } from '../../domain/error.ts'
import type { EventType } from '../../domain/notify/event.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { type DeliveryRow, type EventDelivery, MAX_EVENT_DELIVERIES } from '../../ports/repository/notify/delivery.ts'
import type { Event, EventListPage } from '../../ports/repository/notify/event.ts'
import type { Store, Tx } from '../../ports/store.ts'

/** An event in a list. */
export interface ListedEvent {
  readonly event: Event
  readonly invoice: Invoice | null
  /** The newest to each receiver. */
  readonly deliveries: readonly EventDelivery[]
}

export interface EventDetail {
  readonly event: Event
  readonly invoice: Invoice | null
  /** Newest first, at most `MAX_EVENT_DELIVERIES`. */
  readonly deliveries: readonly DeliveryRow[]
  readonly isWebhookSet: boolean
}

/** The events of an account as its owner sees them. They are kept for 90 days. */
export interface EventLog {
  /** Newest first. */
  list(account: Account, page: EventListPage, type?: EventType): Promise<ListedEvent[]>
  /** @throws AppError `not_found` when the account has no such event, or has it no more */
  read(account: Account, seq: number): Promise<EventDetail>
}

export function createEventLog(store: Store): EventLog {
  return {
    list: ({ id }, page, type) =>
      store.read(async tx => {
        const events = await tx.events.listNewest(id, page, type)
        const invoices = await invoicesOf(tx, events)
        const deliveries = await tx.deliveries.newestOfEvents(
          id,
          events.map(({ seq }) => seq),
        )
        const bySeq = Map.groupBy(deliveries, ({ eventSeq }) => eventSeq)
        return events.map(event => ({
          event,
          invoice: invoices.get(event.invoiceId ?? 0) ?? null,
          deliveries: bySeq.get(event.seq) ?? [],
        }))
      }),

    read: ({ id }, seq) =>
      store.read(async tx => {
        const event = await tx.events.bySeq(id, seq)
        if (event === null) throw new AppError('no_such_page')
        const invoices = await invoicesOf(tx, [event])
        return {
          event,
          invoice: invoices.get(event.invoiceId ?? 0) ?? null,
          deliveries: await tx.deliveries.list(id, { limit: MAX_EVENT_DELIVERIES }, { eventSeq: seq }),
          isWebhookSet: (await tx.webhooks.byAccount(id)) !== null,
        }
      }),
  }
}

async function invoicesOf(tx: Tx, events: readonly Event[]): Promise<ReadonlyMap<number, Invoice>> {
  const ids = events.flatMap(({ invoiceId }) => invoiceId ?? [])
  const invoices = ids.length === 0 ? [] : await tx.invoices.byIds(ids)
  return new Map(invoices.map(invoice => [invoice.id, invoice]))
}
