import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { DeliveryState } from '../../../domain/notify/delivery-schedule.ts'
import type { DeliveryRepository, OpenDelivery } from '../../../ports/repository/notify/delivery.ts'
import { num, numOrNull } from '../../mapping.ts'
import type { Db, DeliveriesTable } from '../../tables.ts'
import { idAndTime, isNotSetAside } from '../set-aside.ts'
import { toWebhook } from './webhook.ts'

export const DELIVERY_NOT_SET_ASIDE = isNotSetAside('delivery', sql.ref('deliveries.public_id'))
const WEBHOOK_NOT_SET_ASIDE = isNotSetAside('webhook', idAndTime('webhooks.account_id', 'webhooks.created_at'))
/** Maximum of terms in one union. SQLite allows 500. */
const MAX_UNION_TERMS = 400

/** The deliveries to send now. */
export function dueDeliveryQueries(
  db: Db,
): Pick<DeliveryRepository, 'listDueWebhooks' | 'lockDueWebhooks' | 'listDueIds' | 'listDue' | 'makeDue'> {
  const dueWebhooks = (nowMs: number, limit: number, except: readonly number[]) =>
    db
      .selectFrom('webhooks')
      .selectAll()
      .where('due_at_ms', '<=', nowMs)
      .where(WEBHOOK_NOT_SET_ASIDE)
      .$if(except.length > 0, query => query.where('account_id', 'not in', except))
      .orderBy('due_at_ms')
      .limit(limit)

  return {
    async listDueWebhooks(nowMs, limit, except) {
      return (await dueWebhooks(nowMs, limit, except).execute()).map(toWebhook)
    },

    async lockDueWebhooks(nowMs, limit, except, only) {
      const rows = await dueWebhooks(nowMs, limit, except)
        .$if(only !== undefined, query => query.where('account_id', 'in', only as number[]))
        .forUpdate()
        .skipLocked()
        .execute()
      return rows.map(toWebhook)
    },

    async listDueIds(accountId, nowMs, limit) {
      const rows = await db
        .selectFrom('deliveries')
        .select('public_id')
        .where('account_id', '=', accountId)
        .where('due_at_ms', '<=', nowMs)
        .where(DELIVERY_NOT_SET_ASIDE)
        .orderBy('due_at_ms')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(row => row.public_id)
    },

    async listDue(shares, nowMs) {
      const found: OpenDelivery[] = []
      for (let start = 0; start < shares.length; start += MAX_UNION_TERMS) {
        const terms = shares.slice(start, start + MAX_UNION_TERMS).map(
          ({ accountId, limit, publicIds }) => sql`SELECT share.*, events.body FROM (
            SELECT * FROM deliveries WHERE account_id = ${accountId} AND due_at_ms <= ${nowMs} AND ${DELIVERY_NOT_SET_ASIDE}
            ${publicIds ? sql`AND public_id IN (${sql.join(publicIds)})` : sql``}
            ORDER BY due_at_ms, id LIMIT ${limit}
          ) AS share JOIN events ON events.account_id = share.account_id AND events.seq = share.event_seq`,
        )
        const { rows } = await sql<
          Selectable<DeliveriesTable> & { body: string }
        >`${sql.join(terms, sql` UNION ALL `)}`.execute(db)
        for (const row of rows) found.push(toOpen(row))
      }
      return found
    },

    async makeDue(publicId, nowMs) {
      const delivery = db.selectFrom('deliveries').select('due_at_ms').where('public_id', '=', publicId)
      const running = await delivery
        .where('state', '=', 'sending')
        .where('due_at_ms', '>', nowMs)
        .forUpdate()
        .executeTakeFirst()
      if (running) return num(running.due_at_ms!)
      await db
        .updateTable('deliveries')
        .set({ due_at_ms: nowMs })
        .where('public_id', '=', publicId)
        .where('due_at_ms', 'is not', null)
        .execute()
      return null
    },
  }
}

export function deliveryFields(row: Selectable<DeliveriesTable>) {
  return {
    id: num(row.id),
    publicId: row.public_id,
    accountId: num(row.account_id),
    invoiceId: numOrNull(row.invoice_id),
    eventSeq: num(row.event_seq),
    eventType: row.event_type,
    url: row.url,
    createdAt: num(row.created_at),
  }
}

function toOpen(row: Selectable<DeliveriesTable> & { readonly body: string }): OpenDelivery {
  const state: DeliveryState = row.state
  if (row.due_at_ms === null || (state !== 'waiting' && state !== 'sending')) {
    throw new Error(`delivery ${row.id} is ${state} but has a due time`)
  }
  const progress = { state, attempts: num(row.attempts), dueAtMs: num(row.due_at_ms) }
  return { ...deliveryFields(row), body: row.body, progress }
}
