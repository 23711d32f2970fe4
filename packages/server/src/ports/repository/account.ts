import type { Account, ApiKey, Network, Session } from '../../domain/account.ts'
import type { KeyExpiry } from '../../domain/viewing-key.ts'

export interface NewAccount {
  readonly publicId: string
  readonly email: string
  readonly network: Network
  readonly confirmations: number
  readonly plan: string
  readonly createdAt: number
}

export interface NewApiKey {
  readonly publicId: string
  readonly accountId: number
  readonly name: string
  readonly last4: string
  /** SHA-256 of the key. */
  readonly hash: Uint8Array
  readonly createdAt: number
}

export interface NewSession {
  readonly publicId: string
  readonly accountId: number
  readonly label: string
  /** SHA-256 of the token. */
  readonly hash: Uint8Array
  readonly createdAt: number
  readonly expiresAt: number
}

/** A page of a list, newest first: the records older than `before`. */
export interface Page {
  readonly limit: number
  /** Public id of a record. The page is empty when the account has no such record. */
  readonly before?: string
}

export interface AccountRows {
  /** Null when the email already has an account. Emails are compared as given: the caller normalises them. */
  insert(account: NewAccount): Promise<Account | null>
  byId(id: number): Promise<Account | null>
  /** Reads the account and locks its row until the transaction ends. */
  lock(id: number): Promise<Account | null>
  byEmail(email: string): Promise<Account | null>
  /** All accounts, oldest first. */
  list(): Promise<Account[]>
  setConfirmations(id: number, confirmations: number): Promise<void>
  /** Replaces the key and its expiry. Without `expiry` the key never expires. */
  setViewingKey(id: number, viewingKeyId: number, expiry?: KeyExpiry): Promise<void>
  /** Without `expiresAt` the plan never ends. */
  setPlan(id: number, plan: string, expiresAt: number | null): Promise<void>
}

/** An active API key with its account. */
export interface LiveApiKey {
  readonly key: ApiKey
  readonly account: Account
}

export interface ApiKeyRows {
  insert(key: NewApiKey): Promise<ApiKey>
  /** The active keys with these hashes. Unknown and revoked keys are left out. `hashes` must not be empty. */
  authenticate(hashes: readonly Uint8Array[]): Promise<(LiveApiKey & { readonly hash: Uint8Array })[]>
  list(accountId: number, page: Page): Promise<ApiKey[]>
  /** Number of the account's keys that are not revoked. */
  count(accountId: number): Promise<number>
  /** False when the account has no such key. A second revocation keeps the time of the first. */
  revoke(accountId: number, publicId: string, at: number): Promise<boolean>
  /** Sets when the keys were last used. The caller limits this to one write per key and minute. */
  touch(ids: readonly number[], at: number): Promise<void>
}

export interface SessionRows {
  insert(session: NewSession): Promise<Session>
  /** The active session with this hash, with its account. Null for a session that is unknown, ended, or expired at `now`. */
  authenticate(hash: Uint8Array, now: number): Promise<{ session: Session; account: Account } | null>
  /** The account's active sessions. */
  list(accountId: number, now: number, page: Page): Promise<Session[]>
  /** False when the account has no such active session. */
  end(accountId: number, publicId: string, at: number): Promise<boolean>
  /** Sets when the sessions were last used. */
  touch(ids: readonly number[], at: number): Promise<void>
}

export interface UsageRows {
  /** Increments the month's count unless it has reached `limit`. `used` is the count afterwards. */
  take(accountId: number, month: string, limit: number | null): Promise<{ taken: boolean; used: number }>
  /** The count of a UTC month, such as `2026-11`. */
  used(accountId: number, month: string): Promise<number>
}
