import type { Change } from '../mutant.ts'

export const CHAIN_SERVERS: readonly Change[] = [
  {
    name: 'a second server that joins is not compared with the recorded blocks',
    file: 'services/chain/witness.ts',
    in: 'configure',
    find: 'Math.max(0, tip - FIRST_COMPARED)',
    replace: 'tip',
    withinSeeds: 1_000,
  },
  {
    name: 'the wait for a second server does not restart with an agreement',
    file: 'services/chain/witness.ts',
    in: 'record',
    find: 'const since = isFurther ? now : (waiting?.since ?? now)',
    replace: 'const since = waiting?.since ?? now',
    killedBy: { file: 'workers/chain/witness-wait.test.ts', test: 'the wait for a second server restarts' },
    withinSeeds: 1_000,
  },
  {
    name: 'the height of agreement stays above a disagreement',
    file: 'services/chain/witness.ts',
    in: 'record',
    find: 'reached !== witnessed',
    replace: 'reached > witnessed',
    killedBy: { file: 'workers/chain/witness-wait.test.ts', test: 'blocks that counted without a second server' },
    withinSeeds: 1_000,
  },
  {
    name: 'of the blocks that counted without a second server, only 100 are compared when it comes back',
    file: 'services/chain/witness.ts',
    in: 'record',
    find: 'agreed = height < reached ? height : null',
    replace: "agreed = state === 'waiting' ? height : null",
    killedBy: {
      file: 'workers/chain/witness-wait.test.ts',
      test: 'of more than 100 blocks that counted without a second server',
    },
    withinSeeds: 3_000,
  },
  {
    name: 'an agreement that another process has recorded does not restart the wait for a second server',
    file: 'services/chain/witness.ts',
    in: 'record',
    find: 'height > Math.min(start, waiting?.height ?? start)',
    replace: 'height > start',
    killedBy: {
      file: 'workers/chain/witness-wait.test.ts',
      test: 'the wait for a second server restarts also when another process',
    },
    needs: ['postgres', 'several processes'],
    withinSeeds: 5_000,
  },
  {
    name: 'a server whose mempool fails is left even when the next server is no better',
    file: 'adapters/lightwalletd/chain.ts',
    in: 'mempoolSnapshot',
    find: '(transactions) return transactions',
    replace: `(transactions) return transactions
      endSession(current, error)`,
    killedBy: {
      file: 'adapters/lightwalletd/failover.test.ts',
      test: 'a server whose mempool fails is kept while no other serves its mempool and equal blocks',
    },
  },
  {
    name: 'the consensus branch that a server reports is not checked',
    file: 'adapters/lightwalletd/inspection.ts',
    in: 'checkBranch',
    find: 'if (!upgrade) return',
    replace: 'if (upgrade || !upgrade) return',
    killedBy: {
      file: 'adapters/lightwalletd/failover.test.ts',
      test: 'a server that reports the branch of an older upgrade is refused',
    },
  },
  {
    name: 'a second server that joins is not compared about the last blocks before it',
    file: 'services/chain/witness.ts',
    in: 'configure',
    find: 'Math.max(0, tip - FIRST_COMPARED)',
    replace: 'Math.max(tip, tip - FIRST_COMPARED)',
    killedBy: {
      file: 'workers/chain/witness-wait.test.ts',
      test: 'a second server that joins confirms payments of the last blocks',
    },
  },
  {
    name: 'a payment found by a rescan needs no second server',
    file: 'services/chain/chain-sync.ts',
    in: 'work',
    find: '(await tx.chain.witnessedHeight()) !== null',
    replace: 'false',
    killedBy: {
      file: 'workers/chain/witness.test.ts',
      test: 'a payment found by a rescan is paid when a second server shows it',
    },
  },
  {
    name: 'a server that contradicts does not count while the second one is missing',
    file: 'services/chain/witness.ts',
    in: 'record',
    find: '? unopposedHeight(compared, tip)',
    replace: '? (compared, unopposedHeight([], tip))',
    killedBy: {
      file: 'workers/chain/witness.test.ts',
      test: 'the one that showed a payment in an equal block is gone',
    },
  },
]
