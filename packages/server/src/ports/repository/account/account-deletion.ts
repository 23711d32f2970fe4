import type { OpenWork } from '../../../domain/account/account-deletion.ts'

/** Deletes the data of an account. Invoices, their payments and the amounts of orders stay, without a name. */
export interface AccountDeletionRepository {
  /** The first kind of open work of an account at a time in Unix seconds. Null: it has none. */
  openWork(accountId: number, at: number): Promise<OpenWork | null>
  /**
   * Deletes up to `limit` rows of one table that has many of an account. When none are left, up to `limit` events, details
   * of swaps, and orders and descriptions of invoices. False when none of these are left either.
   */
  eraseHistory(accountId: number, limit: number): Promise<boolean>
  /**
   * Deletes everything else that names the account or belongs to its owner, and replaces its email. Lock the account first.
   * @param at Unix seconds: viewing keys that are watched then, or that other accounts use, stay
   */
  erase(account: { readonly id: number; readonly email: string }, replacement: string, at: number): Promise<void>
}
