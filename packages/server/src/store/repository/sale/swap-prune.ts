import { sql } from 'kysely'
import type { SwapRepository } from '../../../ports/repository/sale/swap.ts'
import { chunks, num } from '../../mapping.ts'
import type { Db } from '../../tables.ts'

/** Deletes abandoned swaps. Queries contain literals, since a partial index is not used for a bound value. */
export function swapPruneRepository(db: Db): Pick<SwapRepository, 'listAbandoned' | 'deleteAbandoned'> {
  const abandoned = () =>
    db
      .selectFrom('swaps')
      .where('swaps.next_poll_at_ms', 'is', null)
      .where('swaps.status', '=', sql.lit('PENDING_DEPOSIT'))
      // An event, or a status that is not known to this version, means that the provider has received something.
      .where('swaps.sent_events', '=', '')
      .where('swaps.provider_status', 'in', ['', 'PENDING_DEPOSIT'])
      .where('swaps.deposit_seen_at', 'is', null)

  return {
    async listAbandoned(before, limit, skip) {
      const rows = await abandoned()
        .innerJoin('invoices', 'invoices.id', 'swaps.invoice_id')
        .select(['swaps.id', 'swaps.invoice_id'])
        .where('invoices.status', 'not in', ['pending', 'detected'])
        .where('swaps.created_at', '<=', before)
        .orderBy('swaps.created_at')
        .limit(limit)
        .offset(skip)
        .execute()
      return rows.map(row => ({ id: num(row.id), invoiceId: num(row.invoice_id) }))
    },

    async deleteAbandoned(swaps) {
      for (const batch of chunks(swaps, 2)) {
        const ids = batch.map(({ id }) => id)
        const still = abandoned().select('swaps.id').where('swaps.id', 'in', ids)
        await db.deleteFrom('swaps').where('id', 'in', still).execute()
        await db
          .updateTable('invoices')
          .set(eb => ({
            swap_id: eb
              .selectFrom('swaps')
              .select(({ fn }) => fn.max('swaps.id').as('id'))
              .whereRef('swaps.invoice_id', '=', 'invoices.id'),
          }))
          .where('swap_id', 'in', ids)
          .where(
            'id',
            'in',
            batch.map(({ invoiceId }) => invoiceId),
          )
          .execute()
      }
    },
  }
}
