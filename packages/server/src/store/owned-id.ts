import type { Db } from './tables.ts'

/** A row's id by its public one, within a query; of a row that the account does not have it is null, and matches nothing. */
export function ownedId(
  db: Db,
  table: 'api_keys' | 'delivery_attempts' | 'invoices' | 'sessions',
  accountId: number,
  publicId: string,
) {
  return db.selectFrom(table).select('id').where('public_id', '=', publicId).where('account_id', '=', accountId)
}
