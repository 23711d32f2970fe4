import { sql } from 'kysely'
import { withoutTexts } from '../../../domain/notify/event.ts'
import { TEXT_COLUMNS, TEXT_MEMBERS } from '../../../domain/sale/invoice-text.ts'
import type { InvoiceTextRepository } from '../../../ports/repository/sale/invoice-text.ts'
import { isAnySet, nulls } from '../../field.ts'
import { num } from '../../mapping.ts'
import type { Db } from '../../tables.ts'

/** Each is the condition of a partial index, word for word: SQLite uses the index for nothing else. */
const HAS_TEXT = isAnySet(TEXT_COLUMNS)
const BODY_HAS_TEXT = sql<boolean>`(${sql.raw(TEXT_MEMBERS.map(name => `body LIKE '%"${name}":%'`).join(' OR '))})`

export function invoiceTextRepository(db: Db): InvoiceTextRepository {
  /** The events of invoices of one account. By the account, SQLite would read all its events. */
  const eventsOf = (invoiceIds: readonly number[]) =>
    db.selectFrom('events').where('invoice_id', 'in', invoiceIds).where(BODY_HAS_TEXT).orderBy('seq')

  /** The endpoints that get events, the one that is furthest behind first. A disabled or paused one gets none. */
  async function activeEndpoints(accountId: number) {
    const rows = await db
      .selectFrom('endpoints')
      .select(['id', 'cursor_seq'])
      .where('account_id', '=', accountId)
      .where('removed_at', 'is', null)
      .where('enabled', '=', 1)
      .where('paused_at', 'is', null)
      .orderBy('cursor_seq')
      .execute()
    return rows.map(row => ({ id: num(row.id), cursorSeq: num(row.cursor_seq) }))
  }

  /** @param endpointIds of these endpoints, beside the webhook */
  async function withOpenDelivery(
    accountId: number,
    seqs: readonly number[],
    endpointIds: readonly number[],
  ): Promise<Set<number>> {
    if (seqs.length === 0) return new Set()
    const rows = await db
      .selectFrom('deliveries')
      .select('event_seq')
      .where('event_seq', 'in', seqs)
      .where('account_id', '=', accountId)
      .where(({ or, and, eb }) => {
        const isOfWebhook = eb('due_at_ms', 'is not', null)
        if (endpointIds.length === 0) return isOfWebhook
        return or([isOfWebhook, and([eb('endpoint_due_at_ms', 'is not', null), eb('endpoint_id', 'in', endpointIds)])])
      })
      .execute()
    return new Set(rows.map(row => num(row.event_seq!)))
  }

  return {
    async accountAfter(accountId, before) {
      const row = await db
        .selectFrom('accounts')
        .select('accounts.id')
        .where('accounts.id', '>', accountId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('invoices')
              .select('invoices.id')
              .whereRef('invoices.account_id', '=', 'accounts.id')
              .where('created_at', '<', before)
              .where(HAS_TEXT),
          ),
        )
        .orderBy('accounts.id')
        .limit(1)
        .executeTakeFirst()
      return row ? num(row.id) : null
    },

    async list(accountId, before, after, limit) {
      const rows = await db
        .selectFrom('invoices')
        .select(['created_at', 'id'])
        .where('account_id', '=', accountId)
        .where('created_at', '<', before)
        .where(HAS_TEXT)
        .$if(after !== null, query =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('created_at', 'id'), '>', tuple(after!.createdAt, after!.id)),
          ),
        )
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(row => ({ createdAt: num(row.created_at), id: num(row.id) }))
    },

    async undelivered(accountId, invoiceIds) {
      if (invoiceIds.length === 0) return new Set()
      // Before the deliveries: a delivery is written in the transaction that moves the cursor.
      const endpoints = await activeEndpoints(accountId)
      const begunSeq = endpoints[0]?.cursorSeq ?? Number.POSITIVE_INFINITY
      const rows = await eventsOf(invoiceIds).select(['invoice_id', 'seq']).execute()
      const events = rows.map(row => ({ invoiceId: num(row.invoice_id!), seq: num(row.seq) }))
      const seqs = events.map(({ seq }) => seq)
      const endpointIds = endpoints.map(({ id }) => id)
      const open = await withOpenDelivery(accountId, seqs, endpointIds)
      const waiting = events.filter(({ seq }) => open.has(seq) || seq > begunSeq)
      return new Set(waiting.map(({ invoiceId }) => invoiceId))
    },

    async erase(accountId, invoiceIds) {
      if (invoiceIds.length === 0) return
      for (const { seq, body } of await eventsOf(invoiceIds).select(['seq', 'body']).execute())
        await db
          .updateTable('events')
          .set({ body: withoutTexts(body) })
          .where('account_id', '=', accountId)
          .where('seq', '=', seq)
          .execute()
      await db.updateTable('invoices').set(nulls(TEXT_COLUMNS)).where('id', 'in', invoiceIds).execute()
    },
  }
}
