import type { Change } from '../mutant.ts'

export const CHAIN_SYNC: readonly Change[] = [
  {
    name: 'the mempool is read after the blocks, not before them',
    file: 'workers/chain/sync.ts',
    in: 'syncOnce',
    find: `const list = await readMempool(signal)
    const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)`,
    replace: `const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)
    const list = await readMempool(signal)`,
    killedBy: {
      file: 'workers/chain/interruptions.test.ts',
      test: 'a payment that is mined after the tip is read, and reorged before the next sync',
    },
    withinSeeds: 4_000,
  },
  {
    name: 'a server at the height of the recorded blocks is taken to have the same blocks',
    file: 'workers/chain/blocks.ts',
    in: 'isOnOurChain',
    find: 'if (hash === tip.hash)',
    replace: 'if (height === tip.height || hash === tip.hash)',
    killedBy: {
      file: 'workers/chain/reorganisations.test.ts',
      test: 'known blocks are read again only when the server does not report the hash of the newest',
    },
  },
  {
    name: 'the scanned keys are read before the blocks, not after them',
    file: 'workers/chain/blocks.ts',
    in: 'keysFor',
    find: 'return scanKeys.watchedAt(lowest(timesOf(blocks), nowSecs(clock)))',
    replace: `const cache = keysFor as { readBefore?: ScanKey[] }
    return scanKeys.watchedAt(lowest(timesOf(blocks), nowSecs(clock))).then(read => {
      const keys = cache.readBefore ?? read
      cache.readBefore = read
      return keys
    })`,
    killedBy: {
      file: 'workers/chain/interruptions.test.ts',
      test: 'an invoice is created, its payment broadcast and mined',
    },
    withinSeeds: 1_000,
  },
  {
    name: 'the scanned keys are selected by the clock only, not also by the oldest block of the batch',
    file: 'workers/chain/blocks.ts',
    in: 'keysFor',
    find: 'lowest(timesOf(blocks), nowSecs(clock))',
    replace: 'nowSecs(clock)',
    killedBy: { file: 'workers/chain/decisions.test.ts', test: 'a payment from before a long outage' },
    withinSeeds: 4_000,
  },
  {
    name: 'a new block updates only the first waiting invoice (the first 1,000, scaled down)',
    file: 'services/chain/chain-sync.ts',
    in: 'findDue',
    find: 'await tx.invoices.confirmable(confirmedTip, DUE_PER_STEP)',
    replace: 'await tx.invoices.confirmable(confirmedTip, 1)',
    withinSeeds: 500,
  },
  {
    name: 'a block whose tree sizes contradict its outputs is accepted',
    file: 'domain/chain/chain.ts',
    in: 'checkContinuity',
    find: 'if (block.treeSizes[pool] !== expected)',
    replace: 'if (block.treeSizes[pool] < 0)',
    withinSeeds: 500,
  },
  {
    name: 'a new block confirms only the first 200 waiting invoices',
    file: 'services/chain/chain-sync.ts',
    in: 'recordBlocks',
    find: 'if (written.due.hasMore) await recordDue()',
    replace: '',
    killedBy: { file: 'workers/chain/decisions.test.ts', test: 'a new block confirms every waiting invoice' },
  },
  {
    name: 'recorded headers are not repaired at start',
    file: 'workers/chain/sync.ts',
    in: 'syncOnce',
    find: 'if (!headersChecked) await recordedChain.repairLinks()',
    replace: '',
    killedBy: { file: 'workers/chain/processes.test.ts', test: 'unlinked headers are found' },
  },
  {
    name: 'the genesis block is requested',
    file: 'workers/chain/blocks.ts',
    in: 'FIRST_READ',
    find: 'const FIRST_READ = 1',
    replace: 'const FIRST_READ = 0',
    killedBy: {
      file: 'workers/chain/reorganisations.test.ts',
      test: 'on a chain shorter than HEADERS_KEPT, the sync starts at height 1',
    },
  },
]
