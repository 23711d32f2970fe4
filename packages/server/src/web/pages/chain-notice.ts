import type { ChainProblem } from '../../domain/chain-problem.ts'
import type { ChainTime } from '../../domain/chain-time.ts'
import { counted } from '../format.ts'
import { type Child, html } from '../html.ts'

/** What is wrong with the chain source, and what that means for invoices; empty where all is well. */
export function chainNotices(time: ChainTime, problems: readonly ChainProblem[], spacingSecs: number): Child[] {
  return [...timeNotice(time, spacingSecs), ...problems.flatMap(problemNotice)]
}

function timeNotice(time: ChainTime, spacingSecs: number): Child[] {
  switch (time.state) {
    case 'stalled':
      return [
        html`The chain source has shown no new block for ${counted(Math.floor(time.ageSecs / 60), 'minute')}; one comes about every ${spacingSecs} seconds. No invoice expires, and no payment is confirmed, until it does.`,
      ]
    case 'clock_ahead':
    case 'clock_behind':
      return [
        html`The clock of this service and the newest blocks are hours apart. No invoice expires and no plan ends until they agree.`,
      ]
    default:
      return []
  }
}

function problemNotice(found: ChainProblem): Child[] {
  switch (found.problem) {
    case 'mempool_unreadable':
      return [
        html`The chain source does not show its unconfirmed transactions. Payments appear only when they are in a block, and no invoice expires until it does.`,
      ]
    case 'upgrade_not_followed':
      return [
        html`The chain source does not follow ${found.upgrade}, a network upgrade. No payment made since is seen, and no invoice expires, until the operator of this service updates or replaces it.`,
      ]
    case 'not_synced':
      return [
        html`The chain source is ${counted(found.blocks, 'block')} behind its node. Payments appear late, and no invoice expires until it has caught up.`,
      ]
    // A guess, and for the operator: the log, a gauge and "zatgate doctor" have it.
    case 'estimated_lag':
      return []
  }
}
