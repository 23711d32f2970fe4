import type { SharedBudget } from '../domain/account/code-budget.ts'
import type { ChainProblem } from '../domain/chain/chain-problem.ts'
import type { InvoicePurpose, InvoiceStatus } from '../domain/sale/invoice.ts'
import type { SetAsideKind } from '../domain/set-aside.ts'

/** Measurements of the service. A process without the role that a metric belongs to discards it. */
export interface Metrics {
  /** Sets the height of the newest recorded block. */
  tip(height: number): void
  /** Sets the number of blocks that the server has and that are not recorded yet. */
  lag(blocks: number): void
  /** Sets when the last complete sync of chain and mempool began, in Unix seconds. */
  syncedThrough(unixSecs: number): void
  /** Sets whether the server's newest block is older than 20 expected intervals. No invoice expires meanwhile. */
  stalled(stalled: boolean): void
  /** Sets the seconds between clock and median block time when they are hours apart, else 0. Negative: behind. */
  clockSkew(secs: number): void
  /** Sets the present problems of the chain source. */
  problems(problems: readonly ChainProblem[]): void
  /** Sets the number of viewing keys that blocks and mempool are scanned with. */
  watchedKeys(keys: number): void
  /** Counts a reorganisation of `depth` blocks. */
  reorg(depth: number): void
  /** Sets that this process scans and derives addresses without the scan kernel from now on. */
  kernelUnused(): void
  /** Changes the number of paid invoices that need attention because their payments were reorged. */
  needsAttention(change: number): void
  /** Counts a created invoice. */
  invoiceCreated(purpose: InvoicePurpose): void
  /** Counts a change of an invoice to another status. */
  invoiceChanged(purpose: InvoicePurpose, status: InvoiceStatus): void
  /** Counts a finished webhook attempt, which took `secs`. `success` is a 2xx response in time. */
  attemptEnded(outcome: 'success' | 'failure', secs: number): void
  /** Counts a delivery that has ended, `secs` after its event. */
  deliveryEnded(outcome: 'delivered' | 'failed', secs: number): void
  /** Counts a report of the swap provider whose time is minutes ahead. */
  swapReportAhead(): void
  /** Counts a mail that the mail server accepted or refused. */
  mailEnded(outcome: 'sent' | 'failed'): void
  /** Sets the number of webhook attempts in flight in this process. */
  setInFlight(attempts: number): void
  /** Counts a row that background work has set aside. */
  rowSetAside(kind: SetAsideKind): void
  /** Counts a wrong code that was entered to sign in. */
  wrongCode(): void
  /** Counts a budget of sign-in that was spent before the end of its window. */
  signInBudgetSpent(budget: SharedBudget): void
  /** Counts requested codes that are not mailed because a budget is spent. */
  codesDropped(budget: SharedBudget, codes: number): void
}

/** Items that wait for the operator. */
export interface OperatorQueue {
  /** Withdrawals to pay out. */
  readonly payouts: number
  /** Withdrawals that need attention. */
  readonly withdrawals: number
  /** Paid plans that could not be granted. */
  readonly plans: number
}

/** Discards all measurements. */
export const NO_METRICS: Metrics = {
  tip: () => {},
  lag: () => {},
  syncedThrough: () => {},
  stalled: () => {},
  clockSkew: () => {},
  problems: () => {},
  watchedKeys: () => {},
  reorg: () => {},
  kernelUnused: () => {},
  needsAttention: () => {},
  invoiceCreated: () => {},
  invoiceChanged: () => {},
  attemptEnded: () => {},
  deliveryEnded: () => {},
  swapReportAhead: () => {},
  mailEnded: () => {},
  setInFlight: () => {},
  rowSetAside: () => {},
  wrongCode: () => {},
  signInBudgetSpent: () => {},
  codesDropped: () => {},
}
