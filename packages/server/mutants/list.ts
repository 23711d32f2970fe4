/** A wrong decision that the tests must find: a piece of a source file, what it is changed to, and the test that fails. */
export interface Mutant {
  readonly name: string
  /** Below `packages/server/src`. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Test files below `packages/server/test` of which at least one must fail. */
  readonly tests: readonly string[]
  /** Part of the name of a test that must fail. */
  readonly killedBy: string
  /** The test runs only with PostgreSQL. */
  readonly needsPostgres?: boolean
}

const DECISIONS = 'workers/watcher-decisions.test.ts'
const INTERRUPTIONS = 'workers/watcher-interruptions.test.ts'
const PROCESSES = 'workers/watcher-processes.test.ts'
const ATTENTION = 'services/attention-mail.test.ts'

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the mempool is read after the blocks',
    file: 'workers/watcher.ts',
    find: `const [snapshot] = await Promise.allSettled([chain.mempoolSnapshot(signal)])
    if (snapshot.status === 'rejected') mempoolFailedAt = nowSecs(clock)
    const { reached, more, rewound } = await follow(signal)`,
    replace: `const { reached, more, rewound } = await follow(signal)
    const [snapshot] = await Promise.allSettled([chain.mempoolSnapshot(signal)])
    if (snapshot.status === 'rejected') mempoolFailedAt = nowSecs(clock)`,
    tests: [INTERRUPTIONS],
    killedBy: 'a payment that is mined after the blocks are read, and taken back before the next look',
  },
  {
    name: 'the keys are read before the blocks',
    file: 'workers/watcher-follow.ts',
    find: 'const blocks = await collectBatch(chain, from, to, signal)',
    replace: `const early = await keys.watchedAt(nowSecs(clock))
    const blocks = await collectBatch(chain, from, to, signal)
    keys = { ...keys, watchedAt: async () => early }`,
    tests: [INTERRUPTIONS],
    killedBy: 'an invoice is sold, its payment broadcast and mined',
  },
  {
    name: 'keys are chosen by the clock, not by the oldest block of the batch',
    file: 'workers/watcher-follow.ts',
    find: 'Math.min(nowSecs(clock), ...blocks.map(block => block.time))',
    replace: 'nowSecs(clock)',
    tests: [DECISIONS],
    killedBy: 'a payment of the time before a long outage',
  },
  {
    name: 'a new block confirms only the first 1,000 invoices',
    file: 'services/payments.ts',
    find: 'if (page.length < AWAITING_PAGE) return ids',
    replace: 'return ids',
    tests: [DECISIONS],
    killedBy: 'a new block confirms every invoice that waits for it',
  },
  {
    name: 'a use case of a crowd that changed something and refused keeps its change',
    file: 'store/crowd.ts',
    find: '&& !changed && !transaction.changed',
    replace: '&& !changed',
    tests: ['store/sqlite.test.ts'],
    killedBy: 'one that changes something and then refuses',
  },
  {
    name: 'a replay of an idempotency key counts as having had the key watched',
    file: 'services/invoices.ts',
    find: 'if (created.publicId === draft.publicId) watchCache.written(draft)',
    replace: 'watchCache.written(draft)\n      if (created.publicId === draft.publicId) return created',
    tests: ['services/invoices.test.ts'],
    killedBy: 'a key is watched as long as each of its invoices',
  },
  {
    name: 'notes of a mempool transaction that is known already are not shown again',
    file: 'workers/watcher-mempool.ts',
    find: 'const found = before.get(txid)?.notes ?? opened.get(txid) ?? []',
    replace: 'const found = before.get(txid) ? [] : (opened.get(txid) ?? [])',
    tests: [DECISIONS],
    killedBy: 'a payment opened while the clock was 30 days ahead',
  },
  {
    name: 'an index is given back after an unknown outcome',
    file: 'services/invoices.ts',
    find: "if (error instanceof Fault && error.kind !== 'unavailable') addresses",
    replace: 'if (error instanceof Fault) addresses',
    tests: ['services/invoices.test.ts'],
    killedBy: 'an index is not used again after a commit whose outcome is not known',
  },
  {
    name: 'a rescan opens with the keys watched now only',
    file: 'workers/rescan.ts',
    find: 'await keys.all()',
    replace: 'await keys.watchedAt(blocks.at(-1)!.time + 30 * 86_400)',
    tests: [DECISIONS],
    killedBy: 'a rescan finds what was missed under a key that is watched no longer',
  },
  {
    name: 'no lower bound for diversifier indexes',
    file: 'services/viewing-keys.ts',
    find: 'return MIN_FIRST_INDEX + BigInt',
    replace: 'return BigInt',
    tests: ['services/invoices.test.ts'],
    killedBy: 'the first index of a key is never below 2^40',
  },
  {
    name: "the block's time is taken in place of the earlier of it and the clock",
    file: 'services/payments.ts',
    find: 'time: Math.min(block.time, now)',
    replace: 'time: block.time',
    tests: [DECISIONS],
    killedBy: 'a block dated ahead of the clock',
  },
  {
    name: 'invoices are not locked before their known payments are read',
    file: 'services/payments.ts',
    find: 'await tx.invoices.lock([...idsOf(matched), ...awaiting, ...deadIds])',
    replace: 'void deadIds',
    tests: [PROCESSES],
    killedBy: 'of two processes that see a payment, the second finds it known',
    needsPostgres: true,
  },
  {
    name: 'transactions that write the chain lock nothing',
    file: 'store/chain.ts',
    find: ".where('name', '=', 'chain_lock').forUpdate()",
    replace: ".where('name', '=', 'chain_lock')",
    tests: [PROCESSES],
    killedBy: 'blocks that one process appends while another rewinds',
    needsPostgres: true,
  },
  {
    name: 'recorded headers are not walked at start',
    file: 'workers/watcher.ts',
    find: 'if (!linked) await headers.repair()',
    replace: '',
    tests: [PROCESSES],
    killedBy: 'headers that are no chain are found',
  },
  {
    name: 'a rewind is one transaction, however many payments it moves',
    file: 'services/headers.ts',
    find: 'Math.max(toHeight, Math.min(stepFloor, top - 1))',
    replace: 'Math.min(toHeight, top)',
    tests: [PROCESSES],
    killedBy: 'taken back in bounded steps',
  },
  {
    name: 'a payment dated before its invoice by the clock is none',
    file: 'domain/payment.ts',
    find: 'return time <= watchUntil',
    replace: 'return time <= watchUntil && time >= watchUntil - 7 * 86_400 - 900 - 7_200',
    tests: [DECISIONS],
    killedBy: 'a payment first seen in a block dated 2011',
  },
  {
    name: 'a moment ahead of the clock counts as seen',
    file: 'services/assessment.ts',
    find: 'syncedThrough > now ? 0 : syncedThrough',
    replace: 'syncedThrough',
    tests: [DECISIONS],
    killedBy: 'looks with the clock 7 days ahead close no invoice made after them, on regtest',
  },
  {
    name: 'what is seen never moves back, though it lies ahead of the clock',
    file: 'store/chain.ts',
    find: "or([eb('value', '<', unixSecs), eb('value', '>', now)])",
    replace: "or([eb('value', '<', unixSecs)])",
    tests: [DECISIONS],
    killedBy: 'looks with the clock 7 days ahead close no invoice made after them, on regtest',
  },
  {
    name: 'a server that takes over inherits the misses of the one before',
    file: 'services/payments.ts',
    find: 'const sameServer = server === lastServer',
    replace: 'const sameServer = lastServer !== null || server !== null',
    tests: [DECISIONS],
    killedBy: 'misses of one server say nothing of the next',
  },
  {
    name: 'a payment is dropped without a new block',
    file: 'domain/payment.ts',
    find: ' && tip > missing.height',
    replace: ' && tip >= missing.height',
    tests: [DECISIONS],
    killedBy: 'a payment leaves the count after 120 s and a new block',
  },
  {
    name: 'an invoice closes while a payment that left the mempool can still be mined',
    file: 'domain/invoice.ts',
    find: 'return last > tip && seenThrough < watchUntil ? last : null',
    replace: 'return null',
    tests: [DECISIONS],
    killedBy: 'an invoice whose payment vanished closes once',
  },
  {
    name: 'what is seen moves on though the chain source does not show everything',
    file: 'workers/watcher.ts',
    find: 'const seenThrough = confirmed && showsEverything(chain.problems) ? confirmed.began : null',
    replace: 'const seenThrough = confirmed ? confirmed.began : null',
    tests: ['workers/watcher-problems.test.ts'],
    killedBy: 'while no server follows an upgrade, no invoice expires',
  },
  {
    name: 'no block is read while the mempool cannot be',
    file: 'workers/watcher.ts',
    find: "if (snapshot.status === 'rejected') mempoolFailedAt = nowSecs(clock)",
    replace: `if (snapshot.status === 'rejected') {
      mempoolFailedAt = nowSecs(clock)
      return 'idle'
    }`,
    tests: ['workers/watcher-problems.test.ts'],
    killedBy: 'while the mempool cannot be read, blocks are',
  },
  {
    name: 'a server is left because its mempool fails, whatever the next one gives',
    file: 'adapters/lightwalletd.ts',
    find: `if (transactions) return transactions
      throw error`,
    replace: `if (transactions) return transactions
      leave(current, error)
      throw error`,
    tests: ['adapters/lightwalletd-failover.test.ts'],
    killedBy: 'a server whose mempool fails is kept while no other gives its mempool and equal blocks',
  },
  {
    name: 'the branch that a server reports is not compared',
    file: 'adapters/lightwalletd-inspection.ts',
    find: 'if (!upgrade) return',
    replace: 'if (upgrade || !upgrade) return',
    tests: ['adapters/lightwalletd-failover.test.ts'],
    killedBy: 'a server that reports the branch of an older upgrade is refused',
  },
  {
    name: 'the first block is asked for',
    file: 'workers/watcher-follow.ts',
    find: 'const FIRST_READ = 1',
    replace: 'const FIRST_READ = 0',
    tests: ['workers/watcher-chain.test.ts'],
    killedBy: 'on a chain shorter than a reorganisation can be, reading begins at height 1',
  },
  {
    name: "a look's claim is made at once",
    file: 'workers/watcher.ts',
    find: 'const seenThrough = confirmed && showsEverything(chain.problems) ? confirmed.began : null',
    replace: 'const seenThrough = began',
    tests: [DECISIONS],
    killedBy: 'paid a second before the end, on a server whose mempool is 2 s old',
  },
  {
    name: 'a list shown right after a failure is taken for a new one',
    file: 'workers/watcher.ts',
    find: 'Math.abs(began - mempoolFailedAt) < AFTER_FAILURE_SECS',
    replace: 'Number.isNaN(mempoolFailedAt)',
    tests: [DECISIONS],
    killedBy: 'a list served in place of one that the node refused',
  },
  {
    name: 'a stalled server moves on what is seen',
    file: 'services/payments.ts',
    find: "if (time.state === 'ok' && snapshot.seenThrough !== null)",
    replace: 'if (snapshot.seenThrough !== null)',
    tests: [DECISIONS],
    killedBy: 'a node that stalls for 25 minutes',
  },
  {
    name: 'without confirmations, all that was ever in the mempool pays',
    file: 'domain/invoice.ts',
    find: 'return confirmations === 0 && inSnapshot',
    replace: 'return confirmations === 0 && inSnapshot !== undefined',
    tests: [DECISIONS],
    killedBy: 'without confirmations, money that has left the mempool pays nothing',
  },
  {
    name: 'invoice.underpaid is raised each time',
    file: 'domain/invoice.ts',
    find: "after.status === 'underpaid' && before.underpaidAt === null",
    replace: "after.status === 'underpaid'",
    tests: [DECISIONS],
    killedBy: 'money that goes and comes raises invoice.underpaid once',
  },
  {
    name: 'a plan ends by a clock that is hours apart from the chain',
    file: 'services/billing.ts',
    find: 'return clockAgrees(chainTime(params, await tx.chain.newest(MEDIAN_BLOCKS), now)) ? ended : []',
    replace: 'return clockAgrees(chainTime(params, await tx.chain.newest(MEDIAN_BLOCKS), now)) ? ended : ended',
    tests: ['billing/clock.test.ts'],
    killedBy: 'a plan that was paid for does not end by a clock',
  },
  {
    name: 'a deposit pays at its rate however late it is mined',
    file: 'services/withdrawals.ts',
    find: 'if (header.time > cutoffAt(height)) return late',
    replace: 'if (header.time < 0) return late',
    tests: ['withdrawals/late.test.ts'],
    killedBy: 'a deposit seen before expiry and mined three days later needs attention',
  },
  {
    name: 'an operator may settle what a provider is paying',
    file: 'services/payouts.ts',
    find: 'if (withdrawal.paying && !override) throw',
    replace: 'if (withdrawal.paying && override === undefined) throw',
    tests: ['withdrawals/claim.test.ts'],
    killedBy: 'the refusal names the provider, the time and the override',
  },
  {
    name: 'indexes of a promoted standby are reserved without a look at its origin',
    file: 'services/origin.ts',
    find: 'isSameDatabase(await tx.origin.read()) ? null : await advanceIfCopy(tx)',
    replace: 'null as CounterMove | null',
    tests: ['flows/restore.test.ts'],
    killedBy: 'after a fail-over on PostgreSQL a running process shows no address twice',
    needsPostgres: true,
  },
  {
    name: 'an old signed quote is taken',
    file: 'adapters/oneclick.ts',
    find: 'claim(ageMs <= MAX_QUOTE_AGE_MS,',
    replace: 'claim(ageMs >= 0,',
    tests: ['swaps/provider.test.ts'],
    killedBy: 'an earlier quote that is replayed, correctly signed',
  },
  {
    name: 'a mail is removed although more was taken back while it was sent',
    file: 'services/mail.ts',
    find: 'if (changesNow === changes) await',
    replace: 'if (changesNow >= changes) await',
    tests: [ATTENTION],
    killedBy: 'an invoice whose payments are removed while the mail is being sent is in the next mail',
  },
  {
    name: 'an account is mailed about each reorganisation',
    file: 'domain/attention-mail.ts',
    find: 'return lastSentAt === null ? due :',
    replace: 'return lastSentAt !== Number.NaN ? due :',
    tests: [ATTENTION],
    killedBy: 'an account gets no second mail within the hour',
  },
  {
    name: 'the buyer of a plan or the operator is mailed as a merchant',
    file: 'services/assessment.ts',
    find: "after.purpose === 'sale' && after.needsAttention &&",
    replace: 'after.needsAttention &&',
    tests: [ATTENTION],
    killedBy: 'internal invoices, for plans and withdrawals',
  },
]
