import type { ExpressionBuilder } from 'kysely'
import { num } from '../../mapping.ts'
import { NO_KEY, UNMINED } from '../../placeholder.ts'
import type { Db, Tables } from '../../tables.ts'
import { scanKeysSetAside } from '../set-aside.ts'

export function keysOfUnminedPayments(db: Db) {
  return db
    .selectFrom('payment_totals')
    .innerJoin('invoices', 'invoices.id', 'payment_totals.invoice_id')
    .select('invoices.viewing_key_id')
    .where('payment_totals.height', '=', UNMINED)
}

/** The keys that accounts use for new invoices. */
export function currentKeys(db: Db) {
  return db
    .selectFrom('accounts')
    .select(({ ref }) => ref('viewing_key_id').$notNull().as('id'))
    .where('viewing_key_id', 'is not', null)
}

/** Whether no account uses the key for new invoices, and nothing is watched with it since a time (Unix seconds). */
export function isUnused(db: Db, since: number) {
  return ({ and, eb }: ExpressionBuilder<Tables, 'viewing_keys'>) =>
    and([
      eb('sealed', '!=', NO_KEY),
      eb('watch_until', '<', since),
      eb('created_at', '<', since),
      eb('id', 'not in', currentKeys(db)),
      eb('id', 'not in', keysOfUnminedPayments(db)),
      eb('id', 'not in', scanKeysSetAside(db)),
    ])
}

/**
 * Deletes those of the keys that are unused. Their rows keep the index counters. The rows are locked by a statement of
 * their own: an account that takes a key waits for the lock or is seen by the next statement. @returns the deleted ones
 */
export async function deleteUnusedKeys(db: Db, ids: readonly number[], since: number): Promise<number[]> {
  if (ids.length === 0) return []
  await db.selectFrom('viewing_keys').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()
  const deleted = await db
    .updateTable('viewing_keys')
    .set({ sealed: NO_KEY })
    .where('id', 'in', ids)
    .where(isUnused(db, since))
    .returning('id')
    .execute()
  const deletedIds = deleted.map(({ id }) => num(id))
  if (deletedIds.length > 0)
    await db.deleteFrom('account_viewing_keys').where('viewing_key_id', 'in', deletedIds).execute()
  return deletedIds
}
