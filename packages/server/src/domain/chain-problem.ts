/**
 * What keeps the chain source from showing everything, although it answers.
 *
 * - `mempool_unreadable`: blocks are read, but no server gives its mempool.
 * - `upgrade_not_followed`: no server serves blocks under the rules of that network upgrade.
 * - `not_synced`: the server in use is that many blocks behind its own node.
 * - `estimated_lag`: its node guesses to be that many blocks behind the network. A guess from block times and a clock.
 */
export type ChainProblem =
  | { readonly problem: 'mempool_unreadable' }
  | { readonly problem: 'upgrade_not_followed'; readonly upgrade: string }
  | { readonly problem: 'not_synced'; readonly blocks: number }
  | { readonly problem: 'estimated_lag'; readonly blocks: number }

export type ChainProblemName = ChainProblem['problem']

/** Whether everything that is paid can be seen. An estimate is no ground to doubt it. */
export function showsEverything(problems: readonly ChainProblem[]): boolean {
  return problems.every(({ problem }) => problem === 'estimated_lag')
}
