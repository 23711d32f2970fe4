import { sql } from 'kysely'
import { MAX_MEASURED } from '../../../domain/count.ts'
import type { DeliveryState } from '../../../domain/notify/delivery-schedule.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import type { DeliveryRepository, FinishedAttempt } from '../../../ports/repository/notify/delivery.ts'
import type { NewDelivery } from '../../../ports/repository/notify/new-delivery.ts'
import { countUpTo } from '../../count.ts'
import type { Dialect } from '../../dialect.ts'
import { keptStatement } from '../../kept-statement.ts'
import { chunks, distinctAscending, num, numOrNull } from '../../mapping.ts'
import type { Db } from '../../tables.ts'
import type { TxHooks } from '../../transaction/hooks.ts'
import { int, text, valuesRow } from '../../values.ts'
import { deliveryListQueries } from './delivery-list.ts'
import { deliveryLogQueries } from './delivery-log.ts'
import { DELIVERY_NOT_SET_ASIDE, deliveryFields, dueDeliveryQueries } from './due-delivery.ts'

/** Asked every few seconds. */
const findNextDue = keptStatement(db =>
  db
    .selectFrom('webhooks')
    .select(eb => eb.fn.min('due_at_ms').as('due'))
    .where('due_at_ms', '>', 0),
)

export function deliveryRepository(db: Db, dialect: Dialect, hooks: Pick<TxHooks, 'notify'>): DeliveryRepository {
  /** Locks the webhooks of these accounts. @returns the accounts that have one */
  async function lockWebhooks(accountIds: readonly number[]): Promise<Set<number>> {
    const locked = new Set<number>()
    for (const batch of chunks(distinctAscending(accountIds), 1)) {
      const rows = await db
        .selectFrom('webhooks')
        .select('account_id')
        .where('account_id', 'in', batch)
        .orderBy('account_id')
        .forUpdate()
        .execute()
      for (const row of rows) locked.add(num(row.account_id))
    }
    return locked
  }

  async function insertLocked(deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const rows = deliveries.map(delivery => ({
      public_id: delivery.publicId,
      account_id: delivery.accountId,
      invoice_id: delivery.invoiceId,
      event_seq: delivery.eventSeq,
      event_type: delivery.eventType,
      url: delivery.url,
      state: 'waiting' as const,
      attempts: 0,
      due_at_ms: delivery.dueAtMs,
      created_at: delivery.createdAt,
    }))
    for (const batch of chunks(rows, 10)) await db.insertInto('deliveries').values(batch).execute()
    await reschedule(deliveries.map(({ accountId }) => accountId))
    hooks.notify('deliveries')
  }

  async function reschedule(accountIds: readonly number[]): Promise<void> {
    for (const batch of chunks(distinctAscending(accountIds), 1)) {
      await db
        .updateTable('webhooks')
        .set(eb => ({
          due_at_ms: eb
            .selectFrom('deliveries')
            .select('deliveries.due_at_ms')
            .whereRef('deliveries.account_id', '=', 'webhooks.account_id')
            .where('deliveries.due_at_ms', 'is not', null)
            .where(DELIVERY_NOT_SET_ASIDE)
            .orderBy('deliveries.due_at_ms')
            .limit(1),
        }))
        .where('account_id', 'in', batch)
        .execute()
    }
  }

  return {
    async insert(deliveries) {
      const locked = await lockWebhooks(deliveries.map(delivery => delivery.accountId))
      const accepted = deliveries.filter(delivery => locked.has(delivery.accountId))
      await insertLocked(accepted)
      return accepted.length
    },

    insertLocked,

    async byPublicId(accountId, publicId) {
      const row = await db
        .selectFrom('deliveries as d')
        .leftJoin('endpoints as e', 'e.id', 'd.endpoint_id')
        .selectAll('d')
        .select('e.public_id as endpoint_public_id')
        .where('d.public_id', '=', publicId)
        .where('d.account_id', '=', accountId)
        .executeTakeFirst()
      if (!row) return null
      const sent = { part: num(row.part), originalId: row.original_id }
      return { ...deliveryFields(row), state: row.state, endpointPublicId: row.endpoint_public_id, ...sent }
    },

    lockWebhooks,

    async startAttempts(attempts) {
      const rows = attempts.map(({ delivery, progress }) =>
        valuesRow(int(delivery.id), int(progress.attempts), int(progress.dueAtMs)),
      )
      const started = new Set<number>()
      for (const batch of chunks(rows, 3)) {
        const updated = await sql<{
          id: bigint | number
        }>`WITH begun (id, attempts, due_at_ms) AS (VALUES ${sql.join(batch)})
          UPDATE deliveries SET state = 'sending', attempts = begun.attempts, due_at_ms = begun.due_at_ms
          FROM begun WHERE deliveries.id = begun.id AND deliveries.due_at_ms IS NOT NULL
          RETURNING deliveries.id`.execute(db)
        for (const { id } of updated.rows) started.add(num(id))
      }
      const logged = attempts.filter(({ delivery }) => started.has(delivery.id))
      const logRows = logged.map(({ publicId, delivery, progress, url, startedAt }) => ({
        public_id: publicId,
        delivery_id: delivery.id,
        account_id: delivery.accountId,
        invoice_id: delivery.invoiceId,
        url,
        attempt: progress.attempts,
        created_at: startedAt,
      }))
      for (const batch of chunks(logRows, 7)) await db.insertInto('delivery_attempts').values(batch).execute()
      return started
    },

    async markFailed(ids) {
      const failed: number[] = []
      for (const batch of chunks(ids, 1)) {
        const rows = await db
          .updateTable('deliveries')
          .set({ state: 'failed', due_at_ms: null })
          .where('id', 'in', batch)
          .where('due_at_ms', 'is not', null)
          .returning(['account_id', 'event_type', 'state'])
          .execute()
        for (const id of failedAccounts(rows)) failed.push(id)
      }
      return failed
    },

    async markInterrupted(ids, error) {
      for (const batch of chunks(ids, 1)) {
        await db
          .updateTable('delivery_attempts')
          .set({ error })
          .where('delivery_id', 'in', batch)
          .where('duration_ms', 'is', null)
          .where('error', 'is', null)
          .execute()
      }
    },

    async finishAttempts(attempts) {
      const logRows = attempts.map(({ publicId, statusCode, error, durationMs, response, ...headers }) => {
        const { requestHeaders, responseHeaders } = headers
        const result = [text(publicId), int(statusCode), text(error), int(durationMs), text(response)]
        return valuesRow(...result, text(requestHeaders), text(responseHeaders))
      })
      for (const batch of chunks(logRows, 7)) {
        await sql`WITH ended (public_id, status_code, error, duration_ms, response, request_headers, response_headers)
            AS (VALUES ${sql.join(batch)})
          UPDATE delivery_attempts SET status_code = ended.status_code, error = ended.error,
            duration_ms = ended.duration_ms, response = ended.response,
            request_headers = ended.request_headers, response_headers = ended.response_headers
          FROM ended WHERE delivery_attempts.public_id = ended.public_id`.execute(db)
      }
      const isDelivered = ({ progress }: FinishedAttempt) => progress.state === 'delivered'
      const transitions = attempts
        .filter(ended => !isDelivered(ended))
        .map(({ publicId, deliveryPublicId, progress }) => {
          const due = progress.state === 'waiting' ? progress.dueAtMs : null
          return valuesRow(
            text(publicId),
            text(deliveryPublicId),
            int(progress.attempts),
            text(progress.state),
            int(due),
          )
        })
      const failed: number[] = []
      for (const batch of chunks(transitions, 5)) {
        // A promoted standby may not know the attempt, and have one of the same number in flight.
        const { rows } =
          await sql<EndedRow>`WITH next_state (attempt_id, public_id, attempts, state, due_at_ms) AS (VALUES ${sql.join(batch)})
          UPDATE deliveries SET state = next_state.state, due_at_ms = next_state.due_at_ms
          FROM next_state WHERE deliveries.public_id = next_state.public_id AND deliveries.state = 'sending'
            AND deliveries.attempts = next_state.attempts
            AND EXISTS (SELECT 1 FROM delivery_attempts WHERE delivery_attempts.public_id = next_state.attempt_id)
          RETURNING deliveries.account_id, deliveries.event_type, deliveries.state`.execute(db)
        for (const id of failedAccounts(rows)) failed.push(id)
      }
      // A success also ends a delivery whose later attempt is in flight or has failed.
      for (const batch of chunks(
        attempts.filter(isDelivered).map(({ deliveryPublicId }) => deliveryPublicId),
        1,
      )) {
        await db
          .updateTable('deliveries')
          .set({ state: 'delivered', due_at_ms: null })
          .where('public_id', 'in', batch)
          .where('due_at_ms', 'is not', null)
          .execute()
      }
      return failed
    },

    ...dueDeliveryQueries(db),

    reschedule,

    async nextDueAtMs(afterMs = Number.MIN_SAFE_INTEGER) {
      const [row] = await findNextDue(db, 1, [afterMs])
      return row ? numOrNull(row.due) : null
    },

    async countOpenOf(accountId, max) {
      const open = db
        .selectFrom('deliveries')
        .select('id')
        .where('account_id', '=', accountId)
        .where('due_at_ms', 'is not', null)
        .limit(max)
      const row = await db
        .selectFrom(open.as('open'))
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    countOpen: () =>
      countUpTo(db, db.selectFrom('deliveries').select('id').where('due_at_ms', 'is not', null), MAX_MEASURED),

    ...deliveryLogQueries(db, dialect),

    ...deliveryListQueries(db, dialect),

    async prune(before, limit, skip = 0) {
      const old = await db
        .selectFrom('deliveries')
        .select('id')
        .where('created_at', '<', before)
        .where('due_at_ms', 'is', null)
        .orderBy('created_at')
        .limit(limit)
        .offset(skip)
        .execute()
      const ids = old.map(row => num(row.id))
      for (const batch of chunks(ids, 1)) {
        await db.deleteFrom('delivery_attempts').where('delivery_id', 'in', batch).execute()
        await db.deleteFrom('deliveries').where('id', 'in', batch).execute()
      }
      return ids.length
    },
  }
}

interface EndedRow {
  readonly account_id: bigint | number
  readonly event_type: EventType
  readonly state: DeliveryState
}

function failedAccounts(rows: readonly EndedRow[]): number[] {
  return rows.filter(row => row.state === 'failed' && row.event_type !== 'test').map(row => num(row.account_id))
}
