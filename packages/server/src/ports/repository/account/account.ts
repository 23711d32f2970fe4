import type { Account, Network, SaleTerms } from '../../../domain/account/account.ts'
import type { KeyExpiry } from '../../../domain/account/viewing-key.ts'

/** An account to insert. `createdAt` is in Unix seconds. */
export interface NewAccount {
  readonly publicId: string
  readonly email: string
  readonly network: Network
  readonly confirmations: number
  readonly plan: string
  readonly createdAt: number
}

/** Accounts, with their plan and viewing key. */
export interface AccountRepository {
  /** Null when the email already has an account. Emails are compared as given: the caller normalises them. */
  insert(account: NewAccount): Promise<Account | null>
  byId(id: number): Promise<Account | null>
  /** Reads the account and locks its row until the transaction ends. */
  lock(id: number): Promise<Account | null>
  /** Also finds an account of an older version, which may have the domain of its email in Unicode. */
  byEmail(email: string): Promise<Account | null>
  /** Up to `limit` accounts that are not deleted, with ids above `afterId`, in their order. */
  list(afterId: number, limit: number): Promise<Account[]>
  /** False when another account has the email. */
  setEmail(id: number, email: string): Promise<boolean>
  /** Null: the account is not being deleted. */
  setDeletionRequestedAt(id: number, at: number | null): Promise<void>
  /** Ids above `afterId`, in order, of accounts whose deletion was requested at `until` or before. */
  beingDeleted(until: number, afterId: number, limit: number): Promise<number[]>
  /** Unix seconds from which browsers that signed in to the account with this email are known. Null: no account has it. */
  browsersKnownFrom(email: string): Promise<number | null>
  setBrowsersKnownFrom(id: number, from: number): Promise<void>
  setTerms(id: number, terms: SaleTerms): Promise<void>
  /** Replaces the key and its expiry. Without `expiry` the key never expires. */
  setViewingKey(id: number, viewingKeyId: number, expiry?: KeyExpiry): Promise<void>
  /** Without `expiresAt` the plan never ends. */
  setPlan(id: number, plan: string, expiresAt: number | null): Promise<void>
}
