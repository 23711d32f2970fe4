import type { Account } from '../../domain/account/account.ts'
import {
  DELETION_WAIT_SECS,
  deletionDueAt,
  emailOfDeleted,
  isDeletionDue,
} from '../../domain/account/account-deletion.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { knownThrough } from '../../domain/chain/chain-knowledge.ts'
import { accountReference } from '../../domain/set-aside.ts'
import { formatUtcMinute } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { SetAsides } from '../set-aside.ts'
import { recordChange } from './audit.ts'

/**
 * Deletes accounts. From the request on, the account cannot sell: its API keys are revoked and its sessions end. Its
 * invoices stay watched and its webhook is called until nothing can change any more, and at least for a week, in which the
 * owner can sign in and keep the account. Then its personal data are deleted. Invoices stay, without a name.
 */
export interface AccountDeletions {
  /** @returns the earliest time of the deletion in Unix seconds */
  request(account: Account, actor?: Actor): Promise<number>
  /** Keeps the account. Its API keys stay revoked. */
  cancel(account: Account, actor?: Actor): Promise<void>
  /**
   * Deletes a bounded part of the data of accounts that are due by the time up to which the chain is known.
   * @returns whether there may be more to delete now
   */
  eraseDue(): Promise<boolean>
  /** Tries again the accounts that are set aside. @returns whether there may be more */
  retrySetAside(): Promise<boolean>
}

const ACCOUNTS = 100
const ROWS = 500

/** Keeps the account if it is being deleted. @param account locked */
export async function cancelDeletion(tx: Tx, account: Account, actor: Actor, at: number): Promise<void> {
  if (account.deletionRequestedAt === undefined) return
  await tx.accounts.setDeletionRequestedAt(account.id, null)
  await recordChange(tx, account, actor, { kind: 'deletion_canceled', at })
}

export function createAccountDeletions(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly setAsides: SetAsides
}): AccountDeletions {
  const { store, clock, log, setAsides } = deps
  /** The last account that was looked at: those that are not settled yet must not hide the others. */
  let cursor = 0

  /** A wrong clock deletes nothing. */
  const confirmedTime = async (tx: Tx) => knownThrough(await tx.chain.syncedThrough(), nowSecs(clock))

  /** @returns `erased`, `more` when a part is left, or `kept` */
  async function erase(id: number): Promise<'erased' | 'more' | 'kept'> {
    return store.write(async tx => {
      // In the order in which a change of the webhook takes these locks.
      await tx.deliveries.lockWebhooks([id])
      const account = await tx.accounts.lock(id)
      const known = await confirmedTime(tx)
      if (!account || !isDeletionDue(account, known)) return 'kept'
      if ((await tx.accountDeletions.openWork(id, known)) !== null) return 'kept'
      if (await tx.accountDeletions.eraseHistory(id, ROWS)) return 'more'
      const at = nowSecs(clock)
      await tx.accountDeletions.erase(account, emailOfDeleted(account.publicId), known)
      await tx.audit.append({ accountId: null, kind: 'account_erased', actor: SERVICE, detail: null, createdAt: at })
      return 'erased'
    })
  }

  async function eraseOrSetAside(id: number): Promise<'erased' | 'more' | 'kept'> {
    try {
      return await erase(id)
    } catch (error) {
      const account = await store.query(tx => tx.accounts.byId(id))
      if (!account) throw error
      await setAsides.record(accountReference('account_deletion', account), error)
      return 'kept'
    }
  }

  return {
    async request(account, actor = SERVICE) {
      const now = nowSecs(clock)
      return store.write(async tx => {
        const before = (await tx.accounts.lock(account.id)) ?? account
        const earlier = deletionDueAt(before)
        if (earlier !== null) return earlier
        // A clock that is behind must not shorten the wait.
        const requestedAt = Math.max(now, await tx.chain.syncedThrough())
        const dueAt = requestedAt + DELETION_WAIT_SECS
        await tx.accounts.setDeletionRequestedAt(account.id, requestedAt)
        await tx.apiKeys.revokeAll(account.id, now)
        await tx.sessions.endAll(account.id, now)
        const detail = `on ${formatUtcMinute(dueAt)} or later`
        await recordChange(tx, account, actor, { kind: 'deletion_requested', at: now, detail })
        return dueAt
      })
    },

    async cancel(account, actor = SERVICE) {
      const at = nowSecs(clock)
      await store.write(async tx => {
        const before = await tx.accounts.lock(account.id)
        if (before) await cancelDeletion(tx, before, actor, at)
      })
    },

    async eraseDue() {
      const due = await store.read(async tx => {
        const known = await confirmedTime(tx)
        return tx.accounts.beingDeleted(known - DELETION_WAIT_SECS, cursor, ACCOUNTS)
      })
      let more = due.length === ACCOUNTS
      for (const id of due) {
        const outcome = await eraseOrSetAside(id)
        if (outcome === 'erased') log.info({ account: id }, 'an account was deleted')
        more ||= outcome === 'more'
      }
      cursor = due.length === ACCOUNTS ? (due.at(-1) ?? 0) : 0
      return more
    },

    retrySetAside: () =>
      setAsides.retryDue('account_deletion', async ({ rowId }) => {
        if (rowId !== null && (await erase(rowId)) === 'erased') log.info({ account: rowId }, 'an account was deleted')
        return true
      }),
  }
}
