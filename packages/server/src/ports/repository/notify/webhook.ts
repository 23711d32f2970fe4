/** A webhook endpoint. An account has at most one. */
export interface Webhook {
  readonly accountId: number
  readonly url: string
  /** The text of the signing secret, sealed by the vault for this account's row. */
  readonly sealedSecret: Uint8Array
  readonly createdAt: number
  readonly updatedAt: number
}

/** Webhook endpoints. */
export interface WebhookRepository {
  byAccount(accountId: number): Promise<Webhook | null>
  /** False when the account already has one. */
  insert(webhook: Webhook): Promise<boolean>
  /** Null when the account has no webhook, or already has this URL. */
  setUrl(accountId: number, url: string, at: number): Promise<Webhook | null>
  /** False when the account has none. */
  setSecret(accountId: number, sealedSecret: Uint8Array, at: number): Promise<boolean>
  /** Also cancels deliveries that have not ended. False when the account has none. */
  remove(accountId: number): Promise<boolean>
  /** The webhooks of accounts above `afterAccountId`, ordered by account id. */
  list(afterAccountId: number, limit: number): Promise<Webhook[]>
  /** Stores the same secret, sealed under another key. */
  /** Replaces the sealed bytes. False, and nothing is written, unless they are still those that were read. */
  reseal(accountId: number, read: Uint8Array, sealedSecret: Uint8Array): Promise<boolean>
}
