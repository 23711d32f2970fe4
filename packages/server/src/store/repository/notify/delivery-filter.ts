import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { EVENT_TYPES } from '../../../domain/notify/event.ts'
import type { DeliveryFilter } from '../../../ports/repository/notify/delivery.ts'
import type { Group } from '../../paginate.ts'
import type { Db, Tables } from '../../tables.ts'

/** Failed for good and not sent again, without test events: as in the partial indexes. */
const FAILED = sql<boolean>`state = 'failed' AND resent_at IS NULL AND event_type <> 'test'`

/** An order with more invoices is listed by its newest. */
const MAX_INVOICES = 100

type Deliveries = SelectQueryBuilder<Tables, 'deliveries', unknown>
type DeliveryGroup = Group<'account_id' | 'event_type'>

/**
 * The ids of an account's deliveries, each part by an index with its order.
 * @param part limits the rows of a part to those of its group, if it has one, orders them and limits their number. The ids of
 *   the union are ordered and limited again by the caller.
 */
export function filteredIds(
  db: Db,
  accountId: number,
  { failed = false, type, orderId, endpointId, eventSeq, publicId }: DeliveryFilter,
  part: (deliveries: Deliveries, group: DeliveryGroup | null) => Deliveries,
): RawBuilder<{ id: number | bigint }> {
  const isOfAccount = sql<boolean>`account_id = ${accountId}`
  const isWanted = [
    ...(failed ? [FAILED] : []),
    ...(endpointId === undefined
      ? []
      : [endpointId === null ? sql<boolean>`endpoint_id IS NULL` : ofEndpoint(endpointId)]),
  ]
  const idsOf = (conditions: readonly RawBuilder<boolean>[], group: DeliveryGroup | null = null) => {
    const wanted = conditions.reduce((query, condition) => query.where(condition), db.selectFrom('deliveries'))
    return sql<{ id: number | bigint }>`SELECT id FROM (${part(wanted, group).select('id')}) AS part`
  }
  const ofType = (conditions: readonly RawBuilder<boolean>[], name: string) =>
    idsOf(conditions, { column: 'event_type', value: name })
  if (publicId !== undefined) return idsOf([sql<boolean>`public_id = ${publicId}`, isOfAccount, ...isWanted])
  if (orderId !== undefined) {
    const invoices = db
      .selectFrom('invoices')
      .select('id')
      .where('account_id', '=', accountId)
      .where('order_id', '=', orderId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_INVOICES)
    const isOfType = type === undefined ? [] : [sql<boolean>`event_type = ${type}`]
    return idsOf([sql<boolean>`invoice_id IN (${invoices})`, ...isWanted, ...isOfType])
  }
  if (eventSeq !== undefined) return idsOf([sql<boolean>`event_seq = ${eventSeq}`, isOfAccount])
  // An endpoint belongs to one account.
  const isOwned = typeof endpointId === 'number' ? isWanted : [isOfAccount, ...isWanted]
  if (type !== undefined) return ofType(isOwned, type)
  if (isWanted.length === 0) return idsOf([], { column: 'account_id', value: accountId })
  const types = EVENT_TYPES.filter(name => !failed || name !== 'test')
  return sql`${sql.join(
    types.map(name => ofType(isOwned, name)),
    sql` UNION ALL `,
  )}`
}

export function ofGroup(deliveries: Deliveries, group: DeliveryGroup | null): Deliveries {
  return group ? deliveries.where(group.column, '=', group.value as never) : deliveries
}

function ofEndpoint(id: number): RawBuilder<boolean> {
  return sql`endpoint_id = ${id}`
}
