import type { ServerView } from '../../src/ports/chain.ts'
import type { ChainSyncHarness } from './chain-sync.ts'

/** Makes one of the servers serve something else. */
export function distortServer(
  { chain }: ChainSyncHarness,
  server: number,
  distort: (view: ServerView) => ServerView,
): void {
  const { views } = chain
  chain.views = async (from, to, signal) =>
    (await views(from, to, signal)).map((view, index) => (index === server ? distort(view) : view))
}

export function distortSecond(harness: ChainSyncHarness, distort: (view: ServerView) => ServerView): void {
  distortServer(harness, 1, distort)
}

export const withoutTransactions = (view: ServerView): ServerView => ({
  ...view,
  blocks: view.blocks.map(block => ({ ...block, transactions: [] })),
})

export const withOtherHashes = (view: ServerView): ServerView => ({
  ...view,
  blocks: view.blocks.map(block => ({ ...block, hash: 'f'.repeat(64) })),
})

export const problemsOf = ({ metrics }: ChainSyncHarness) => metrics.problems.map(({ problem }) => problem)
