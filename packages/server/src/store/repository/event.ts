import type { NewEvent } from '../../domain/event.ts'
import type { DeliveryRepository, NewDelivery } from '../../ports/repository/delivery.ts'
import type { EventRepository } from '../../ports/repository/event.ts'
import { chunks, num } from '../mapping.ts'
import type { Db } from '../tables.ts'
import type { TxHooks } from '../transaction/hooks.ts'

const COLUMNS = 6

/**
 * The row of the counter is the lock that keeps sequence numbers in commit order: one transaction holds it from numbering
 * its events until its commit. Events are therefore numbered last, just before the commit.
 */
export function eventRepository(
  db: Db,
  hooks: Pick<TxHooks, 'beforeCommit'>,
  deliveries: Pick<DeliveryRepository, 'insert'>,
): EventRepository {
  const pending = { events: [] as NewEvent[], deliveries: [] as NewDelivery[] }

  async function write(): Promise<void> {
    const events = pending.events.splice(0)
    await deliveries.insert(pending.deliveries.splice(0))
    const counter = await db
      .updateTable('counters')
      .set(eb => ({ value: eb('value', '+', events.length) }))
      .where('name', '=', 'event_seq')
      .returning('value')
      .executeTakeFirstOrThrow()
    const first = num(counter.value) - events.length + 1
    const rows = events.map((event, index) => ({
      seq: first + index,
      account_id: event.accountId,
      invoice_id: event.invoiceId,
      type: event.type,
      body: event.body,
      created_at: event.createdAt,
    }))
    for (const batch of chunks(rows, COLUMNS)) await db.insertInto('events').values(batch).execute()
  }

  return {
    async append(newEvents, newDeliveries) {
      if (newEvents.length === 0) return
      if (pending.events.length === 0) hooks.beforeCommit(write)
      pending.events.push(...newEvents)
      pending.deliveries.push(...newDeliveries)
    },

    async invoicesChangedSince(seq, limit) {
      const rows = await db
        .selectFrom('events')
        .select(['seq', 'invoice_id'])
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
        .execute()
      const invoiceIds = new Set(rows.flatMap(row => (row.invoice_id === null ? [] : [num(row.invoice_id)])))
      return { seq: num(rows.at(-1)?.seq ?? seq), invoiceIds: [...invoiceIds] }
    },

    async lastSeq() {
      const row = await db
        .selectFrom('counters')
        .select('value')
        .where('name', '=', 'event_seq')
        .executeTakeFirstOrThrow()
      return num(row.value)
    },

    async prune(before, limit) {
      const oldest = db.selectFrom('events').select('seq').orderBy('seq').limit(limit)
      const result = await db
        .deleteFrom('events')
        .where('seq', 'in', oldest)
        .where('created_at', '<', before)
        .executeTakeFirst()
      return num(result.numDeletedRows)
    },
  }
}
