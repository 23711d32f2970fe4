import type { Header } from '../../domain/chain/chain.ts'
import { invoiceReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { recordCommand } from '../account/audit.ts'
import { lockInvoices, type ReportChanges, type UpdateInvoices } from '../sale/invoice-state.ts'
import { viewingKeysOf } from '../sale/payment.ts'
import { createPaymentWriter, type PaymentWrite } from '../sale/payment-write.ts'
import { defer, type SetAsides } from '../set-aside.ts'

/** The chain of recorded block headers, and its rewinds. */
export interface RecordedChain {
  /** The newest recorded header and the oldest recorded height; null before the first block. */
  position(): Promise<ChainPosition | null>
  headerAt(height: number): Promise<Header | null>
  /**
   * Removes the blocks above a height in bounded transactions, each of which leaves a consistent chain. Payments in
   * these blocks count as unmined until they are mined again or dropped.
   *
   * @param basis the recorded block that the decision is based on
   * @returns false, with nothing changed, when `basis` is no longer recorded because another process changed the chain
   */
  rewindTo(toHeight: number, basis: Header | null): Promise<boolean>
  /**
   * Removes all blocks from the first one that does not follow its predecessor, so that they are read again. Null when
   * all blocks are linked. Only databases of older versions can contain such a break.
   */
  repairLinks(): Promise<{ readonly brokenAt: number } | null>
  /**
   * Restarts the recorded chain at a block of the server's chain. The operator uses it after a reorganisation deeper
   * than the recorded blocks. Payments above the block count as unmined until they are mined again.
   */
  restartAt(base: Header): Promise<void>
}

export interface ChainPosition {
  readonly tip: Header
  readonly oldest: number
}

/** Payments that one rewind transaction unmines, which bounds its duration. */
const PAYMENTS_PER_STEP = 1_000

export function createRecordedChain(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly log: Log
  /** Default: a payment that cannot be written rejects. */
  readonly setAsides?: Pick<SetAsides, 'put' | 'report'>
}): RecordedChain {
  const { store, updateInvoices, reportChanges, clock, log } = deps
  const writePayments = createPaymentWriter(deps)

  /**
   * Moves the payments above a height back to the mempool. The invoices of keys that are left out keep theirs, and wait:
   * they are evaluated when the blocks above are read again with their key (`MissedBlocks.unmine`).
   */
  async function unmineAbove(tx: Tx, height: number, now: number, write: PaymentWrite) {
    const locked = await lockInvoices(tx, await tx.payments.invoicesMinedAbove(height))
    const leftOut = write.leftOut(viewingKeysOf(locked))
    const waiting = [...locked.values()].filter(({ viewingKeyId }) => leftOut.has(viewingKeyId))
    const rows = waiting.map(invoice => ({ row: invoiceReference(invoice), error: write.deferredBy }))
    await defer(tx, rows, now)
    const kept = new Set(waiting.map(({ id }) => id))
    const touched = await tx.payments.unmineAbove(
      height,
      kept.size > 0 ? [...locked.keys()].filter(id => !kept.has(id)) : undefined,
    )
    return { locked, touched }
  }

  /** Rewinds in one transaction. Returns whether it was the last one; null when `basis` is no longer recorded. */
  async function rewindStep(toHeight: number, basis: Header | null): Promise<boolean | null> {
    const now = nowSecs(clock)
    const step = await writePayments(async (tx, write) => {
      await tx.chain.lock()
      if (basis && (await tx.chain.headerAt(basis.height))?.hash !== basis.hash) return null
      // In each step: an invoice that is created between two of them has the height of the first.
      await tx.chain.recordRewind(toHeight)
      const stepFloor = await tx.payments.lowestHeightWithAtMost(PAYMENTS_PER_STEP, toHeight)
      // At least one block: the payments of a single block always fit into one transaction.
      const top = (await tx.chain.tip())?.height ?? toHeight
      const height = Math.max(toHeight, Math.min(stepFloor, top - 1))
      const { locked, touched } = await unmineAbove(tx, height, now, write)
      await tx.chain.removeHeadersAbove(height)
      await tx.setAside.lowerFromHeight(height + 1)
      const changes = await updateInvoices(tx, touched, now, { locked, deferredBy: write.deferredBy })
      if (height > toHeight) return { isLast: false, changes }
      // Payments already missing wait for a new block on the remaining chain; when one of them cannot be written, longer.
      if (write.deferredBy !== undefined) return { isLast: true, changes }
      const lowered = await tx.payments.lowerMissingHeights(toHeight, PAYMENTS_PER_STEP)
      return { isLast: lowered < PAYMENTS_PER_STEP, changes }
    })
    if (!step) return null
    reportChanges(step.changes)
    return step.isLast
  }

  async function rewindTo(toHeight: number, basis: Header | null): Promise<boolean> {
    let isLast = await rewindStep(toHeight, basis)
    while (isLast === false) isLast = await rewindStep(toHeight, null)
    return isLast !== null
  }

  return {
    position: () =>
      store.read(async tx => {
        const tip = await tx.chain.tip()
        const oldest = await tx.chain.oldestHeight()
        return tip && oldest !== null ? { tip, oldest } : null
      }),

    headerAt: height => store.query(tx => tx.chain.headerAt(height)),

    rewindTo,

    async repairLinks() {
      const broken = await store.query(tx => tx.chain.firstUnlinkedHeader())
      if (!broken || !(await rewindTo(broken.height - 1, broken))) return null
      log.error({ height: broken.height }, 'the recorded blocks are not linked; they are read again from this height')
      return { brokenAt: broken.height }
    },

    async restartAt(base) {
      // The oldest header stays until the new one takes its place. Without a header, blocks would be read from near the tip on.
      const oldest = await store.query(tx => tx.chain.oldestHeight())
      await rewindTo(Math.max(base.height, oldest ?? 0), null)
      const now = nowSecs(clock)
      const changes = await writePayments(async (tx, write) => {
        await tx.chain.lock()
        await tx.chain.recordRewind(base.height)
        const { locked, touched } = await unmineAbove(tx, base.height, now, write)
        await tx.chain.removeAllHeaders()
        await tx.setAside.lowerFromHeight(base.height + 1)
        await tx.chain.appendHeaders([base])
        await recordCommand(tx, { accountId: null, kind: 'chain_accepted', at: now, detail: `block ${base.height}` })
        return updateInvoices(tx, touched, now, { locked, deferredBy: write.deferredBy })
      })
      reportChanges(changes)
    },
  }
}
