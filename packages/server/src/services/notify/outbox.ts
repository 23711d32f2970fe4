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
  function deliveriesOf({ type, body, createdAt, ...event }: NewEvent): NewDelivery[] {
    if (type === null || body === null) return []
    return [{ ...event, publicId: random.uuid(), eventType: type, body, createdAt, dueAtMs: createdAt * 1000 }]
  }

  return {
    async append(tx, events) {
      await tx.events.append(events, events.flatMap(deliveriesOf))
      tx.notify('events')
    },
  }
}
