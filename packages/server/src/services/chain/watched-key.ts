import type { Account } from '../../domain/account/account.ts'
import { effectivePlan, type Plan } from '../../domain/account/plan.ts'
import { tooManyWatchedKeysError, watchedKeyLimit, watchedSince } from '../../domain/chain/watched-key.ts'
import { AppError } from '../../domain/error.ts'
import type { Tx } from '../../ports/store.ts'

/**
 * Limits the distinct viewing keys that are watched, by account and in all: every block and every unmined transaction is
 * scanned with each of them, so the keys of one account delay the payments of all.
 *
 * A key is watched from its first invoice on, for as long as its invoices can be paid. An account's current key has
 * its own place from the moment it is set, so its invoices are never refused because of the account's other keys.
 */
export interface WatchedKeys {
  /**
   * Called in the transaction that sets the account's current key. Locks the account.
   * @throws AppError `too_many_watched_keys`, `watched_key_capacity_reached`
   */
  checkCurrent(tx: Tx, account: Account, viewingKeyId: number, now: number): Promise<void>
  /**
   * Called in the transaction that creates the account's invoice, before its key is watched. Locks the account, and the
   * count of all watched keys, only when the key is not watched yet.
   * @throws AppError `too_many_watched_keys`, when the account has replaced the key meanwhile; `watched_key_capacity_reached`
   */
  checkInvoice(tx: Tx, account: Account, viewingKeyId: number, now: number): Promise<void>
}

export function createWatchedKeys(deps: {
  readonly plans: readonly Plan[]
  readonly maxWatchedKeys: number
}): WatchedKeys {
  const { plans, maxWatchedKeys } = deps

  /** @param givesUpCurrent the account's present current key gives up its place, unless it is watched */
  async function checkAccount(
    tx: Tx,
    account: Account,
    viewingKeyId: number,
    givesUpCurrent: boolean,
    now: number,
  ): Promise<void> {
    const locked = (await tx.accounts.lock(account.id)) ?? account
    const current = locked.viewingKeyId
    const watched = await tx.viewingKeys.watchedByAccount(account.id, watchedSince(now))
    const taken = new Set(watched.map(({ id }) => id))
    if (current === viewingKeyId || taken.has(viewingKeyId)) return
    if (current !== null && !givesUpCurrent) taken.add(current)
    const { plan } = effectivePlan(plans, locked, now)
    if (taken.size >= watchedKeyLimit(plan)) throw tooManyWatchedKeysError(plan, watched[0]?.watchUntil)
  }

  async function checkCapacity(tx: Tx, viewingKeyId: number, now: number): Promise<void> {
    if ((await tx.viewingKeys.watchedUntil(viewingKeyId)) >= watchedSince(now)) return
    if ((await tx.viewingKeys.countWatched(watchedSince(now), maxWatchedKeys)) >= maxWatchedKeys)
      throw new AppError('watched_key_capacity_reached')
  }

  return {
    async checkCurrent(tx, account, viewingKeyId, now) {
      await checkAccount(tx, account, viewingKeyId, true, now)
      await checkCapacity(tx, viewingKeyId, now)
    },

    async checkInvoice(tx, account, viewingKeyId, now) {
      const watched = await tx.viewingKeys.watchedByAccount(account.id, watchedSince(now))
      if (watched.some(({ id }) => id === viewingKeyId)) return
      await checkAccount(tx, account, viewingKeyId, false, now)
      await tx.viewingKeys.lockWatchedCount()
      await checkCapacity(tx, viewingKeyId, now)
    },
  }
}
