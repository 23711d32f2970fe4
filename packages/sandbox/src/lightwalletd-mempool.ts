import type { Clock } from './clock.ts'
import type { LightwalletdFaults } from './lightwalletd-faults.ts'
import type { ServedNode } from './lightwalletd-node.ts'
import type { ChainTransaction } from './transaction.ts'

/** How often an open stream checks whether another one has asked the node. */
const CHECK_EVERY_MS = 200

/** What the streams of one server share: the transactions of the current block interval. */
interface Interval {
  /** the newest block when the node was last asked */
  tip: string
  /** each transaction once, in the order in which it was first seen; nothing is ever taken out */
  transactions: ChainTransaction[]
  refreshedAtMs: number
}

/**
 * The mempool as lightwalletd serves it (`GetMempoolTx` in frontend/service.go, common/mempool.go). The node is asked at
 * most every `mempoolCacheMs` for the list of all clients, and at most as often for all streams.
 */
export class ServedMempool {
  readonly #node: ServedNode
  readonly #clock: Clock
  readonly #faults: LightwalletdFaults
  #list: readonly ChainTransaction[] = []
  #listedAtMs = Number.NEGATIVE_INFINITY
  readonly #shared: Interval = emptyInterval()

  constructor(node: ServedNode, clock: Clock, faults: LightwalletdFaults) {
    this.#node = node
    this.#clock = clock
    this.#faults = faults
  }

  /** The list of GetMempoolTx. A call that comes too early gets the list of the call before, whatever was mined since. */
  list(): readonly ChainTransaction[] {
    if (this.#isDue(this.#listedAtMs)) {
      this.#listedAtMs = this.#clock.nowMs()
      this.#list = this.#node.mempool()
    }
    return this.#list
  }

  /** A call of {@link list} that failed: when it was to ask the node, the next call is not, and gets the old list. */
  skipRefresh(): void {
    if (this.#isDue(this.#listedAtMs)) this.#listedAtMs = this.#clock.nowMs()
  }

  /**
   * The transactions of the current block interval, then what comes in, until the newest block is another one or the
   * client leaves. Ends at once when it is the first to notice a block. With `mempoolCacheMs` 0 the stream is up to date
   * at every moment and shares nothing.
   */
  async *stream(signal: AbortSignal): AsyncGenerator<ChainTransaction> {
    const interval = this.#faults.mempoolCacheMs === 0 ? emptyInterval(this.#node.tipHash) : this.#shared
    const { tip } = interval
    const changes = new Changes(this.#node, signal)
    let sent = 0
    try {
      while (!signal.aborted && interval.tip === tip) {
        changes.reset()
        if (this.#isDue(interval.refreshedAtMs) && !this.#refresh(interval)) return
        const waiting = interval.transactions.slice(sent)
        sent += waiting.length
        yield* waiting
        await this.#nextCheck(changes)
      }
    } finally {
      changes.stop()
    }
  }

  /** Adds what the node has to the interval. False when a block ended the interval: the next one begins empty. */
  #refresh(interval: Interval): boolean {
    const tip = this.#node.tipHash
    if (tip !== interval.tip) {
      Object.assign(interval, emptyInterval(tip))
      return false
    }
    const seen = new Set(interval.transactions.map(({ id }) => id))
    interval.transactions.push(...this.#node.mempool().filter(({ id }) => !seen.has(id)))
    interval.refreshedAtMs = this.#clock.nowMs()
    return true
  }

  /** Without a cache only a change brings something new; with one, the time does too. */
  async #nextCheck(changes: Changes): Promise<void> {
    if (this.#faults.mempoolCacheMs === 0) return changes.next
    const slept = new AbortController()
    await Promise.race([changes.next, this.#clock.sleep(CHECK_EVERY_MS, slept.signal)])
    slept.abort()
  }

  #isDue(atMs: number): boolean {
    return this.#clock.nowMs() - atMs >= this.#faults.mempoolCacheMs
  }
}

function emptyInterval(tip = ''): Interval {
  return { tip, transactions: [], refreshedAtMs: Number.NEGATIVE_INFINITY }
}

/** Waits for changes of the node, of the faults, or of the client's mind. None is missed between `reset` and `next`. */
class Changes {
  readonly #leave: () => void
  readonly #signal: AbortSignal
  #change = Promise.withResolvers<void>()

  constructor(node: ServedNode, signal: AbortSignal) {
    this.#signal = signal
    this.#leave = node.subscribe(this.#notify)
    signal.addEventListener('abort', this.#notify, { once: true })
  }

  /** Resolves at the first change since the last `reset`. */
  get next(): Promise<void> {
    return this.#change.promise
  }

  reset(): void {
    this.#change = Promise.withResolvers<void>()
  }

  stop(): void {
    this.#leave()
    this.#signal.removeEventListener('abort', this.#notify)
  }

  readonly #notify = () => this.#change.resolve()
}
