import type { EmailChange } from '../../../domain/account/email-change.ts'

/** Changes of emails that can be undone. A change that is undone, or replaced by an earlier one's undoing, is deleted. */
export interface EmailChangeRepository {
  insert(change: Omit<EmailChange, 'id'>): Promise<number>
  byId(id: number): Promise<EmailChange | null>
  /** The change whose link has the token with this SHA-256. Null for one that cannot be undone at `now`. */
  byTokenHash(hash: Uint8Array, now: number): Promise<EmailChange | null>
  /** Stores the hash of the token in the mailed link. */
  setTokenHash(id: number, hash: Uint8Array): Promise<void>
  /** The changes of an account that can be undone at `now`, oldest first. */
  open(accountId: number, now: number): Promise<EmailChange[]>
  /** The earliest change whose undoing at `now` gives an account this address back. */
  reservedBy(email: string, now: number): Promise<EmailChange | null>
  /** Deletes the account's changes from this id on. */
  removeFrom(accountId: number, id: number): Promise<void>
  /** Deletes up to `limit` changes that could be undone until before a time. @returns their number */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
