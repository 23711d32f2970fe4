import type { Mutant } from '../mutant.ts'

/** Mutants of chain sync and of the mempool. */
export const SYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'the mempool is read after the blocks, not before them',
    theme: 'chain sync',
    file: 'workers/chain/sync.ts',
    find: `const list = await readMempool(signal)
    const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)`,
    replace: `const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)
    const list = await readMempool(signal)`,
    withinSeeds: 4_000,
  },
  {
    name: 'the scanned keys are read before the blocks, not after them',
    theme: 'chain sync',
    file: 'workers/chain/blocks.ts',
    find: 'return scanKeys.watchedAt(lowest(timesOf(blocks), nowSecs(clock)))',
    replace: `const cache = keysFor as { readBefore?: ScanKey[] }
    return scanKeys.watchedAt(lowest(timesOf(blocks), nowSecs(clock))).then(read => {
      const keys = cache.readBefore ?? read
      cache.readBefore = read
      return keys
    })`,
    withinSeeds: 1_000,
  },
  {
    name: 'the scanned keys are selected by the clock only, not also by the oldest block of the batch',
    theme: 'chain sync',
    file: 'workers/chain/blocks.ts',
    find: 'lowest(timesOf(blocks), nowSecs(clock))',
    replace: 'nowSecs(clock)',
    withinSeeds: 4_000,
  },
  {
    name: 'a new block updates only the first waiting invoice (the first 1,000, scaled down)',
    theme: 'chain sync',
    file: 'services/chain-sync.ts',
    find: 'await tx.invoices.confirmable(confirmedTip, DUE_PER_STEP)',
    replace: 'await tx.invoices.confirmable(confirmedTip, 1)',
    withinSeeds: 500,
  },
  {
    name: 'a block whose tree sizes contradict its outputs is accepted',
    theme: 'chain sync',
    file: 'domain/chain.ts',
    find: 'if (block.treeSizes[pool] !== expected)',
    replace: 'if (block.treeSizes[pool] < 0)',
    withinSeeds: 500,
  },
  {
    name: 'the notes of an already known mempool transaction are not reported again',
    theme: 'mempool',
    file: 'workers/chain/mempool.ts',
    find: 'const found = known ?? scanned.notes.get(txid) ?? []',
    replace: 'const found = known ? [] : (scanned.notes.get(txid) ?? [])',
    withinSeeds: 500,
  },
  {
    name: 'one poll of the mempool counts as confirmed without a second poll',
    theme: 'mempool',
    file: 'domain/chain-knowledge.ts',
    find: 'syncedThrough: allPaymentsVisible(problems) ? (settled(known)?.startedAt ?? null) : null',
    replace: 'syncedThrough: known.sync?.startedAt ?? null',
    withinSeeds: 5_000,
  },
  {
    name: 'a missing payment is dropped at the next block, without the time of 120 s',
    theme: 'mempool',
    file: 'domain/payment.ts',
    find: 'const DROP_AFTER_MISSING_SECS = 120',
    replace: 'const DROP_AFTER_MISSING_SECS = 0',
    withinSeeds: 500,
  },
  {
    name: 'after a change of the server, a payment absent from its mempool is dropped at once',
    theme: 'mempool',
    file: 'services/payment.ts',
    find: 'return missing && missing.since <= now && wasMissing(payment) ? missing : null',
    replace: 'return wasMissing(payment) ? missing : { since: 0, height: 0 }',
    withinSeeds: 500,
  },
  {
    name: 'with zero confirmations, a payment that left the mempool still counts',
    theme: 'mempool',
    file: 'domain/invoice.ts',
    find: 'return confirmations === 0 && payment.inSnapshot && mempoolIsKnown',
    replace: 'return confirmations === 0 && typeof payment.inSnapshot === typeof mempoolIsKnown',
    withinSeeds: 3_000,
  },
  {
    name: 'a second server that joins is not compared with the recorded blocks',
    theme: 'chain sync',
    file: 'services/witness.ts',
    find: 'Math.max(0, tip - FIRST_COMPARED)',
    replace: 'tip',
    withinSeeds: 1_000,
  },
  {
    name: 'the wait for a second server does not restart with an agreement',
    theme: 'chain sync',
    file: 'services/witness.ts',
    find: 'const since = isFurther ? now : (waiting?.since ?? now)',
    replace: 'const since = waiting?.since ?? now',
    withinSeeds: 1_000,
  },
  {
    name: 'the height of agreement stays above a disagreement',
    theme: 'chain sync',
    file: 'services/witness.ts',
    find: `state === 'disagreed'
            ? height
            :`,
    replace: `state === 'disagreed'
            ? Math.max(witnessed, height)
            :`,
    withinSeeds: 1_000,
  },
  {
    name: 'of the blocks that counted without a second server, only 100 are compared when it comes back',
    theme: 'chain sync',
    file: 'services/witness.ts',
    find: 'agreed = height < reached ? height : null',
    replace: "agreed = state === 'waiting' ? height : null",
    withinSeeds: 3_000,
  },
  {
    name: 'an agreement that another process has recorded does not restart the wait for a second server',
    theme: 'chain sync',
    file: 'services/witness.ts',
    find: 'height > Math.min(start, waiting?.height ?? start)',
    replace: 'height > start',
    needs: ['postgres', 'several processes'],
    withinSeeds: 5_000,
  },
]
