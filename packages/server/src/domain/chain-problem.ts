/**
 * What keeps the chain source from showing everything, while it answers.
 *
 * - `mempool_unreadable`: blocks are read, but no server gives its mempool.
 * - `upgrade_not_followed`: no server shows blocks under the rules of that network upgrade.
 * - `behind`: the server in use is that many blocks behind its network, as it guesses itself.
 */
export type ChainProblem =
  | { readonly problem: 'mempool_unreadable' }
  | { readonly problem: 'upgrade_not_followed'; readonly upgrade: string }
  | { readonly problem: 'behind'; readonly blocks: number }

/** Whether invoices can close: everything that was paid before their end is in what the servers show. */
export function showsEverything(problems: readonly ChainProblem[]): boolean {
  return problems.every(({ problem }) => problem === 'behind')
}

export function sameProblems(some: readonly ChainProblem[], others: readonly ChainProblem[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}
