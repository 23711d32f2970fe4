import { isRowFault, mailReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { DueMail } from '../../ports/repository/notify/mail.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { SetAsides } from '../set-aside.ts'
import { reportSpent, type Spending, spendBudget } from './code-budget.ts'

export interface CodeSorter {
  /**
   * Moves codes for unknown browsers to the queue of emails with an account or of those without, each within its budget.
   * Codes beyond it are dropped, and with closed registration those for emails without an account. This happens here and
   * not during the request, so that its response and its time reveal nothing.
   */
  sort(): Promise<void>
  /** Moves one of them that is set aside. @throws when it cannot be moved */
  sortAlone(mail: DueMail): Promise<void>
}

/** Codes per transaction, and transactions per call. */
const BATCH = 200
const MAX_BATCHES = 50

export function createCodeSorter(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<Metrics, 'signInBudgetSpent' | 'codesDropped'>
  readonly registration: 'open' | 'closed'
  readonly setAsides: SetAsides
}): CodeSorter {
  const { store, clock, metrics, registration, setAsides } = deps

  async function moveWithinBudget(tx: Tx, mailIds: readonly number[], queue: 'account' | 'unknown'): Promise<Sorted> {
    const spending = await spendBudget(tx, queue, mailIds.length, nowSecs(clock))
    await tx.mails.setQueue(mailIds.slice(0, spending.granted), queue)
    await tx.mails.removeUnsorted(mailIds.slice(spending.granted))
    return { spending, dropped: mailIds.length - spending.granted }
  }

  /** @returns the number of codes, and what happened to those that have a budget */
  async function sortBatch(tx: Tx, mails?: readonly DueMail[]): Promise<{ codes: number; sorted: Sorted[] }> {
    const unsorted = await tx.mails.lockUnsorted(BATCH, mails)
    const idsOf = (hasAccount: boolean) =>
      unsorted.filter(code => code.hasAccount === hasAccount).map(({ mailId }) => mailId)
    const [account, unknown] = [idsOf(true), idsOf(false)]
    const sorted: Sorted[] = []
    if (account.length > 0) sorted.push(await moveWithinBudget(tx, account, 'account'))
    if (registration === 'closed') await tx.mails.removeUnsorted(unknown)
    else if (unknown.length > 0) sorted.push(await moveWithinBudget(tx, unknown, 'unknown'))
    return { codes: unsorted.length, sorted }
  }

  /** @returns the number of codes */
  async function sortNext(mails?: readonly DueMail[]): Promise<number> {
    const { codes, sorted } = await store.write(tx => sortBatch(tx, mails))
    for (const { spending, dropped } of sorted) {
      reportSpent(deps, spending)
      if (dropped > 0) metrics.codesDropped(spending.budget, dropped)
    }
    return codes
  }

  async function sortApart(): Promise<number> {
    const unsorted = await store.query(tx => tx.mails.listUnsorted(BATCH))
    await setAsides.forEachBisected(unsorted, mailReference, async part => {
      await sortNext(part)
    })
    return unsorted.length
  }

  return {
    async sort() {
      for (let batches = 0; batches < MAX_BATCHES; batches++) {
        const codes = await sortNext().catch(error => {
          if (!isRowFault(error)) throw error
          return sortApart()
        })
        if (codes < BATCH) return
      }
    },

    async sortAlone(mail) {
      await sortNext([mail])
    },
  }
}

interface Sorted {
  readonly spending: Spending
  readonly dropped: number
}
