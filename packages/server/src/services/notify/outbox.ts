import type { NewEvent } from '../../domain/notify/event.ts'
import type { Random } from '../../ports/random.ts'
import type { NewDelivery } from '../../ports/repository/notify/delivery.ts'
import type { Tx } from '../../ports/store.ts'

/** Records events in the transaction of the use case that raises them (transactional outbox). */
export interface Outbox {
  /**
   * Adds events and the webhook deliveries of those with a body, and notifies the topic `events` after the commit. The
   * events are numbered just before the commit, in the order of the calls.
   */
  append(tx: Tx, events: readonly NewEvent[]): Promise<void>
}

export function createOutbox({ random }: { readonly random: Random }): Outbox {
  async function deliveriesOf(tx: Tx, event: NewEvent): Promise<NewDelivery[]> {
    const { accountId, invoiceId, type, body, createdAt, webhookUrl } = event
    if (type === null || body === null) return []
    const content = { accountId, invoiceId, eventType: type, body, createdAt, dueAtMs: createdAt * 1000 }
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
      const deliveries: NewDelivery[] = []
      for (const event of events) for (const delivery of await deliveriesOf(tx, event)) deliveries.push(delivery)
      await tx.events.append(events, deliveries)
      tx.notify('events')
    },
  }
}
