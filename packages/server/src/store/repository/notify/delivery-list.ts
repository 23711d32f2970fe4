import { sql } from 'kysely'
import type { DeliveryRepository } from '../../../ports/repository/notify/delivery.ts'
import { countUpTo } from '../../count.ts'
import { chunks, num, numOrNull } from '../../mapping.ts'
import { idOfAccount } from '../../owned-id.ts'
import { paginate, readPage } from '../../paginate.ts'
import type { Db } from '../../tables.ts'
import { deliveryFields } from './due-delivery.ts'

/** Deliveries to the webhook that have failed for good and were not sent again, without test events: as in the partial index. */
const FAILED = sql<boolean>`state = 'failed' AND resent_at IS NULL AND event_type <> 'test' AND endpoint_id IS NULL`

/** The lists of deliveries, and of those that have failed. */
export function deliveryListQueries(
  db: Db,
): Pick<DeliveryRepository, 'list' | 'listFailed' | 'countFailed' | 'markResent'> {
  const failed = (accountId: number) => db.selectFrom('deliveries').where('account_id', '=', accountId).where(FAILED)

  return {
    async list(accountId, page, { failed: onlyFailed } = { failed: false }) {
      const cursorOf = (before: string) => idOfAccount(db, 'deliveries', accountId, before)
      const query = db
        .selectFrom('deliveries as d')
        .leftJoin('delivery_attempts as a', on =>
          on.onRef('a.delivery_id', '=', 'd.id').onRef('a.attempt', '=', 'd.attempts'),
        )
        .leftJoin('invoices as i', 'i.id', 'd.invoice_id')
        .select(['d.public_id', 'd.event_type', 'd.state', 'd.attempts', 'd.due_at_ms', 'd.created_at', 'd.resent_at'])
        .select(['i.public_id as invoice_public_id', 'a.public_id as attempt_public_id', 'a.url', 'a.status_code'])
        .select(['a.error', 'a.duration_ms', 'a.created_at as attempt_at'])
        .where('d.account_id', '=', accountId)
        .$if(onlyFailed, list => list.where(FAILED))
      const rows = await readPage(paginate(query, page, ['d.id'], cursorOf), page, cursorOf)
      return rows.map(row => ({
        publicId: row.public_id,
        invoicePublicId: row.invoice_public_id,
        eventType: row.event_type,
        state: row.state,
        attempts: num(row.attempts),
        dueAtMs: numOrNull(row.due_at_ms),
        createdAt: num(row.created_at),
        resentAt: numOrNull(row.resent_at),
        lastAttempt:
          row.attempt_public_id === null
            ? null
            : {
                publicId: row.attempt_public_id,
                url: row.url ?? '',
                statusCode: numOrNull(row.status_code),
                error: row.error,
                durationMs: numOrNull(row.duration_ms),
                createdAt: num(row.attempt_at ?? row.created_at),
              },
      }))
    },

    async listFailed(accountId, limit) {
      const rows = await failed(accountId).selectAll().orderBy('id').limit(limit).execute()
      return rows.map(row => ({ ...deliveryFields(row), state: row.state }))
    },

    countFailed: (accountId, max) => countUpTo(db, failed(accountId).select('id'), max),

    async markResent(ids, at) {
      for (const batch of chunks(ids, 1))
        await db
          .updateTable('deliveries')
          .set({ resent_at: at })
          .where('id', 'in', batch)
          .where('state', '=', 'failed')
          .execute()
    },
  }
}
