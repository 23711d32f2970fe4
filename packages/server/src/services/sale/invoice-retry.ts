import type { Invoice } from '../../domain/sale/invoice.ts'
import { retrySetAsideSecs } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { ChainRecorder } from '../chain/chain-sync.ts'
import type { SetAsides } from '../set-aside.ts'
import type { ReportChanges, UpdateInvoices } from './invoice-state.ts'

/**
 * Creates a function that evaluates invoices that are set aside, each alone. Their payments are recorded meanwhile.
 * @returns whether there may be more
 */
export function createInvoiceRetry(deps: {
  readonly store: Store
  readonly chainRecorder: Pick<ChainRecorder, 'mempoolView'>
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly setAsides: SetAsides
  readonly clock: Clock
}): () => Promise<boolean> {
  const { store, chainRecorder, updateInvoices, reportChanges, setAsides, clock } = deps
  return () =>
    setAsides.retryDue('invoice', async entry => {
      const now = nowSecs(clock)
      const context = { ...chainRecorder.mempoolView(now), isAlone: true }
      const changes = await store.write(async tx => {
        await tx.chain.lock()
        const invoice = await tx.invoices.byPublicId(entry.reference)
        if (invoice && (await hasUnreadPayment(tx, invoice))) {
          await tx.setAside.put({ ...entry, nextAttemptAt: now + retrySetAsideSecs(1) })
          return []
        }
        const changes = await updateInvoices(tx, invoice ? [invoice.id] : [], now, context)
        // In the same transaction: a later one may set the invoice aside again.
        await tx.setAside.remove(entry)
        return changes
      })
      reportChanges(changes)
      return false
    })
}

/** Whether a payment is recorded in a block that is to be read again with its key: the block may have been replaced. */
async function hasUnreadPayment(tx: Tx, { id, viewingKeyId }: Invoice): Promise<boolean> {
  const fromHeight = await tx.setAside.fromHeightOf(viewingKeyId)
  const [highest] = fromHeight === null ? [] : await tx.payments.heightsOf(id, 1)
  return fromHeight !== null && highest !== undefined && highest >= fromHeight
}
