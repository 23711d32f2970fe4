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

/** A page of a list, newest first: rows older than the record named `before`. */
export interface Page {
  readonly limit: number
  /** Public id. Unknown to the account: the page is empty. */
  readonly before?: string
}

export interface AccountRows {
  /** Null when the email has an account already. Emails are compared as given: the caller normalises. */
  insert(account: NewAccount): Promise<Account | null>
  byId(id: number): Promise<Account | null>
  /** Reads for change: no other transaction changes it until this one ends. */
  lock(id: number): Promise<Account | null>
  byEmail(email: string): Promise<Account | null>
  /** Every account, oldest first. */
  list(): Promise<Account[]>
  setConfirmations(id: number, confirmations: number): Promise<void>
  /** Without `expiry` the key never expires, whatever was set before. */
  setViewingKey(id: number, viewingKeyId: number, expiry?: KeyExpiry): Promise<void>
  /** Without `expiresAt` the plan never ends. */
  setPlan(id: number, plan: string, expiresAt: number | null): Promise<void>
}

export interface LiveApiKey {
  readonly key: ApiKey
  readonly account: Account
}

export interface ApiKeyRows {
  insert(key: NewApiKey): Promise<ApiKey>
  /** The live keys with these hashes, none for one that is unknown or revoked; at least one is asked for. */
  authenticate(hashes: readonly Uint8Array[]): Promise<(LiveApiKey & { readonly hash: Uint8Array })[]>
  list(accountId: number, page: Page): Promise<ApiKey[]>
  /** Of the account's keys that are not revoked. */
  count(accountId: number): Promise<number>
  /** False when the account has no such key. Revoking twice keeps the first time. */
  revoke(accountId: number, publicId: string, at: number): Promise<boolean>
  /** At most one write a minute and key is worth making: the caller thins out. */
  touch(ids: readonly number[], at: number): Promise<void>
}

export interface SessionRows {
  insert(session: NewSession): Promise<Session>
  /** The live session with this hash and its account; null when unknown, expired at `now` or ended. */
  authenticate(hash: Uint8Array, now: number): Promise<{ session: Session; account: Account } | null>
  /** The account's live sessions. */
  list(accountId: number, now: number, page: Page): Promise<Session[]>
  /** False when the account has no such live session. */
  end(accountId: number, publicId: string, at: number): Promise<boolean>
  touch(ids: readonly number[], at: number): Promise<void>
}

export interface UsageRows {
  /** Counts one more in the month unless `limit` is reached; `used` is the count after. */
  take(accountId: number, month: string, limit: number | null): Promise<{ taken: boolean; used: number }>
  /** How many were counted in a month; months are UTC's, as `2026-11`. */
  used(accountId: number, month: string): Promise<number>
}
