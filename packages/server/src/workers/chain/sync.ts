import { MAX_MEMPOOL_AGE_SECS } from '../../domain/chain/chain-knowledge.ts'
import type { Chain } from '../../ports/chain.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import { NO_METRICS } from '../../ports/metrics.ts'
import type { NoteScanner } from '../../ports/note-scanner.ts'
import type { ChainProblems } from '../../services/chain/chain-problem.ts'
import type { ChainRecorder } from '../../services/chain/chain-sync.ts'
import type { MissedBlocks } from '../../services/chain/missed-blocks.ts'
import type { RecordedChain } from '../../services/chain/recorded-chain.ts'
import type { ScanKeys } from '../../services/chain/scan-key.ts'
import type { Witnesses } from '../../services/chain/witness.ts'
import type { SetAsides } from '../../services/set-aside.ts'
import { type LoopResult, startLoop } from '../loop.ts'
import { createBlockSync } from './blocks.ts'
import { createMempoolReader } from './mempool.ts'
import { createMissedBlocksReader } from './missed-blocks.ts'
import { createProblemReporter } from './problems.ts'
import { createTimeReporter } from './time.ts'
import { createWitnessReader } from './witness.ts'

export interface ChainSyncDeps {
  readonly chain: Chain
  readonly noteScanner: NoteScanner
  readonly chainRecorder: ChainRecorder
  readonly recordedChain: RecordedChain
  readonly scanKeys: ScanKeys
  readonly chainProblems: ChainProblems
  readonly witnesses: Witnesses
  readonly setAsides: SetAsides
  readonly missedBlocks: MissedBlocks
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
}

export interface ChainSync {
  /** Syncs chain and mempool once. A complete sync has recorded everything that existed when it started. */
  sync(signal: AbortSignal): Promise<LoopResult>
  /** Compares the servers once, if there are several. */
  compareServers(signal: AbortSignal): Promise<LoopResult>
  /** Tries the viewing keys that are set aside again, on one batch of the blocks that they missed. */
  readMissedBlocks(signal: AbortSignal): Promise<LoopResult>
  /** Records payments from the mempool stream until a block ends it. Returns the number of transactions read. */
  streamMempool(signal: AbortSignal): Promise<number>
}

/** The least time after which a list proves that the sync before it was complete. A new payment comes by the stream. */
const SYNC_INTERVAL_MS = MAX_MEMPOOL_AGE_SECS * 1_000
/** With one server, there is work only after the database was replaced by one that was written under other settings. */
const ONE_SERVER_INTERVAL_MS = 15_000
/** Keys are set aside for a minute at least. */
const MISSED_BLOCKS_INTERVAL_MS = 10_000
const STREAM_GAP_MS = 500
const BACKOFF = { firstMs: 500, maxMs: 3_000 }

export function createChainSync(deps: ChainSyncDeps): ChainSync {
  const { chain, chainRecorder, recordedChain, witnesses, clock, metrics = NO_METRICS } = deps
  const { see } = chainRecorder
  const syncBlocks = createBlockSync({ ...deps, metrics })
  const mempool = createMempoolReader(deps)
  const reportTime = createTimeReporter({ log: deps.log, metrics })
  const reportProblems = createProblemReporter({ ...deps, metrics })
  let headersChecked = false

  async function syncOnce(signal: AbortSignal): Promise<LoopResult> {
    if (!headersChecked) await recordedChain.repairLinks()
    if (!headersChecked) await witnesses.configure(chain.servers)
    headersChecked = true
    await chainRecorder.recordDue()
    const { serverEpoch } = chain
    const lastSeq = await chainRecorder.lastSeq()
    see({ type: 'sync_started', at: nowSecs(clock), serverEpoch })
    // Read before the blocks: a transaction that leaves the mempool after this is in a block that is read below.
    const list = await readMempool(signal)
    const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)
    see({ type: 'blocks_read', rewound })
    // Blocks are recorded even if the mempool read failed, but the sync is then incomplete.
    if (!list) signal.throwIfAborted()
    if (!reachedTip || !list) return hasMore ? 'again' : 'idle'
    if (chain.serverEpoch !== serverEpoch) return 'again'
    const seen = await mempool.scan(list.transactions, tip?.time ?? 0, signal)
    const conclusions = chainRecorder.conclude(chain.problems)
    const snapshot = { ...seen, ...conclusions, txids: list.txids, lastSeq }
    const { time, syncedThrough } = await chainRecorder.recordSnapshot(snapshot)
    reportTime(time)
    if (syncedThrough !== null) metrics.syncedThrough(syncedThrough)
    return 'idle'
  }

  /** The mempool list; null: it cannot be read. */
  async function readMempool(signal: AbortSignal) {
    const [read] = await Promise.allSettled([chain.mempoolSnapshot(signal)])
    if (read.status === 'rejected') {
      see({ type: 'mempool_failed', at: nowSecs(clock) })
      return null
    }
    const txids = new Set(read.value.map(({ txid }) => txid))
    see({ type: 'mempool_listed', txids })
    return { transactions: read.value, txids }
  }

  return {
    async sync(signal) {
      const [result] = await Promise.allSettled([syncOnce(signal)])
      await reportProblems([...chain.problems, ...witnesses.problems])
      if (result.status === 'rejected') throw result.reason
      return result.value
    },

    compareServers: createWitnessReader(deps),

    readMissedBlocks: createMissedBlocksReader(deps),

    async streamMempool(signal) {
      try {
        return await mempool.stream(signal)
      } catch (error) {
        // The failed read of another client hides that of the snapshot, but every failure ends the stream.
        if (!signal.aborted) see({ type: 'mempool_failed', at: nowSecs(clock) })
        throw error
      }
    },
  }
}

/** Starts chain sync: a sync every three seconds and after each block, and the mempool stream in parallel. */
export function startChainSync(deps: ChainSyncDeps): { stop(): Promise<void> } {
  const { clock, log } = deps
  const chainSync = createChainSync(deps)
  const syncs = startLoop({
    name: 'chain sync',
    run: signal => chainSync.sync(signal),
    idleMs: SYNC_INTERVAL_MS,
    backoff: BACKOFF,
    clock,
    log,
  })
  const comparisons = startLoop({
    name: 'comparison of chain servers',
    run: signal => chainSync.compareServers(signal),
    idleMs: deps.chain.servers > 1 ? SYNC_INTERVAL_MS : ONE_SERVER_INTERVAL_MS,
    backoff: BACKOFF,
    clock,
    log,
  })
  const missedBlocks = startLoop({
    name: 'blocks missed by viewing keys',
    run: signal => chainSync.readMissedBlocks(signal),
    idleMs: MISSED_BLOCKS_INTERVAL_MS,
    backoff: BACKOFF,
    clock,
    log,
  })
  let afterBlock = false
  const mempool = startLoop({
    name: 'mempool',
    async run(signal) {
      // A block found before the stream is open again does not end the new stream.
      if (afterBlock) syncs.notify()
      const openedAtMs = clock.nowMs()
      const count = await chainSync.streamMempool(signal)
      // A block ends the stream. A server without mempool streaming ends it at once, which does not mean a new block.
      afterBlock = count > 0 || clock.nowMs() - openedAtMs >= STREAM_GAP_MS
      if (afterBlock) syncs.notify()
      return 'idle'
    },
    idleMs: STREAM_GAP_MS,
    backoff: BACKOFF,
    clock,
    log,
  })
  return {
    async stop() {
      await Promise.all([syncs.stop(), comparisons.stop(), missedBlocks.stop(), mempool.stop()])
    },
  }
}
