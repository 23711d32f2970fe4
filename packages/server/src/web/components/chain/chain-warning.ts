import type { ChainProblem } from '../../../domain/chain/chain-problem.ts'
import type { ChainTime } from '../../../domain/chain/chain-time.ts'
import { pluralize } from '../../format.ts'
import { type Child, html } from '../../html.ts'

/** Sentences about problems of the chain source and their effect on invoices. Empty if there are none. */
export function chainWarnings(time: ChainTime, problems: readonly ChainProblem[], spacingSecs: number): Child[] {
  return [...chainTimeWarning(time, spacingSecs), ...problems.flatMap(chainProblemWarning)]
}

function chainTimeWarning(time: ChainTime, spacingSecs: number): Child[] {
  switch (time.state) {
    case 'stalled':
      return [
        html`The chain source has reported no new block for ${pluralize(Math.floor(time.ageSecs / 60), 'minute')}; blocks are mined about every ${spacingSecs} seconds. No invoice expires, and no payment is confirmed, until a new block arrives.`,
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

function chainProblemWarning(found: ChainProblem): Child[] {
  switch (found.problem) {
    case 'mempool_unreadable':
      return [
        html`The chain source does not provide unconfirmed transactions. Payments appear only once they are mined, and no invoice expires until it provides them again.`,
      ]
    case 'upgrade_not_followed':
      return [
        html`The chain source does not support the network upgrade ${found.upgrade}. Payments made since the upgrade are not detected, and no invoice expires, until the operator of this service updates or replaces it.`,
      ]
    case 'not_synced':
      return [
        html`The chain source is ${pluralize(found.blocks, 'block')} behind its node. Payments appear late, and no invoice expires until it has caught up.`,
      ]
    case 'servers_disagree':
      return [
        html`The chain servers disagree about block ${String(found.height)}. No payment in that block or later is confirmed until they agree.`,
      ]
    // Of use to the operator only. It is in the log, in a gauge and in "zatgate doctor".
    case 'server_left_out':
    case 'second_server_missing':
      return []
    // An estimate for the operator only. It is in the log, in a gauge and in "zatgate doctor".
    case 'estimated_lag':
      return []
  }
}
