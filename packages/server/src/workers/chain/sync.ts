import { allPaymentsVisible } from '../../domain/chain-problem.ts'
import { clockAgreesWithChain } from '../../domain/chain-time.ts'
import type { Chain } from '../../ports/chain.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import { NO_METRICS } from '../../ports/metrics.ts'
import type { NoteScanner } from '../../ports/note-scanner.ts'
import type { ChainProblems } from '../../services/chain-problem.ts'
import type { ChainRecorder } from '../../services/chain-sync.ts'
import type { MissedBlocks } from '../../services/missed-blocks.ts'
import type { RecordedChain } from '../../services/recorded-chain.ts'
import type { ScanKeys } from '../../services/scan-key.ts'
import type { SetAsides } from '../../services/set-aside.ts'
import type { Witnesses } from '../../services/witness.ts'
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

const SYNC_INTERVAL_MS = 2_000
const STREAM_GAP_MS = 500
/** As many as a server may list at once. */
const MAX_UNCOMPARED = 100_000
const BACKOFF = { firstMs: 500, maxMs: 3_000 }
/** Maximum age of a server's mempool list, with a margin: lightwalletd asks its node at most every 2 s. */
const MAX_MEMPOOL_AGE_SECS = 3
/**
 * After a failed mempool read of any client, lightwalletd may serve a list of any age for 2 s. The stream is opened again
 * at most 3 s after a failure. With a margin.
 */
const STALE_AFTER_FAILURE_SECS = 5

/**
 * A complete sync that a later one has to confirm. It can miss a transaction that entered the mempool after the server
 * last asked its node, and one whose block was replaced between the reads of mempool and blocks. A later sync reads both,
 * so `syncedThrough` advances to `startedAt` only with that, and with a third one. In memory only: after a restart three
 * syncs are needed again, and `syncedThrough` stands still until then. Times in Unix seconds.
 */
interface UnconfirmedSync {
  readonly startedAt: number
  readonly endedAt: number
  readonly serverEpoch: number
}

/**
 * A sync that a list has confirmed which a failed read of another client may have made old: the mempool stream tells of
 * it, but perhaps only when it is open again. Times in Unix seconds.
 */
interface ConfirmedSync {
  readonly startedAt: number
  /** When the list was requested. */
  readonly listedAt: number
}

export function createChainSync(deps: ChainSyncDeps): ChainSync {
  const { chain, chainRecorder, recordedChain, witnesses, clock, metrics = NO_METRICS } = deps
  const syncBlocks = createBlockSync({ ...deps, metrics })
  const mempool = createMempoolReader(deps)
  const reportTime = createTimeReporter({ log: deps.log, metrics })
  const reportProblems = createProblemReporter({ ...deps, metrics })
  let headersChecked = false
  let mempoolFailedAt = Number.NEGATIVE_INFINITY
  /** The first list after a failure may be as old as the failure. */
  let isFirstAfterFailure = false
  let unconfirmed: UnconfirmedSync | null = null
  /** Oldest first, at most one for each second of `STALE_AFTER_FAILURE_SECS`. Replaced when a failure is reported. */
  let confirmed: ConfirmedSync[] = []
  /** Ids of the transactions in mempool lists that were read and not yet compared with the payments. Null: too many. */
  let uncompared: Set<string> | null = new Set()

  /** Whether a sync that started at `startedAt` has read everything that the unconfirmed one may have missed. */
  function confirms(startedAt: number, serverEpoch: number): boolean {
    return unconfirmed?.serverEpoch === serverEpoch && startedAt >= unconfirmed.endedAt + MAX_MEMPOOL_AGE_SECS
  }

  /** Takes the newest confirmed sync for whose list no failure was reported until `startedAt`. */
  function settle(startedAt: number): ConfirmedSync | null {
    const last = confirmed.findLastIndex(({ listedAt }) => startedAt >= listedAt + STALE_AFTER_FAILURE_SECS)
    return confirmed.splice(0, last + 1).at(-1) ?? null
  }

  function noteMempoolFailure(): void {
    mempoolFailedAt = nowSecs(clock)
    isFirstAfterFailure = true
    confirmed = []
  }

  async function syncOnce(signal: AbortSignal): Promise<LoopResult> {
    if (!headersChecked) await recordedChain.repairLinks()
    if (!headersChecked) await witnesses.configure(chain.servers)
    headersChecked = true
    await chainRecorder.recordDue()
    const { serverEpoch } = chain
    const lastSeq = await chainRecorder.lastSeq()
    const startedAt = nowSecs(clock)
    // A failure that is reported from here on replaces it, so that this sync confirms nothing.
    const confirmedBefore = confirmed
    // Read before the blocks: a transaction that leaves the mempool after this is in a block that is read below.
    const [snapshot] = await Promise.allSettled([chain.mempoolSnapshot(signal)])
    if (snapshot.status === 'rejected') noteMempoolFailure()
    else uncompared = union(uncompared, snapshot.value)
    const { reachedTip, hasMore, rewound, tip } = await syncBlocks(signal)
    const mempoolMayBeStale = Math.abs(startedAt - mempoolFailedAt) < STALE_AFTER_FAILURE_SECS
    const clockWentBack = unconfirmed !== null && startedAt < unconfirmed.endedAt
    if (mempoolMayBeStale || rewound || clockWentBack || unconfirmed?.serverEpoch !== serverEpoch) {
      unconfirmed = null
      confirmed = []
    }
    // Blocks are recorded even if the mempool read failed, but the sync is then incomplete.
    if (snapshot.status === 'rejected') signal.throwIfAborted()
    if (!reachedTip || snapshot.status === 'rejected') return hasMore ? 'again' : 'idle'
    if (chain.serverEpoch !== serverEpoch) return 'again'
    const seen = await mempool.scan(snapshot.value, tip?.time ?? 0, signal)
    const txids = new Set(snapshot.value.map(transaction => transaction.txid))
    const confirming = confirms(startedAt, serverEpoch) ? unconfirmed : null
    const settled = settle(startedAt)
    const syncedThrough = settled && allPaymentsVisible(chain.problems) ? settled.startedAt : null
    const provesMissing = !rewound && !mempoolMayBeStale && !isFirstAfterFailure
    const time = await chainRecorder.recordSnapshot({
      ...seen,
      txids,
      readAt: startedAt,
      lastSeq,
      serverEpoch,
      syncedThrough,
      provesMissing,
      uncompared,
    })
    if (provesMissing && clockAgreesWithChain(time)) uncompared = new Set()
    if (!mempoolMayBeStale) isFirstAfterFailure = false
    reportTime(time)
    if (time.state === 'ok' && syncedThrough !== null) metrics.syncedThrough(syncedThrough)
    if (confirming && confirmedBefore.at(-1)?.listedAt !== startedAt)
      confirmedBefore.push({ startedAt: confirming.startedAt, listedAt: startedAt })
    if (confirming || (unconfirmed === null && !mempoolMayBeStale))
      unconfirmed = { startedAt, endedAt: nowSecs(clock), serverEpoch }
    return 'idle'
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
        if (!signal.aborted) noteMempoolFailure()
        throw error
      }
    },
  }
}

/** Adds the ids of a mempool list. Null: too many. */
function union(ids: Set<string> | null, transactions: readonly { readonly txid: string }[]): Set<string> | null {
  for (const { txid } of transactions) ids?.add(txid)
  return ids && ids.size <= MAX_UNCOMPARED ? ids : null
}

/** Starts chain sync: a sync every two seconds and after each block, and the mempool stream in parallel. */
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
    idleMs: SYNC_INTERVAL_MS,
    backoff: BACKOFF,
    clock,
    log,
  })
  const missedBlocks = startLoop({
    name: 'blocks missed by viewing keys',
    run: signal => chainSync.readMissedBlocks(signal),
    idleMs: SYNC_INTERVAL_MS,
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
