import type { Account } from '../../../domain/account/account.ts'
import type { ApiKey, Scope } from '../../../domain/account/api-key.ts'
import type { Page } from '../page.ts'

/** An API key to insert. Only its hash and its last four characters are stored. */
export interface NewApiKey {
  readonly publicId: string
  readonly accountId: number
  readonly name: string
  readonly last4: string
  readonly scopes: readonly Scope[] | null
  /** SHA-256 of the key. */
  readonly hash: Uint8Array
  readonly createdAt: number
}

/** An active API key with its account. */
export interface ApiKeyWithAccount {
  readonly key: ApiKey
  readonly account: Account
}

/** API keys. Revoked keys never authenticate. */
export interface ApiKeyRepository {
  insert(key: NewApiKey): Promise<ApiKey>
  /** The active keys with these hashes. Unknown and revoked keys are left out. `hashes` must not be empty. */
  authenticate(hashes: readonly Uint8Array[]): Promise<(ApiKeyWithAccount & { readonly hash: Uint8Array })[]>
  list(accountId: number, page: Page): Promise<ApiKey[]>
  /** Number of the account's keys that are not revoked. */
  count(accountId: number): Promise<number>
  /** False when the account has no such key. A second revocation keeps the time of the first. */
  revoke(accountId: number, publicId: string, at: number): Promise<boolean>
  /** Revokes all active keys of the account. @returns their number */
  revokeAll(accountId: number, at: number): Promise<number>
  /** Deletes up to `limit` keys that were revoked before a time, oldest first. @returns their number */
  prune(before: number, limit: number, skip?: number): Promise<number>
  /** Sets when the keys were last used. The caller limits this to one write per key and minute. */
  touch(ids: readonly number[], at: number): Promise<void>
}
