import { payoutReference, retrySetAsideSecs } from '../domain/set-aside.ts'
import type { PayoutProvider } from '../ports/payout-provider.ts'
import type { SetAside } from '../ports/repository/set-aside.ts'
import type { Withdrawal } from '../ports/repository/withdrawal.ts'
import type { Store } from '../ports/store.ts'
import type { SetAsides } from './set-aside.ts'

/** Claims of orders for the payout provider. Times in Unix seconds. */
export interface PayoutClaims {
  /** Claims the order that is due for the longest time, or sets it aside when it cannot be claimed. */
  claimDue(now: number): Promise<Withdrawal | 'set_aside' | null>
  /** Claims an order that is set aside. It stays so until it is done. Null: there is nothing to do for this process. */
  claimSetAside(entry: SetAside, now: number): Promise<Withdrawal | null>
}

/** How long an order stays claimed. A provider that needs longer to respond is called again. */
const LEASE_SECS = 120

export function createPayoutClaims(deps: {
  readonly store: Store
  readonly provider: PayoutProvider
  readonly setAsides: SetAsides
}): PayoutClaims {
  const { store, provider, setAsides } = deps
  return {
    async claimDue(now) {
      try {
        const [due] = await store.write(tx => tx.withdrawals.claimDuePayouts(provider.name, now, now + LEASE_SECS, 1))
        return due ?? null
      } catch (error) {
        const due = await store.query(tx => tx.withdrawals.firstDuePayout(now))
        if (!due) throw error
        await setAsides.record(payoutReference(due), error)
        return 'set_aside'
      }
    },

    async claimSetAside(entry, now) {
      const until = now + LEASE_SECS
      return store.write(async tx => {
        const current = await tx.setAside.lock(entry)
        // Another process tries it.
        if (current?.nextAttemptAt !== entry.nextAttemptAt) return null
        const [due] = await tx.withdrawals.claimDuePayouts(provider.name, now, until, 1, entry.reference)
        if (due) await tx.setAside.put({ ...current, nextAttemptAt: now + retrySetAsideSecs(entry.failures + 1) })
        else await tx.setAside.remove(entry)
        return due ?? null
      })
    },
  }
}
