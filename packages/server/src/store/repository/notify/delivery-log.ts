import type { EventType } from '../../../domain/notify/event.ts'
import type { AttemptRow, DeliveryRepository } from '../../../ports/repository/notify/delivery.ts'
import type { Dialect } from '../../dialect.ts'
import { num, numOrNull } from '../../mapping.ts'
import { idOfAccount } from '../../owned-id.ts'
import { paginate, paginateGroup, readPage } from '../../paginate.ts'
import type { Db, Int64 } from '../../tables.ts'
import { toGreenfieldEvents } from './endpoint-row.ts'

/** Attempts with their deliveries. */
export function attemptRows(db: Db) {
  return db
    .selectFrom('delivery_attempts as a')
    .innerJoin('deliveries as d', 'd.id', 'a.delivery_id')
    .leftJoin('invoices as i', 'i.id', 'a.invoice_id')
    .leftJoin('endpoints as ep', 'ep.id', 'd.endpoint_id')
    .select(['a.public_id', 'a.url', 'a.attempt', 'a.status_code', 'a.error', 'a.duration_ms', 'a.created_at'])
    .select(['d.public_id as delivery_public_id', 'd.event_type', 'i.public_id as invoice_public_id'])
    .select(['ep.public_id as endpoint_public_id', 'd.part', 'd.original_id'])
}

/** The queries of the delivery log: attempts joined with their deliveries. */
export function deliveryLogQueries(
  db: Db,
  dialect: Dialect,
): Pick<DeliveryRepository, 'listAttempts' | 'attemptsOf' | 'attemptByPublicId'> {
  const ofAccount = (accountId: number) => attemptRows(db).where('a.account_id', '=', accountId)

  return {
    async listAttempts(accountId, page, { invoicePublicId } = {}) {
      const cursorOf = (before: string) => idOfAccount(db, 'delivery_attempts', accountId, before)
      // Not also by the account: SQLite would read all of its attempts to find those of one invoice.
      const ofInvoice = (publicId: string) =>
        attemptRows(db).where('a.invoice_id', '=', idOfAccount(db, 'invoices', accountId, publicId))
      const group = { column: 'a.account_id', value: accountId, id: 'a.id' }
      const query =
        invoicePublicId === undefined
          ? paginateGroup(attemptRows(db), page, group, cursorOf, dialect)
          : paginate(ofInvoice(invoicePublicId), page, ['a.id'], cursorOf)
      return (await readPage(query, page, cursorOf)).map(toAttempt)
    },

    async attemptsOf(accountId, deliveryPublicId, limit) {
      const rows = await attemptRows(db)
        .where('a.delivery_id', '=', idOfAccount(db, 'deliveries', accountId, deliveryPublicId))
        .orderBy('a.attempt', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toAttempt)
    },

    async attemptByPublicId(accountId, publicId) {
      const row = await ofAccount(accountId)
        .innerJoin('events as e', join =>
          join.onRef('e.account_id', '=', 'd.account_id').onRef('e.seq', '=', 'd.event_seq'),
        )
        .select(['a.response', 'a.request_headers', 'a.response_headers', 'd.state'])
        .select(['e.public_id as event_id', 'e.seq', 'e.type', 'e.body', 'e.created_at as event_at', 'd.invoice_id'])
        .select(['ep.dialect', 'ep.greenfield_events'])
        .where('a.public_id', '=', publicId)
        .executeTakeFirst()
      if (!row) return null
      const { request_headers: requestHeaders, response_headers: responseHeaders, response, dialect } = row
      const event = {
        accountId,
        seq: num(row.seq),
        publicId: row.event_id,
        invoiceId: numOrNull(row.invoice_id),
        type: row.type,
        body: row.body,
        createdAt: num(row.event_at),
      }
      const receiver = dialect && { dialect, greenfieldEvents: toGreenfieldEvents(row) }
      const exchange = { requestHeaders, responseHeaders, response, event, receiver }
      return { ...toAttempt(row), ...exchange, deliveryState: row.state }
    },
  }
}

interface AttemptColumns {
  readonly public_id: string
  readonly delivery_public_id: string
  readonly invoice_public_id: string | null
  readonly endpoint_public_id: string | null
  readonly event_type: EventType
  readonly url: string
  readonly attempt: Int64
  readonly status_code: Int64 | null
  readonly error: string | null
  readonly duration_ms: Int64 | null
  readonly created_at: Int64
  readonly part: Int64
  readonly original_id: string | null
}

export function toAttempt(row: AttemptColumns): AttemptRow {
  return {
    publicId: row.public_id,
    deliveryPublicId: row.delivery_public_id,
    invoicePublicId: row.invoice_public_id,
    endpointPublicId: row.endpoint_public_id,
    eventType: row.event_type,
    url: row.url,
    attempt: num(row.attempt),
    statusCode: numOrNull(row.status_code),
    error: row.error,
    durationMs: numOrNull(row.duration_ms),
    createdAt: num(row.created_at),
    part: num(row.part),
    originalId: row.original_id,
  }
}
