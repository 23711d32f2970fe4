import type { Selectable } from 'kysely'
import type { NewEvent } from '../../../domain/notify/event.ts'
import type { DeliveryRepository, NewDelivery } from '../../../ports/repository/notify/delivery.ts'
import type { EventCursor, EventRepository } from '../../../ports/repository/notify/event.ts'
import { chunks, num } from '../../mapping.ts'
import type { Db, EventsTable } from '../../tables.ts'
import type { TxHooks } from '../../transaction/hooks.ts'

const COLUMNS = 6
const POSITION_COLUMNS = ['seq', 'account_id', 'invoice_id', 'type', 'created_at'] as const

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

  async function lastSeq(): Promise<number> {
    const row = await db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'event_seq')
      .executeTakeFirstOrThrow()
    return num(row.value)
  }

  return {
    async append(newEvents, newDeliveries) {
      if (newEvents.length === 0) return
      if (pending.events.length === 0) hooks.beforeCommit(write)
      for (const event of newEvents) pending.events.push(event)
      for (const delivery of newDeliveries) pending.deliveries.push(delivery)
    },

    async invoicesChangedSince(cursor, limit) {
      const rows = await db
        .selectFrom('events')
        .select(POSITION_COLUMNS)
        .where('seq', '>=', cursor.seq)
        .orderBy('seq')
        .limit(limit + 1)
        .execute()
      const [first] = rows
      const isAtCursor = first !== undefined && num(first.seq) === cursor.seq
      const isContinued = isAtCursor ? eventOf(first) === cursor.event : (await lastSeq()) === cursor.seq
      if (cursor.seq > 0 && !isContinued) return null
      const later = isAtCursor ? rows.slice(1) : rows.slice(0, limit)
      const newest = later.at(-1)
      const invoiceIds = new Set(later.flatMap(row => (row.invoice_id === null ? [] : [num(row.invoice_id)])))
      return { cursor: newest ? toCursor(newest) : cursor, invoiceIds: [...invoiceIds] }
    },

    async last() {
      const seq = await lastSeq()
      const row = await db.selectFrom('events').select(POSITION_COLUMNS).where('seq', '=', seq).executeTakeFirst()
      return row ? toCursor(row) : { seq, event: null }
    },

    async prune(before, limit, skip = 0) {
      const oldest = db.selectFrom('events').select('seq').orderBy('seq').limit(limit).offset(skip)
      const result = await db
        .deleteFrom('events')
        .where('seq', 'in', oldest)
        .where('created_at', '<', before)
        .executeTakeFirst()
      return num(result.numDeletedRows)
    },
  }
}

type PositionRow = Pick<Selectable<EventsTable>, (typeof POSITION_COLUMNS)[number]>

function toCursor(row: PositionRow): EventCursor {
  return { seq: num(row.seq), event: eventOf(row) }
}

function eventOf(row: PositionRow): string {
  return JSON.stringify([row.account_id, row.invoice_id, row.type, row.created_at].map(String))
}
