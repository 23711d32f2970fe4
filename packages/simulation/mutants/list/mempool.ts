import type { Change } from '../mutant.ts'

export const MEMPOOL: readonly Change[] = [
  {
    name: 'the notes of an already known mempool transaction are not reported again',
    file: 'workers/chain/mempool.ts',
    in: 'scanUnmined',
    find: 'const found = known ?? scanned.notes.get(txid) ?? []',
    replace: 'const found = known ? [] : (scanned.notes.get(txid) ?? [])',
    killedBy: { file: 'workers/chain/decisions.test.ts', test: 'a payment scanned while the clock was 30 days ahead' },
    withinSeeds: 500,
  },
  {
    name: 'a missing payment is dropped at the next block, without the time of 120 s',
    file: 'domain/payment.ts',
    in: 'DROP_AFTER_MISSING_SECS',
    find: 'const DROP_AFTER_MISSING_SECS = 120',
    replace: 'const DROP_AFTER_MISSING_SECS = 0',
    withinSeeds: 500,
  },
  {
    name: 'after a change of the server, a payment absent from its mempool is dropped at once',
    file: 'services/payment.ts',
    in: 'missingSince',
    find: 'missing && missing.since <= now && wasMissing(payment) ? missing : null',
    replace: 'wasMissing(payment) ? missing : { since: 0, height: 0 }',
    withinSeeds: 500,
  },
  {
    name: 'with zero confirmations, a payment that left the mempool still counts',
    file: 'domain/invoice.ts',
    in: 'isConfirmedUnmined',
    find: 'return confirmations === 0 && payment.inSnapshot && mempoolIsKnown',
    replace: 'return confirmations === 0 && typeof payment.inSnapshot === typeof mempoolIsKnown',
    killedBy: {
      file: 'workers/chain/decisions.test.ts',
      test: 'with 0 confirmations, a payment that has left the mempool does not count',
    },
    withinSeeds: 3_000,
  },
  {
    name: 'a new server inherits the missed transactions of the previous server',
    file: 'services/mempool-snapshot.ts',
    in: 'record',
    find: 'sameServer: serverEpoch === last?.serverEpoch',
    replace: 'sameServer: last !== null || serverEpoch !== null',
    killedBy: { file: 'workers/chain/decisions.test.ts', test: 'the 120 s of a missing payment start again' },
  },
  {
    name: 'a payment stays missing though a list that was not recorded contained it',
    file: 'services/mempool-snapshot.ts',
    in: 'wasMissing',
    find: 'sameServer && uncompared !== null && !uncompared.has(txid)',
    replace: 'sameServer && uncompared !== null && txid !== null',
    killedBy: {
      file: 'workers/chain/decisions.test.ts',
      test: 'a payment seen while the server is behind is missing since then only',
    },
  },
  {
    name: 'every list that was not recorded starts the wait of all missing payments again',
    file: 'workers/chain/sync.ts',
    in: 'syncOnce',
    find: 'if (!reachedTip || !list) return',
    replace: `if (!reachedTip) known = { ...known, uncompared: null }
    if (!reachedTip || !list) return`,
    killedBy: {
      file: 'workers/chain/decisions.test.ts',
      test: 'a payment is dropped although the server is behind now and then',
    },
  },
  {
    name: 'a missing payment is dropped without a new block',
    file: 'domain/payment.ts',
    in: 'hasVanished',
    find: '&& tip > missing.height',
    replace: '&& tip >= missing.height',
    killedBy: {
      file: 'workers/chain/decisions.test.ts',
      test: 'a missing payment is dropped after 120 s and a new block',
    },
  },
  {
    name: 'no block is read while the mempool cannot be read',
    file: 'workers/chain/sync.ts',
    in: 'syncOnce',
    find: 'const list = await readMempool(signal)',
    replace: `const list = await readMempool(signal)
    if (!list) return 'idle'`,
    killedBy: { file: 'workers/chain/problems.test.ts', test: 'while the mempool cannot be read, blocks are recorded' },
  },
  {
    name: 'the first snapshot after an outage evaluates only what it changes',
    file: 'services/payment.ts',
    in: 'compareWithSnapshot',
    find: 'isFirst ? present : present.filter(hasChanged)',
    replace: 'isFirst ? present.filter(hasChanged) : present.filter(hasChanged)',
    killedBy: { file: 'workers/chain/witness-wait.test.ts', test: 'the first snapshot after an outage confirms' },
  },
]
