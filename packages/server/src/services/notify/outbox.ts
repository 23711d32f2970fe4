import { invoiceEvent, isWebhookEvent, type NewEvent } from '../../domain/notify/event.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Random } from '../../ports/random.ts'
import type { AppendedEvent } from '../../ports/repository/notify/event.ts'
import type { Tx } from '../../ports/store.ts'

/** Records events in the transaction of the use case that raises them (transactional outbox). */
export interface Outbox {
  /**
   * Adds events, and the deliveries of those that the account's webhook gets, and notifies the topic `events` after the
   * commit. The events are numbered just before the commit, in the order of the calls.
   */
  append(tx: Tx, events: readonly NewEvent[]): Promise<void>
  /** Wakes the WebSockets of changed invoices after the commit. @param at Unix seconds */
  invoicesChanged(tx: Tx, invoiceIds: readonly number[], at: number): Promise<void>
}

/** The event of an invoice that a batch creates. The webhook gets none of them. */
export function createdEvent(invoice: Invoice, publicId: string): AppendedEvent {
  return { ...invoiceEvent('invoice.created', invoice, null, invoice.createdAt), publicId }
}

export function createOutbox({ random }: { readonly random: Random }): Outbox {
  async function deliveriesOf(tx: Tx, event: NewEvent): Promise<NonNullable<AppendedEvent['deliveries']>> {
    const { accountId, invoiceId, type, createdAt, webhookUrl } = event
    if (!isWebhookEvent(type)) return []
    const content = { accountId, invoiceId, eventType: type, createdAt, dueAtMs: createdAt * 1000 }
    const urls = [null, ...(webhookUrl ? await otherUrl(tx, accountId, webhookUrl) : [])]
    return urls.map(url => ({ ...content, publicId: random.uuid(), url }))
  }

  /** An invoice whose webhook is that of its account has one delivery of each event. */
  async function otherUrl(tx: Tx, accountId: number, url: string): Promise<string[]> {
    const webhook = await tx.webhooks.byAccount(accountId)
    return webhook?.url === url ? [] : [url]
  }

  return {
    async append(tx, events) {
      for (const event of events) {
        const deliveries = await deliveriesOf(tx, event)
        await tx.events.append([{ ...event, publicId: random.uuid(), deliveries }])
      }
      tx.notify('events')
    },

    async invoicesChanged(tx, invoiceIds, at) {
      await tx.invoiceChanges.append(invoiceIds.map(invoiceId => ({ invoiceId, createdAt: at })))
      tx.notify('invoices')
    },
  }
}
