import type { Account } from '../../../domain/account/account.ts'
import type { ApiKey, KeyRights } from '../../../domain/account/api-key.ts'
import type { Page } from '../page.ts'

/** An API key to insert. Only its hash and its last four characters are stored. */
export interface NewApiKey {
  readonly publicId: string
  readonly accountId: number
  readonly name: string
  readonly last4: string
  readonly rights: KeyRights | null
  /** SHA-256 of the key. */
  readonly hash: Uint8Array
  readonly createdAt: number
}

/** An API key that is not revoked, with its account. It can have ended. */
export interface ApiKeyWithAccount {
  readonly key: ApiKey
  readonly account: Account
}

/** API keys. Revoked keys never authenticate; those that have ended are found, so that the error can say so. */
export interface ApiKeyRepository {
  insert(key: NewApiKey): Promise<ApiKey>
  /** The keys with these hashes that are not revoked. `hashes` must not be empty. */
  authenticate(hashes: readonly Uint8Array[]): Promise<(ApiKeyWithAccount & { readonly hash: Uint8Array })[]>
  list(accountId: number, page: Page): Promise<ApiKey[]>
  /** Number of the account's keys that are not revoked and end after `now`, or never. */
  countActive(accountId: number, now: number): Promise<number>
  /** The account's keys that are not revoked and end after `now` and up to `until`, the first ones. */
  endingSoon(accountId: number, now: number, until: number, limit: number): Promise<ApiKey[]>
  /** A second revocation keeps the time of the first. @returns whether it is the first; null: the account has no such key */
  revoke(accountId: number, publicId: string, at: number): Promise<boolean | null>
  /** Revokes all active keys of the account. @returns their number */
  revokeAll(accountId: number, at: number): Promise<number>
  /** Deletes up to `limit` keys that were revoked before a time, oldest first. @returns their number */
  prune(before: number, limit: number, skip?: number): Promise<number>
  /** Likewise those that ended before a time. */
  pruneEnded(before: number, limit: number, skip?: number): Promise<number>
  /** Sets when the keys were last used. The caller limits this to one write per key and minute. */
  touch(ids: readonly number[], at: number): Promise<void>
}
