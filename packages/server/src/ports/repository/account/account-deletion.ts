import type { OpenWork } from '../../../domain/account/account-deletion.ts'

/** Deletes the data of an account. Invoices, their payments and the amounts of orders stay, without a name. */
export interface AccountDeletionRepository {
  /** The first kind of open work of an account at a time in Unix seconds. Null: it has none. */
  openWork(accountId: number, at: number): Promise<OpenWork | null>
  /**
   * Deletes up to `limit` rows of each kind that an account can have many of, and the orders and descriptions of as many
   * invoices. False when none are left.
   */
  eraseHistory(accountId: number, limit: number): Promise<boolean>
  /**
   * Deletes everything else that names the account or belongs to its owner, and replaces its email. Lock the account first.
   * @param at Unix seconds: viewing keys that are watched then, or that other accounts use, stay
   */
  erase(account: { readonly id: number; readonly email: string }, replacement: string, at: number): Promise<void>
}
