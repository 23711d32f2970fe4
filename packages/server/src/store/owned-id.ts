import type { Db } from './tables.ts'

/** Subquery for a row's id by its public id. Null, which matches nothing, when the row is not the account's. */
export function idOfAccount(
  db: Db,
  table: 'api_keys' | 'deliveries' | 'delivery_attempts' | 'invoices' | 'payment_links' | 'sessions',
  accountId: number,
  publicId: string,
) {
  return db.selectFrom(table).select('id').where('public_id', '=', publicId).where('account_id', '=', accountId)
}
