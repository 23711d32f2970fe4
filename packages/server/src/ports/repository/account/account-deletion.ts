/** Deletes the data of an account. Invoices, their payments and the amounts of orders stay, without a name. */
export interface AccountDeletionRepository {
  /**
   * Whether nothing that the account began can change any more: no invoice or deposit address is watched at `at` (Unix
   * seconds), and no invoice, plan purchase, withdrawal, swap or delivery is open.
   */
  isSettled(accountId: number, at: number): Promise<boolean>
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
