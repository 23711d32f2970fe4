/** An account whose invoices have just begun to need attention. */
export interface AccountToMail {
  readonly accountId: number
  readonly email: string
  /** When the last mail of this kind was sent, Unix seconds; null: never. */
  readonly lastSentAt: number | null
}

/**
 * What is known of each account's mail about invoices that need attention. The mail itself is in `MailRows`. An
 * account's row is locked before its mail, so that no change is lost between a mail's last reading and its removal.
 */
export interface AttentionMailRows {
  /** Counts one more change for each of these accounts. Their rows stay locked until the transaction ends. */
  countChange(accountIds: readonly number[]): Promise<AccountToMail[]>
  /** Changes counted so far; 0 before the first. */
  changes(accountId: number): Promise<number>
  /** The same, with the row locked until the transaction ends. */
  lockChanges(accountId: number): Promise<number>
  /** @param at Unix seconds */
  setLastSent(accountId: number, at: number): Promise<void>
}
