/** An account with invoices that now need attention. */
export interface AccountToMail {
  readonly accountId: number
  readonly email: string
  /** When the last mail of this kind was sent, Unix seconds; null: never. */
  readonly lastSentAt: number | null
}

/**
 * The state of each account's mail about invoices that need attention. The mail itself is in the mail repository. An
 * account's row is locked before its mail, so that no change is lost between the last read of a mail and its removal.
 */
export interface AttentionMailRepository {
  /** Increments the number of changes of each account. The rows stay locked until the transaction ends. */
  incrementChangeCount(accountIds: readonly number[]): Promise<AccountToMail[]>
  /** The number of changes so far. */
  changeCount(accountId: number): Promise<number>
  /** The number of changes so far, with the row locked until the transaction ends. */
  lockChangeCount(accountId: number): Promise<number>
  /** @param at Unix seconds */
  setLastSentAt(accountId: number, at: number): Promise<void>
}
