import type { Network } from '../../../domain/account/account.ts'
import type { KeyOfAccount } from '../../../domain/account/viewing-key.ts'

/**
 * A stored viewing key; its secret part is sealed. Accounts with the same key share one row, so that no diversifier index
 * is used twice.
 */
export interface ViewingKeyRow {
  readonly id: number
  /** The fingerprint of the decrypted secret, 32 bytes: the same in every database. */
  readonly fingerprint: Uint8Array
  readonly network: Network
  /** dk ‖ ivk of the external scope, sealed by the vault. Empty: the key is deleted, and only its index counter is left. */
  readonly sealed: Uint8Array
  /** Unix seconds: the latest end of watching of any invoice under the key. */
  readonly watchUntil: number
}

/** The row ids of an account and of one of its viewing keys. */
export interface KeyOfAccountIds {
  readonly accountId: number
  readonly viewingKeyId: number
}

/** A viewing key that an account uses, or has used, for its invoices. */
export interface UsedKey extends KeyOfAccount {
  /** Unix seconds: the latest end of watching of any invoice under the key. */
  readonly watchUntil: number
}

/** A range of diversifier indexes, with the key that it was reserved for. */
export interface ReservedIndexes {
  readonly first: bigint
  readonly key: ViewingKeyRow
}

/** Viewing keys with their index counters. */
export interface ViewingKeyRepository {
  /**
   * Finds the row with this fingerprint and locks it, or inserts it. A new row stores the result of `seal` for its id, and
   * its diversifier indexes start at `firstIndex`. A deleted key is stored again, and keeps its counter.
   */
  findOrInsert(
    key: {
      readonly fingerprint: Uint8Array
      readonly network: Network
      readonly createdAt: number
      readonly firstIndex: bigint
    },
    seal: (id: number) => Uint8Array,
  ): Promise<ViewingKeyRow>
  byId(id: number): Promise<ViewingKeyRow | null>
  /**
   * Reserves `count` consecutive diversifier indexes that were never used before. Index 0 is never used: wallets show its
   * address first.
   * @returns the first reserved index, and the key that the row holds
   * @throws AppError `no_such_viewing_key` for a missing or deleted key; `viewing_key_exhausted` when the range would exceed `MAX_DIVERSIFIER_INDEX`
   */
  reserveIndexes(id: number, count: number): Promise<ReservedIndexes>
  /**
   * Advances the index counter of every key by its own step, up to `MAX_DIVERSIFIER_INDEX`, and raises every `watchUntil` to at least
   * this one.
   * @returns the number of keys
   */
  advanceAllIndexes(step: () => bigint, watchUntil: number): Promise<number>
  /** Null unless the account has set the key, and for a deleted key. */
  ofAccount(ids: KeyOfAccountIds): Promise<UsedKey | null>
  /** `watchUntil` of one key. 0 for an unknown id, and for a deleted key. */
  watchedUntil(id: number): Promise<number>
  /** Raises `watchUntil`; never lowers it. False when the key is deleted. */
  extendWatch(id: number, until: number): Promise<boolean>
  /** Raises until when the account's invoices keep a key watched; never lowers it. */
  extendAccountWatch(accountId: number, id: number, until: number): Promise<void>
  /** The keys that the account's invoices keep watched at `now` or later, the one whose watch ends first at the start. */
  watchedByAccount(accountId: number, now: number): Promise<{ readonly id: number; readonly watchUntil: number }[]>
  /** Locks the count of watched keys until the transaction ends. Taken after the lock of an account, never before. */
  lockWatchedCount(): Promise<void>
  /** The number of keys with `watchUntil` at `now` or later, counted up to `max`. */
  countWatched(now: number, max: number): Promise<number>
  /** The keys to scan with: `watchUntil` is `now` or later, or a recorded payment to the key is not mined. */
  watchedAt(now: number): Promise<ViewingKeyRow[]>
  /**
   * The version of the keys of `watchedAt`. While the database is the same and `now` does not go back, equal versions mean
   * the same keys. Null when one of them is watched only for its unmined payment.
   */
  watchedVersion(now: number): Promise<string | null>
  /** The keys with payments mined at these heights, bounds included. */
  ofPaymentsBetween(from: number, to: number): Promise<ViewingKeyRow[]>
  /** Up to `limit` keys that accounts use for new invoices, those with the latest invoices first. */
  lastUsed(limit: number): Promise<ViewingKeyRow[]>
  /** All keys that are not deleted. */
  list(): Promise<ViewingKeyRow[]>
  /** At most `limit` keys after `afterId` that are not deleted, by ascending id. */
  listAfter(afterId: number, limit: number): Promise<ViewingKeyRow[]>
  /** Replaces the sealed bytes. False, and nothing is written, unless they are still those that were read. */
  reseal(id: number, read: Uint8Array, sealed: Uint8Array): Promise<boolean>
  /**
   * Deletes up to `limit` keys that no account uses for new invoices and whose last watch ended before a time. Their
   * index counters stay. @returns their number
   */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
