/** Claims of idempotency keys. Times are in Unix seconds. */
export interface IdempotencyRepository {
  /** Claims the key for a new invoice. Returns the earlier claim when one was made at `since` or later, else null. */
  claim(claim: {
    readonly accountId: number
    readonly key: string
    readonly bodyHash: Uint8Array
    readonly invoicePublicId: string
    readonly createdAt: number
    readonly since: number
  }): Promise<{ readonly bodyHash: Uint8Array; readonly invoicePublicId: string } | null>
  /** The claim made at `since` or later. */
  find(accountId: number, key: string, since: number): Promise<{ bodyHash: Uint8Array; invoicePublicId: string } | null>
  /** Deletes claims made before a time. @returns the number of deleted claims */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
