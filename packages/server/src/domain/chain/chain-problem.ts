/**
 * A reason why the chain source responds but may not show every payment.
 *
 * - `mempool_unreadable`: blocks are read, but no server serves its mempool.
 * - `upgrade_not_followed`: no server serves blocks under the rules of that network upgrade.
 * - `not_synced`: the server in use is this number of blocks behind its own node.
 * - `estimated_lag`: its node estimates that it is this number of blocks behind the network, from block times and its
 *   clock.
 * - `servers_disagree`: servers serve different blocks, or different payments, at that height.
 * - `server_left_out`: of three or more servers two agree, and another one serves nothing to compare, or something else.
 * - `second_server_missing`: of several configured servers only one serves the newest blocks.
 */
export type ChainProblem =
  | { readonly problem: 'mempool_unreadable' }
  | { readonly problem: 'upgrade_not_followed'; readonly upgrade: string }
  | { readonly problem: 'not_synced'; readonly blocks: number }
  | { readonly problem: 'estimated_lag'; readonly blocks: number }
  | { readonly problem: 'servers_disagree'; readonly height: number }
  | { readonly problem: 'server_left_out' }
  | { readonly problem: 'second_server_missing' }

export type ChainProblemName = ChainProblem['problem']

/** Problems that hide no payment. */
const HIDING_NOTHING: readonly ChainProblemName[] = [
  'estimated_lag',
  'servers_disagree',
  'server_left_out',
  'second_server_missing',
]

/** Whether all payments are visible. An estimated lag does not count against it. */
export function allPaymentsVisible(problems: readonly ChainProblem[]): boolean {
  return problems.every(({ problem }) => HIDING_NOTHING.includes(problem))
}

/** Describes a problem and its consequences for the operator. */
export function describeChainProblem(found: ChainProblem): string {
  switch (found.problem) {
    case 'mempool_unreadable':
      return 'the mempool cannot be read: payments appear when they are mined, and no invoice expires'
    case 'upgrade_not_followed':
      return `the server does not follow ${found.upgrade}: no block after it is read, and no invoice expires`
    case 'not_synced':
      return `the server is ${found.blocks} blocks behind its node: no invoice expires until it has caught up`
    case 'servers_disagree':
      return `the servers disagree about block ${found.height}: no payment in it or above it is confirmed until they agree; find out which one is wrong and remove it from LIGHTWALLETD_URL`
    case 'server_left_out':
      return 'one of the servers in LIGHTWALLETD_URL cannot be compared, or serves other blocks or payments than two that agree: nothing waits for it; repair or remove it'
    case 'second_server_missing':
      return 'no second server confirms the newest blocks: invoices are paid by what one server shows'
    case 'estimated_lag':
      return `its node estimates that it is ${found.blocks} blocks behind its network: it may still be syncing`
  }
}
