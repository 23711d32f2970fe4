import { showsEverything } from '../../domain/chain-problem.ts'
import type { ChainTime } from '../../domain/chain-time.ts'
import type { WatchMeter } from '../../ports/metrics.ts'
import { NO_WATCH_METER } from '../../ports/metrics.ts'
import type { Chain, Clock, Log, Viewer } from '../../ports.ts'
import { nowSecs } from '../../ports.ts'
import type { ChainProblems } from '../../services/chain-problem.ts'
import type { Headers } from '../../services/chain-rewind.ts'
import type { Payments } from '../../services/payment.ts'
import type { WatchKeys } from '../../services/scan-key.ts'
import { type Next, startLoop } from '../loop.ts'
import { createFollow } from './blocks.ts'
import { createMempoolReader } from './mempool.ts'
import { createProblemReporter } from './problems.ts'

export interface WatcherDeps {
  readonly chain: Chain
  readonly viewer: Viewer
  readonly payments: Payments
  readonly headers: Headers
  readonly keys: WatchKeys
  readonly chainProblems: ChainProblems
  readonly clock: Clock
  readonly log: Log
  readonly meter?: WatchMeter
}

export interface Watcher {
  /** One look at chain and mempool. When it is complete, all that there was when it began is recorded. */
  look(signal: AbortSignal): Promise<Next>
  /** Follows the mempool until a block ends the stream; how many transactions it read. */
  follow(signal: AbortSignal): Promise<number>
}

const LOOK_EVERY_MS = 2_000
const MEMPOOL_GAP_MS = 500
const BACKOFF = { firstMs: 500, mostMs: 3_000 }
/** How old the mempool that a server shows may be: lightwalletd asks its node at most every 2 s. With a margin. */
const MEMPOOL_AGE_SECS = 3
/** lightwalletd gives its old list, however old it is, to everybody who asks within 2 s of a failure. With a margin. */
const AFTER_FAILURE_SECS = 5

/**
 * What a complete look claims to have seen: chain and mempool as they were when it began. Two things can escape it: what
 * entered the mempool after the server last asked its node, and a transaction whose block was replaced between the
 * reading of the mempool and that of the blocks. Both are in what a later look reads, so the claim is made with that.
 */
interface Claim {
  /** Unix seconds. */
  readonly began: number
  readonly ended: number
  readonly server: number
}

export function createWatcher(deps: WatcherDeps): Watcher {
  const { chain, payments, headers, clock, meter = NO_WATCH_METER } = deps
  const follow = createFollow({ ...deps, meter })
  const mempool = createMempoolReader(deps)
  const reportTime = timeReporter(deps.log, meter)
  const reportProblems = createProblemReporter({ ...deps, meter })
  let linked = false
  let mempoolFailedAt = Number.NEGATIVE_INFINITY
  let claim: Claim | null = null

  /** Whether a look that began then shows all that the claim may have missed. */
  function confirms(began: number, server: number): boolean {
    return claim !== null && claim.server === server && began >= claim.ended + MEMPOOL_AGE_SECS
  }

  async function sync(signal: AbortSignal): Promise<Next> {
    if (!linked) await headers.repair()
    linked = true
    const { era } = chain
    const newestOrder = await payments.newestOrder()
    const began = nowSecs(clock)
    // Before the blocks: what leaves the mempool from here on is in a block that is read below.
    const [snapshot] = await Promise.allSettled([chain.mempoolSnapshot(signal)])
    if (snapshot.status === 'rejected') mempoolFailedAt = nowSecs(clock)
    const { reached, more, rewound } = await follow(signal)
    const staleList = Math.abs(began - mempoolFailedAt) < AFTER_FAILURE_SECS
    const clockWentBack = claim !== null && began < claim.ended
    if (staleList || rewound || clockWentBack || claim?.server !== era) claim = null
    // Blocks are read whatever becomes of the mempool; but without it, the sync is not complete.
    if (snapshot.status === 'rejected') signal.throwIfAborted()
    if (!reached || snapshot.status === 'rejected') return more ? 'again' : 'idle'
    if (chain.era !== era) return 'again'
    const seen = await mempool.open(snapshot.value, signal)
    const txids = new Set(snapshot.value.map(transaction => transaction.txid))
    const confirmed = confirms(began, era) ? claim : null
    const seenThrough = confirmed && showsEverything(chain.problems) ? confirmed.began : null
    const tellsMissing = !rewound
    const time = await payments.recordSnapshot({
      ...seen,
      txids,
      newestOrder,
      server: era,
      seenThrough,
      tellsMissing,
    })
    reportTime(time)
    if (time.state === 'ok' && seenThrough !== null) meter.seenThrough(seenThrough)
    if (confirmed || (claim === null && !staleList)) claim = { began, ended: nowSecs(clock), server: era }
    return 'idle'
  }

  return {
    async look(signal) {
      const [synced] = await Promise.allSettled([sync(signal)])
      await reportProblems(chain.problems)
      if (synced.status === 'rejected') throw synced.reason
      return synced.value
    },

    follow: mempool.stream,
  }
}

/** Measures what the block times say of server and clock, and logs each change of it. */
function timeReporter(log: Log, meter: WatchMeter): (time: ChainTime) => void {
  let before: ChainTime['state'] = 'ok'
  return time => {
    meter.stalled(time.state === 'stalled')
    meter.clockApart(time.state === 'clock_ahead' ? time.bySecs : time.state === 'clock_behind' ? -time.bySecs : 0)
    if (time.state === before) return
    before = time.state
    if (time.state === 'stalled')
      log.error({ ageSecs: time.ageSecs }, 'the chain server has no new block: no invoice expires until it has')
    else if (time.state === 'clock_ahead' || time.state === 'clock_behind')
      log.error(
        { state: time.state, bySecs: time.bySecs },
        'the clock and the newest blocks are hours apart: no invoice expires and no plan ends until they agree',
      )
    else log.info({}, 'the newest blocks agree with the clock')
  }
}

/** Watches until stopped: looks every two seconds and at each block, and follows the mempool in between. */
export function startWatcher(deps: WatcherDeps): { stop(): Promise<void> } {
  const { clock, log } = deps
  const watcher = createWatcher(deps)
  const looks = startLoop({
    name: 'watcher',
    run: signal => watcher.look(signal),
    idleMs: LOOK_EVERY_MS,
    backoff: BACKOFF,
    clock,
    log,
  })
  let afterBlock = false
  const mempool = startLoop({
    name: 'mempool',
    async run(signal) {
      // The next block may have come before the stream is open again, and will not end it.
      if (afterBlock) looks.wake()
      const openedMs = clock.nowMs()
      const count = await watcher.follow(signal)
      // A block ends the stream; but a server that does not follow its mempool ends it at once, and that is no news.
      afterBlock = count > 0 || clock.nowMs() - openedMs >= MEMPOOL_GAP_MS
      if (afterBlock) looks.wake()
      return 'idle'
    },
    idleMs: MEMPOOL_GAP_MS,
    backoff: BACKOFF,
    clock,
    log,
  })
  return {
    async stop() {
      await Promise.all([looks.stop(), mempool.stop()])
    },
  }
}
