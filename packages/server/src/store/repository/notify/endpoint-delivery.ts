import { sql } from 'kysely'
import type { EndpointDeliveryRepository } from '../../../ports/repository/notify/endpoint-delivery.ts'
import { countUpTo } from '../../count.ts'
import { num, numOrNull } from '../../mapping.ts'
import type { Db } from '../../tables.ts'
import { filteredIds, ofGroup } from './delivery-filter.ts'

/** A persistent endpoint begins far fewer deliveries while it fails. */
const MAX_FAILED = 1_000

export function endpointDeliveryRepository(db: Db): EndpointDeliveryRepository {
  const waitingOf = (endpointId: number) =>
    db
      .updateTable('deliveries')
      .where('endpoint_id', '=', endpointId)
      .where('endpoint_due_at_ms', 'is not', null)
      .where('state', '=', 'waiting')

  return {
    async openOf(endpointId, limit) {
      const rows = await db
        .selectFrom('deliveries')
        .select(['id', 'public_id', 'event_seq', 'state', 'attempts', 'endpoint_due_at_ms', 'passed', 'created_at'])
        .select(['part', 'original_id'])
        .where('endpoint_id', '=', endpointId)
        .where('endpoint_due_at_ms', 'is not', null)
        .orderBy('event_seq')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(row => ({
        id: num(row.id),
        publicId: row.public_id,
        seq: num(row.event_seq),
        isSending: row.state === 'sending',
        attempts: num(row.attempts),
        dueAtMs: num(row.endpoint_due_at_ms!),
        isPassed: num(row.passed) === 1,
        createdAt: num(row.created_at),
        part: num(row.part),
        originalId: row.original_id,
      }))
    },

    async takenAmong(endpointId, accountId, seqs) {
      if (seqs.length === 0) return new Set()
      const rows = await db
        .selectFrom('deliveries')
        .select(['event_seq', 'part', 'state'])
        .where('endpoint_id', '=', endpointId)
        .where('account_id', '=', accountId)
        .where('event_seq', 'in', seqs)
        .where('resent_at', 'is', null)
        .execute()
      const partOf = ({ event_seq, part }: (typeof rows)[number]) => `${event_seq} ${part}`
      const isMissed = ({ state }: (typeof rows)[number]) => state === 'failed' || state === 'canceled'
      const taken = new Set(rows.filter(row => !isMissed(row)).map(partOf))
      // A part that was received, and failed when it was sent again, has been received.
      const missed = new Set(rows.filter(row => !taken.has(partOf(row))).map(row => num(row.event_seq)))
      return new Set(rows.map(row => num(row.event_seq)).filter(seq => !missed.has(seq)))
    },

    async insert(delivery, dueAtMs, isPassed) {
      const { endpointId, eventSeq, part, createdAt } = delivery
      await db
        .updateTable('deliveries')
        .set({ resent_at: createdAt })
        .where('endpoint_id', '=', endpointId)
        .where('event_seq', '=', eventSeq)
        .where('part', '=', part)
        .where('state', '=', 'failed')
        .where('resent_at', 'is', null)
        .execute()
      const row = await db
        .insertInto('deliveries')
        .values({
          public_id: delivery.publicId,
          account_id: delivery.accountId,
          endpoint_id: endpointId,
          invoice_id: delivery.invoiceId,
          event_seq: eventSeq,
          event_type: delivery.eventType,
          state: 'waiting',
          attempts: 0,
          endpoint_due_at_ms: dueAtMs,
          passed: Number(isPassed),
          created_at: createdAt,
          part,
          original_id: delivery.originalId,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return num(row.id)
    },

    async start({ publicId, deliveryId, accountId, invoiceId, url, attempt, startedAt }, leaseUntilMs) {
      const begun = await db
        .updateTable('deliveries')
        .set({ state: 'sending', attempts: attempt, endpoint_due_at_ms: leaseUntilMs })
        .where('id', '=', deliveryId)
        .executeTakeFirst()
      if (num(begun.numUpdatedRows) === 0) return false
      await db
        .insertInto('delivery_attempts')
        .values({
          public_id: publicId,
          delivery_id: deliveryId,
          account_id: accountId,
          invoice_id: invoiceId,
          url,
          attempt,
          created_at: startedAt,
        })
        .execute()
      return true
    },

    async log({ publicId, statusCode, error, durationMs, response, requestHeaders, responseHeaders }) {
      await db
        .updateTable('delivery_attempts')
        .set({
          status_code: statusCode,
          error,
          duration_ms: durationMs,
          response,
          request_headers: requestHeaders,
          response_headers: responseHeaders,
        })
        .where('public_id', '=', publicId)
        .execute()
    },

    async settle(id, state, dueAtMs) {
      await db.updateTable('deliveries').set({ state, endpoint_due_at_ms: dueAtMs }).where('id', '=', id).execute()
    },

    async release(endpointId, seq) {
      await waitingOf(endpointId).set({ endpoint_due_at_ms: 0 }).execute()
      await waitingOf(endpointId).set({ passed: 1 }).where('event_seq', '<', seq).execute()
    },

    async failAll(endpointId) {
      const result = await waitingOf(endpointId).set({ state: 'failed', endpoint_due_at_ms: null }).executeTakeFirst()
      return num(result.numUpdatedRows)
    },

    async firstFailedSeq(accountId, endpointId, begunFrom) {
      const newest = filteredIds(db, accountId, { failed: true, endpointId }, (part, group) =>
        ofGroup(part, group).orderBy('id', 'desc').limit(MAX_FAILED),
      )
      const row = await db
        .selectFrom('deliveries')
        .select(eb => eb.fn.min('event_seq').as('seq'))
        .where(sql<boolean>`id IN (${newest})`)
        .where('created_at', '>=', begunFrom)
        .executeTakeFirst()
      return row ? numOrNull(row.seq) : null
    },

    countFailed: (endpointId, max) =>
      countUpTo(
        db,
        db
          .selectFrom('deliveries')
          .select('id')
          .where('endpoint_id', '=', endpointId)
          .where('state', '=', 'failed')
          .where('resent_at', 'is', null)
          .where('event_type', '!=', 'test'),
        max,
      ),
  }
}
