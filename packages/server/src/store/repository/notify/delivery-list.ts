import { type ExpressionBuilder, sql } from 'kysely'
import {
  type AttemptRow,
  type DeliveryRepository,
  LISTED_ATTEMPTS,
  MAX_EVENT_DELIVERIES,
} from '../../../ports/repository/notify/delivery.ts'
import { countUpTo } from '../../count.ts'
import type { Dialect } from '../../dialect.ts'
import { chunks, num, numOrNull } from '../../mapping.ts'
import { idOfAccount } from '../../owned-id.ts'
import { paginate, paginateGroup, readPage } from '../../paginate.ts'
import type { Db, Tables } from '../../tables.ts'
import { filteredIds, ofGroup } from './delivery-filter.ts'
import { attemptRows, toAttempt } from './delivery-log.ts'
import { deliveryFields } from './due-delivery.ts'

const FAILED_OF_WEBHOOK = { failed: true, endpointId: null } as const

/** The lists of deliveries, and of those that have failed. */
export function deliveryListQueries(
  db: Db,
  dialect: Dialect,
): Pick<DeliveryRepository, 'list' | 'newestOfEvents' | 'listFailed' | 'countFailed' | 'markResent'> {
  const failedIds = (accountId: number, limit: number, since: number) =>
    filteredIds(db, accountId, FAILED_OF_WEBHOOK, (part, group) =>
      ofGroup(part, group)
        .$if(since > 0, query => query.where('created_at', '>=', since))
        .orderBy('id')
        .limit(limit),
    )

  /** The newest attempts of deliveries, by the public ids of these. */
  async function lastAttempts(ids: readonly number[]): Promise<Map<string, AttemptRow[]>> {
    if (ids.length === 0) return new Map()
    const rows = await attemptRows(db)
      .where('a.delivery_id', 'in', ids)
      .where(({ eb, ref }) => eb('a.attempt', '>', eb(ref('d.attempts'), '-', LISTED_ATTEMPTS)))
      .orderBy('a.attempt', 'desc')
      .execute()
    return Map.groupBy(rows.map(toAttempt), ({ deliveryPublicId }) => deliveryPublicId)
  }

  return {
    async list(accountId, page, filter = {}) {
      const cursorOf = (before: string) => idOfAccount(db, 'deliveries', accountId, before)
      const ids = filteredIds(db, accountId, filter, (part, group) =>
        group ? paginateGroup(part, page, group, cursorOf, dialect) : paginate(part, page, ['id'], cursorOf),
      )
      const query = db
        .selectFrom('deliveries as d')
        .leftJoin('invoices as i', 'i.id', 'd.invoice_id')
        .leftJoin('endpoints as e', 'e.id', 'd.endpoint_id')
        .select(['d.id', 'd.public_id', 'd.event_type', 'd.state', 'd.attempts', 'd.created_at', 'd.resent_at'])
        .select(['i.public_id as invoice_public_id', 'i.order_id', 'd.due_at_ms', 'd.endpoint_due_at_ms', 'd.passed'])
        .select(['e.public_id as endpoint_public_id', 'e.url as endpoint_url', 'e.removed_at', 'e.retry_at_ms'])
        .select(['e.paused_at', 'e.enabled'])
        .select(eb => isBehind(eb).as('is_behind'))
        .where(sql<boolean>`d.id IN (${ids})`)
        .orderBy('d.id', page.after === undefined ? 'desc' : 'asc')
        .limit(page.limit)
      const rows = await readPage(query, page, cursorOf)
      const attempts = await lastAttempts(rows.map(({ id }) => num(id)))
      return rows.map(row => {
        const isHeld = row.retry_at_ms !== null && Number(row.passed) === 0
        const endpointDue = !isHeld || row.endpoint_due_at_ms === null ? row.endpoint_due_at_ms : row.retry_at_ms
        const dueAtMs = numOrNull(row.due_at_ms ?? endpointDue)
        const createdAt = num(row.created_at)
        return {
          publicId: row.public_id,
          invoicePublicId: row.invoice_public_id,
          orderId: row.order_id,
          endpoint:
            row.endpoint_public_id === null
              ? null
              : {
                  publicId: row.endpoint_public_id,
                  url: row.endpoint_url ?? '',
                  isActive: row.removed_at === null && row.paused_at === null && Number(row.enabled) === 1,
                },
          eventType: row.event_type,
          state: row.state,
          attempts: num(row.attempts),
          // One that was released is due by any clock.
          dueAtMs:
            dueAtMs === null || (isHeld && Number(row.is_behind) === 1) ? null : Math.max(dueAtMs, createdAt * 1000),
          createdAt,
          resentAt: numOrNull(row.resent_at),
          lastAttempts: attempts.get(row.public_id) ?? [],
        }
      })
    },

    async newestOfEvents(accountId, seqs) {
      if (seqs.length === 0) return []
      const parts = seqs.map(eventSeq =>
        filteredIds(db, accountId, { eventSeq }, part => part.orderBy('id', 'desc').limit(MAX_EVENT_DELIVERIES)),
      )
      const rows = await db
        .selectFrom('deliveries as d')
        .leftJoin('endpoints as e', 'e.id', 'd.endpoint_id')
        .select(['d.event_seq', 'd.endpoint_id', 'd.state', 'e.url'])
        .where(sql<boolean>`d.id IN (${sql.join(parts, sql` UNION ALL `)})`)
        .orderBy('d.id', 'desc')
        .execute()
      const newest = new Map(rows.toReversed().map(row => [`${row.event_seq} ${row.endpoint_id}`, row]))
      return [...newest.values()].map(row => ({
        eventSeq: num(row.event_seq ?? 0),
        endpointUrl: row.endpoint_id === null ? null : (row.url ?? ''),
        state: row.state,
      }))
    },

    async listFailed(accountId, limit, since = 0) {
      const rows = await db
        .selectFrom('deliveries')
        .selectAll()
        .where(sql<boolean>`id IN (${failedIds(accountId, limit, since)})`)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(row => ({
        ...deliveryFields(row),
        state: row.state,
        endpointPublicId: null,
        part: num(row.part),
        originalId: row.original_id,
      }))
    },

    countFailed: (accountId, max, since = 0) =>
      countUpTo(
        db,
        db.selectFrom(sql<{ id: number }>`(${failedIds(accountId, max, since)})`.as('failed')).select('failed.id'),
        max,
      ),

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

/** Whether an endpoint that keeps the order still has to deliver an earlier event than this one. */
function isBehind(eb: ExpressionBuilder<Tables & { d: Tables['deliveries'] }, 'd'>) {
  return eb
    .case()
    .when('d.endpoint_due_at_ms', 'is', null)
    .then(0)
    .when(
      eb.exists(
        eb
          .selectFrom('deliveries as earlier')
          .select('earlier.id')
          .whereRef('earlier.endpoint_id', '=', 'd.endpoint_id')
          .where('earlier.endpoint_due_at_ms', 'is not', null)
          .whereRef('earlier.event_seq', '<', 'd.event_seq')
          .where('earlier.passed', '=', 0),
      ),
    )
    .then(1)
    .else(0)
    .end()
}
