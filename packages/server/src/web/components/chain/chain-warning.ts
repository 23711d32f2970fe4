import type { ChainProblem } from '../../../domain/chain/chain-problem.ts'
import type { ChainTime } from '../../../domain/chain/clock-agreement.ts'
import type { Child } from '../../html.ts'
import { say } from '../../text/dashboard.ts'

/** Sentences about problems of the chain source and their effect on invoices. Empty if there are none. */
export function chainWarnings(time: ChainTime, problems: readonly ChainProblem[], spacingSecs: number): Child[] {
  return [...chainTimeWarning(time, spacingSecs), ...problems.flatMap(chainProblemWarning)]
}

function chainTimeWarning(time: ChainTime, spacingSecs: number): Child[] {
  switch (time.state) {
    case 'stalled':
      return [say('chain_stalled', { count: Math.floor(time.ageSecs / 60), spacing: spacingSecs })]
    case 'clock_ahead':
    case 'clock_behind':
      return [say('chain_clock')]
    default:
      return []
  }
}

function chainProblemWarning(found: ChainProblem): Child[] {
  switch (found.problem) {
    case 'mempool_unreadable':
      return [say('chain_mempool')]
    case 'upgrade_not_followed':
      return [say('chain_upgrade', { upgrade: found.upgrade })]
    case 'not_synced':
      return [say('chain_behind', { count: found.blocks })]
    case 'servers_disagree':
      return [say('chain_disagree', { height: String(found.height) })]
    // Of use to the operator only. It is in the log, in a gauge and in "zatgate doctor".
    case 'server_left_out':
    case 'second_server_missing':
      return []
    // An estimate for the operator only. It is in the log, in a gauge and in "zatgate doctor".
    case 'estimated_lag':
      return []
  }
}
