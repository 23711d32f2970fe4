/** A deliberate bug that the tests must detect: the source text to replace, its replacement and the test that must fail. */
export interface Mutant {
  readonly name: string
  /** Path below `packages/server/src`. */
  readonly file: string
  /** Must occur in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Test files below `packages/server/test`. At least one must fail. */
  readonly tests: readonly string[]
  /** Part of the name of a test that must fail. */
  readonly killedBy: string
  /** The test needs PostgreSQL. */
  readonly needsPostgres?: boolean
}

const DECISIONS = 'workers/chain/decisions.test.ts'
const INTERRUPTIONS = 'workers/chain/interruptions.test.ts'
const PROCESSES = 'workers/chain/processes.test.ts'
const ATTENTION = 'services/attention-mail.test.ts'
const DELETION = 'services/account-deletion.test.ts'
const SET_ASIDE_KEYS = 'workers/chain/set-aside.test.ts'

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the mempool is read after the blocks, not before them',
    file: 'workers/chain/sync.ts',
    find: `const [snapshot] = await Promise.allSettled([chain.mempoolSnapshot(signal)])
    if (snapshot.status === 'rejected') noteMempoolFailure()
    else uncompared = union(uncompared, snapshot.value)
    const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)`,
    replace: `const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)
    const [snapshot] = await Promise.allSettled([chain.mempoolSnapshot(signal)])
    if (snapshot.status === 'rejected') noteMempoolFailure()
    else uncompared = union(uncompared, snapshot.value)`,
    tests: [INTERRUPTIONS],
    killedBy: 'a payment that is mined after the blocks are read, and reorged before the next sync',
  },
  {
    name: 'the scanned keys are read before the blocks, not after them',
    file: 'workers/chain/blocks.ts',
    find: 'return scanKeys.watchedAt(Math.min(nowSecs(clock), ...blocks.map(block => block.time)))',
    replace: `const cache = keysFor as { early?: Promise<ScanKey[]> }
    return (cache.early ??= scanKeys.watchedAt(nowSecs(clock)))`,
    tests: [INTERRUPTIONS],
    killedBy: 'an invoice is created, its payment broadcast and mined',
  },
  {
    name: 'the scanned keys are selected by the clock only, not also by the oldest block of the batch',
    file: 'workers/chain/blocks.ts',
    find: 'Math.min(nowSecs(clock), ...blocks.map(block => block.time))',
    replace: 'nowSecs(clock)',
    tests: [DECISIONS],
    killedBy: 'a payment from before a long outage',
  },
  {
    name: 'a new block updates only the first 1,000 waiting invoices',
    file: 'services/invoice-state.ts',
    find: 'if (page.length < AWAITING_PAGE) return ids',
    replace: 'return ids',
    tests: [DECISIONS],
    killedBy: 'a new block confirms every waiting invoice',
  },
  {
    name: 'in a batch, a use case that writes and then fails keeps its change',
    file: 'store/batching/write-batch.ts',
    find: "error.kind !== 'unavailable' && !changed",
    replace: "error.kind !== 'unavailable'",
    tests: ['store/sqlite/store.test.ts'],
    killedBy: 'a batched write that is rejected after a change undoes only its own change',
  },
  {
    name: 'a replayed idempotency key counts as a write that extends the watch of the viewing key',
    file: 'services/invoice.ts',
    find: 'const watched = await watchedUntil(tx, draft)',
    replace: `const all = ((deps as { all?: Map<number, number> }).all ??= new Map())
    const watched = all.get(draft.invoice.viewingKeyId) ?? (await watchedUntil(tx, draft))
    all.set(draft.invoice.viewingKeyId, Math.max(watched!, draft.invoice.watchUntil))`,
    tests: ['services/invoice.test.ts'],
    killedBy: 'a key is watched as long as each of its invoices',
  },
  {
    name: 'the notes of an already known mempool transaction are not reported again',
    file: 'workers/chain/mempool.ts',
    find: 'const found = known ?? scanned.notes.get(txid) ?? []',
    replace: 'const found = known ? [] : (scanned.notes.get(txid) ?? [])',
    tests: [DECISIONS],
    killedBy: 'a payment scanned while the clock was 30 days ahead',
  },
  {
    name: 'a reserved address is released after a commit with an unknown outcome',
    file: 'services/invoice.ts',
    find: "if (error instanceof AppError && error.kind !== 'unavailable') addresses",
    replace: 'if (error instanceof AppError) addresses',
    tests: ['services/invoice.test.ts'],
    killedBy: 'an index is not used again after a commit whose outcome is not known',
  },
  {
    name: 'a rescan scans only with the keys that are scanned now',
    file: 'workers/chain/rescan.ts',
    find: '() => deps.scanKeys.all()',
    replace: 'read => deps.scanKeys.watchedAt(read.at(-1)!.time + 30 * 86_400)',
    tests: [DECISIONS],
    killedBy: 'a rescan finds a missed payment of a key that is no longer watched',
  },
  {
    name: 'diversifier indexes have no lower bound',
    file: 'services/viewing-key.ts',
    find: 'return MIN_FIRST_INDEX + BigInt',
    replace: 'return BigInt',
    tests: ['services/viewing-key.test.ts'],
    killedBy: 'the first index of a key is never below 2^40',
  },
  {
    name: 'a payment gets the block time even when the block time is ahead of the clock',
    file: 'services/payment.ts',
    find: 'time: Math.min(block.time, now)',
    replace: 'time: block.time',
    tests: [DECISIONS],
    killedBy: 'a payment in a block dated ahead of the clock',
  },
  {
    name: 'invoices are not locked before their known payments are read',
    file: 'services/chain-sync.ts',
    find: 'await lockInvoices(tx, [...invoiceIdsOf(matched), ...awaiting, ...invoiceIdsOf(expired)])',
    replace: `new Map(
        (await tx.invoices.byIds(invoiceIdsOf(matched))).map(invoice => [invoice.id, invoice]),
      )`,
    tests: [PROCESSES],
    killedBy: 'a payment recorded by one process is known to the second',
    needsPostgres: true,
  },
  {
    name: 'transactions that write the chain do not take the chain lock',
    file: 'store/repository/chain.ts',
    find: ".where('name', '=', 'chain_lock').forUpdate()",
    replace: ".where('name', '=', 'chain_lock')",
    tests: [PROCESSES],
    killedBy: 'a process that appends blocks while another rewinds',
    needsPostgres: true,
  },
  {
    name: 'recorded headers are not repaired at start',
    file: 'workers/chain/sync.ts',
    find: 'if (!headersChecked) await recordedChain.repairLinks()',
    replace: '',
    tests: [PROCESSES],
    killedBy: 'unlinked headers are found',
  },
  {
    name: 'a rewind is one transaction regardless of the number of payments',
    file: 'services/recorded-chain.ts',
    find: 'Math.max(toHeight, Math.min(stepFloor, top - 1))',
    replace: 'Math.min(toHeight, top)',
    tests: [PROCESSES],
    killedBy: 'is rewound in bounded steps',
  },
  {
    name: 'a payment in a block dated long before its invoice is ignored',
    file: 'domain/payment.ts',
    find: 'return time <= watchUntil',
    replace: 'return time <= watchUntil && time >= watchUntil - 7 * 86_400 - 900 - 7_200',
    tests: [DECISIONS],
    killedBy: 'a payment first seen in a block dated 2011',
  },
  {
    name: 'a synced-through time ahead of the clock is accepted',
    file: 'services/invoice-state.ts',
    find: 'syncedThrough > now ? 0 : syncedThrough',
    replace: 'syncedThrough',
    tests: [DECISIONS],
    killedBy: 'syncs with the clock 7 days ahead expire no invoice created after them, on regtest',
  },
  {
    name: 'a synced-through time ahead of the clock is never moved back',
    file: 'store/repository/chain.ts',
    find: "or([eb('value', '<', unixSecs), eb('value', '>', now)])",
    replace: "or([eb('value', '<', unixSecs)])",
    tests: [DECISIONS],
    killedBy: 'syncs with the clock 7 days ahead expire no invoice created after them, on regtest',
  },
  {
    name: 'a new server inherits the missed transactions of the previous server',
    file: 'services/chain-sync.ts',
    find: 'const sameServer = serverEpoch === last?.serverEpoch',
    replace: 'const sameServer = last !== null || serverEpoch !== null',
    tests: [DECISIONS],
    killedBy: 'the 120 s of a missing payment start again',
  },
  {
    name: 'a payment stays missing though a list that was not recorded contained it',
    file: 'services/chain-sync.ts',
    find: 'sameServer && uncompared !== null && !uncompared.has(txid)',
    replace: 'sameServer && uncompared !== null && txid !== null',
    tests: [DECISIONS],
    killedBy: 'a payment seen while the server is behind is missing since then only',
  },
  {
    name: 'every list that was not recorded starts the wait of all missing payments again',
    file: 'workers/chain/sync.ts',
    find: "if (!reachedTip || snapshot.status === 'rejected') return",
    replace: "if (!reachedTip) uncompared = null\n    if (!reachedTip || snapshot.status === 'rejected') return",
    tests: [DECISIONS],
    killedBy: 'a payment is dropped although the server is behind now and then',
  },
  {
    name: 'a missing payment is dropped without a new block',
    file: 'domain/payment.ts',
    find: ' && tip > missing.height',
    replace: ' && tip >= missing.height',
    tests: [DECISIONS],
    killedBy: 'a missing payment is dropped after 120 s and a new block',
  },
  {
    name: 'an invoice closes while a payment that left the mempool can still be mined',
    file: 'domain/invoice.ts',
    find: 'return syncedThrough < watchUntil ? minableUntil(dropped, tip) : null',
    replace: 'return null',
    tests: [DECISIONS],
    killedBy: 'an invoice whose payment vanished expires once',
  },
  {
    name: 'the synced-through time advances while the chain source does not show everything',
    file: 'workers/chain/sync.ts',
    find: 'const syncedThrough = confirmed && allPaymentsVisible(chain.problems) ? confirmed.startedAt : null',
    replace: 'const syncedThrough = confirmed ? confirmed.startedAt : null',
    tests: ['workers/chain/problems.test.ts'],
    killedBy: 'while no server follows an upgrade, no invoice expires',
  },
  {
    name: 'no block is read while the mempool cannot be read',
    file: 'workers/chain/sync.ts',
    find: "if (snapshot.status === 'rejected') noteMempoolFailure()",
    replace: `if (snapshot.status === 'rejected') {
      noteMempoolFailure()
      return 'idle'
    }`,
    tests: ['workers/chain/problems.test.ts'],
    killedBy: 'while the mempool cannot be read, blocks are recorded',
  },
  {
    name: 'a server whose mempool fails is left even when the next server is no better',
    file: 'adapters/lightwalletd/chain.ts',
    find: `if (transactions) return transactions
      throw error`,
    replace: `if (transactions) return transactions
      endSession(current, error)
      throw error`,
    tests: ['adapters/lightwalletd/failover.test.ts'],
    killedBy: 'a server whose mempool fails is kept while no other serves its mempool and equal blocks',
  },
  {
    name: 'the consensus branch that a server reports is not checked',
    file: 'adapters/lightwalletd/inspection.ts',
    find: 'if (!upgrade) return',
    replace: 'if (upgrade || !upgrade) return',
    tests: ['adapters/lightwalletd/failover.test.ts'],
    killedBy: 'a server that reports the branch of an older upgrade is refused',
  },
  {
    name: 'the genesis block is requested',
    file: 'workers/chain/blocks.ts',
    find: 'const FIRST_READ = 1',
    replace: 'const FIRST_READ = 0',
    tests: ['workers/chain/reorganisations.test.ts'],
    killedBy: 'on a chain shorter than HEADERS_KEPT, the sync starts at height 1',
  },
  {
    name: 'one poll of the mempool counts as confirmed without a second poll',
    file: 'workers/chain/sync.ts',
    find: 'const syncedThrough = confirmed && allPaymentsVisible(chain.problems) ? confirmed.startedAt : null',
    replace: 'const syncedThrough = startedAt',
    tests: [DECISIONS],
    killedBy: 'an invoice paid a second before its end never expires',
  },
  {
    name: 'a mempool list served right after a failure counts as current',
    file: 'workers/chain/sync.ts',
    find: 'Math.abs(startedAt - mempoolFailedAt) < STALE_AFTER_FAILURE_SECS',
    replace: 'Number.isNaN(mempoolFailedAt)',
    tests: [DECISIONS],
    killedBy: 'a stale mempool list served after a failed read',
  },
  {
    name: 'a stalled server advances the synced-through time',
    file: 'services/chain-sync.ts',
    find: "if (time.state === 'ok' && snapshot.syncedThrough !== null)",
    replace: 'if (snapshot.syncedThrough !== null)',
    tests: [DECISIONS],
    killedBy: 'no invoice expires while a node stalls for 25 minutes',
  },
  {
    name: 'with zero confirmations, a payment that left the mempool still counts',
    file: 'domain/invoice.ts',
    find: 'return confirmations === 0 && inSnapshot && mempoolIsKnown',
    replace: 'return confirmations === 0 && typeof inSnapshot === typeof mempoolIsKnown',
    tests: [DECISIONS],
    killedBy: 'with 0 confirmations, a payment that has left the mempool does not count',
  },
  {
    name: 'invoice.underpaid is raised more than once',
    file: 'domain/invoice.ts',
    find: "after.status === 'underpaid' && before.underpaidAt === null",
    replace: "after.status === 'underpaid'",
    tests: [DECISIONS],
    killedBy: 'a payment that is dropped and returns raises invoice.underpaid once',
  },
  {
    name: 'a plan expires while the clock and the chain differ by hours',
    file: 'services/billing.ts',
    find: 'return clockAgreesWithChain(chainTime(params, await tx.chain.newestHeaders(MEDIAN_BLOCKS), now)) ? ended : []',
    replace:
      'return clockAgreesWithChain(chainTime(params, await tx.chain.newestHeaders(MEDIAN_BLOCKS), now)) ? ended : ended',
    tests: ['services/billing/clock.test.ts'],
    killedBy: 'a plan that was paid for does not end by a clock',
  },
  {
    name: 'a deposit that is mined late is paid out at the old rate',
    file: 'services/withdrawal.ts',
    find: 'if (header.time > cutoffAt(height)) return late',
    replace: 'if (header.time < 0) return late',
    tests: ['services/withdrawal/late-deposit.test.ts'],
    killedBy: 'a deposit seen before expiry and mined three days later needs attention',
  },
  {
    name: 'an operator may settle a withdrawal that a provider is paying',
    file: 'services/payout.ts',
    find: 'if (withdrawal.activePayout && !override) throw',
    replace: 'if (withdrawal.activePayout && override === undefined) throw',
    tests: ['services/withdrawal/claim.test.ts'],
    killedBy: 'the refusal names the provider, the time and the override',
  },
  {
    name: 'a promoted standby reserves addresses without checking the database identity',
    file: 'services/database-identity.ts',
    find: 'isSameDatabase(await tx.databaseIdentity.read()) ? null : await advanceIfCopy(tx)',
    replace: 'null as CounterMove | null',
    tests: ['flows/restore.test.ts'],
    killedBy: 'after a fail-over on PostgreSQL a running process uses no address twice',
    needsPostgres: true,
  },
  {
    name: 'an old signed quote is accepted',
    file: 'adapters/oneclick/provider.ts',
    find: 'check(ageMs <= MAX_QUOTE_AGE_MS,',
    replace: 'check(ageMs >= 0,',
    tests: ['adapters/oneclick/provider.test.ts'],
    killedBy: 'an earlier quote that is replayed, correctly signed',
  },
  {
    name: 'a mail is removed although another invoice was reorged while it was being sent',
    file: 'services/mail.ts',
    find: 'if (changesNow === changes) await',
    replace: 'if (changesNow >= changes) await',
    tests: [ATTENTION],
    killedBy: 'an invoice whose payments are removed while the mail is being sent is in the next mail',
  },
  {
    name: 'an account gets a mail for each reorganisation without a minimum interval',
    file: 'domain/attention-mail.ts',
    find: 'return lastSentAt === null ? due :',
    replace: 'return lastSentAt !== Number.NaN ? due :',
    tests: [ATTENTION],
    killedBy: 'an account gets no second mail within the hour',
  },
  {
    name: 'attention mails are sent for invoices of the service itself',
    file: 'services/invoice-state.ts',
    find: "after.purpose === 'sale' && after.needsAttention &&",
    replace: 'after.needsAttention &&',
    tests: [ATTENTION],
    killedBy: 'internal invoices, for plans and withdrawals',
  },
  {
    name: 'a process that has stopped still reserves what it has kept for the next one',
    file: 'services/address.ts',
    find: '    caches.clear()\n',
    replace: '',
    tests: ['services/address.test.ts'],
    killedBy: 'a process that has stopped, a crashed one and two that start at once',
  },
  {
    name: 'an address is restored that the counter of an earlier database can reach',
    file: 'services/address.ts',
    find: 'addresses.filter(({ index }) => index < row.nextIndex).slice(0, room)',
    replace: 'addresses.slice(0, room)',
    tests: ['services/address.test.ts'],
    killedBy: 'an index that the counter can still reach',
  },
  {
    name: 'two processes take the same kept addresses',
    file: 'adapters/system/unused-address.ts',
    find: '      await unlink(path)\n      return decode',
    replace: '      await unlink(path).catch(() => {})\n      return decode',
    tests: ['adapters/system/unused-address.test.ts'],
    killedBy: 'of two processes that start at once',
  },
  {
    name: 'after the rollback of its first write, a batch on PostgreSQL goes on outside a transaction',
    file: 'store/postgres/batches.ts',
    find: "    if (!inSavepoint) this.#open = 'nothing'\n",
    replace: '',
    tests: ['store/postgres/store.test.ts'],
    killedBy: 'wherever the failing ones of a batch are',
    needsPostgres: true,
  },
  {
    name: 'an account is deleted by a clock that the chain does not confirm',
    file: 'services/account-deletion.ts',
    find: '(tx: Tx) => tx.chain.syncedThrough()',
    replace: 'async (_: Tx) => nowSecs(clock)',
    tests: [DELETION],
    killedBy: 'the account is kept for a week',
  },
  {
    name: 'an account is deleted while its invoices can still be paid',
    file: 'store/repository/account-deletion.ts',
    find: "or([eb('invoices.status', 'in', OPEN_INVOICE), eb('invoices.watch_until', '>=', watchedSince(at))])",
    replace: "or([eb('invoices.status', 'in', OPEN_INVOICE)])",
    tests: [DELETION],
    killedBy: 'an invoice that can be paid late',
  },
  {
    name: 'the change of an account that is being deleted is checked against what the request had read',
    file: 'services/audit.ts',
    find: 'requireNoDeletion((await tx.accounts.lock(account.id)) ?? {})',
    replace: 'requireNoDeletion(account as Account)',
    tests: [DELETION],
    killedBy: 'refuses every change until the owner keeps the account',
  },
  {
    name: 'unused viewing keys are deleted without a lock before the check',
    file: 'store/repository/unused-key.ts',
    find: "  await db.selectFrom('viewing_keys').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()\n",
    replace: '',
    tests: ['store/unused-key.test.ts'],
    killedBy: 'a key that an account takes at the same time',
    needsPostgres: true,
  },
  {
    name: 'the row of a viewing key is not locked by the account that takes it',
    file: 'store/repository/viewing-key.ts',
    find: `        .where('fingerprint', '=', fingerprint)
        .forNoKeyUpdate()`,
    replace: "        .where('fingerprint', '=', fingerprint)",
    tests: ['store/unused-key.test.ts'],
    killedBy: 'a key that',
    needsPostgres: true,
  },
  {
    name: 'a viewing key that opens while blocks are scanned without it misses these blocks',
    file: 'services/chain-sync.ts',
    find: 'if (leftOut.length > 0 && !(await areSetAside(tx, leftOut))) return staleKeys(blocks)',
    replace: '',
    tests: [SET_ASIDE_KEYS],
    killedBy: 'when a key opens while a batch of blocks is scanned without it',
  },
  {
    name: 'blocks that are replaced are not read again for a viewing key that is set aside',
    file: 'services/recorded-chain.ts',
    find: 'await tx.setAside.lowerFromHeight(height + 1)',
    replace: '',
    tests: [SET_ASIDE_KEYS],
    killedBy: 'blocks that are replaced while the key is set aside',
  },
  {
    name: 'the mempool is not scanned again with a viewing key that was set aside',
    file: 'workers/chain/mempool.ts',
    find: 'isComplete: leftOut.length === 0',
    replace: 'isComplete: true',
    tests: [SET_ASIDE_KEYS],
    killedBy: 'a payment in the mempool is seen as soon as the key opens',
  },
  {
    name: 'invoices of a viewing key that is set aside expire',
    file: 'store/repository/invoice.ts',
    find: ".where('viewing_key_id', 'not in', scanKeysSetAside(db))",
    replace: '',
    tests: [SET_ASIDE_KEYS],
    killedBy: 'a key that does not open, at place',
  },
  {
    name: 'invoices expire before a complete sync with a viewing key that was set aside',
    file: 'services/missed-blocks.ts',
    find: 'if ((await tx.chain.syncedThrough()) <= entry.nextAttemptAt) return false',
    replace: '',
    tests: [SET_ASIDE_KEYS],
    killedBy: 'a key that does not open, at place',
  },
]
