import { Code, ConnectError } from '@connectrpc/connect'
import type { ChainTransaction } from '../chain/transaction.ts'
import type { Clock } from '../clock.ts'
import type { LightwalletdFaults } from './faults.ts'
import { NodeError, type ServedNode } from './node.ts'

/** How often an open stream checks whether another stream has refreshed the interval. */
const CHECK_EVERY_MS = 200

/** The state that all streams of a server share: the transactions of the current block interval. */
interface Interval {
  /** the hash of the newest block at the last refresh */
  tip: string
  /** ids of all transactions that the node has listed, including those that could not be fetched */
  knownIds: Set<string>
  /** each transaction once, in the order of its discovery; never removed */
  transactions: ChainTransaction[]
  refreshedAtMs: number
}

/**
 * The mempool as lightwalletd serves it (`GetMempoolTx` in frontend/service.go, common/mempool.go). One list serves all
 * clients, and one interval serves all streams. Each is refreshed from the node at most every `mempoolCacheMs`.
 */
export class ServedMempool {
  readonly #node: ServedNode
  readonly #clock: Clock
  readonly #faults: LightwalletdFaults
  #list: readonly ChainTransaction[] = []
  #listedAtMs = Number.NEGATIVE_INFINITY
  readonly #shared: Interval = emptyInterval()
  /** the current refresh of the interval; refreshes run one at a time */
  #refreshing: Promise<unknown> = Promise.resolve()

  constructor(node: ServedNode, clock: Clock, faults: LightwalletdFaults) {
    this.#node = node
    this.#clock = clock
    this.#faults = faults
  }

  /**
   * The list of GetMempoolTx, sorted by txid in display order. Until the next refresh is due, calls return the cached list,
   * even if blocks were mined since. A transaction that cannot be fetched is left out until the next refresh.
   * @throws ConnectError when the node fails; that counts as a refresh
   */
  async list(signal: AbortSignal): Promise<readonly ChainTransaction[]> {
    this.#checkMempoolFault()
    if (!this.#isDue(this.#listedAtMs)) return this.#list
    this.#listedAtMs = this.#clock.nowMs()
    const before = new Set(this.#list.map(({ id }) => id))
    try {
      await this.#node.call('getrawmempool', signal)
    } catch (error) {
      throw toConnectError(error, Code.Internal, 'GetMempoolTx: getrawmempool error: ')
    }
    const list: ChainTransaction[] = []
    for (const transaction of this.#node.mempool())
      if (before.has(transaction.id) || (await this.#canFetch(signal))) list.push(transaction)
    this.#list = list.sort((a, b) => (a.id < b.id ? -1 : 1))
    return this.#list
  }

  /** Counts a failed call as a refresh: if a refresh was due, the next call returns the cached list. */
  skipRefresh(): void {
    if (this.#isDue(this.#listedAtMs)) this.#listedAtMs = this.#clock.nowMs()
  }

  /**
   * The transactions of the current block interval, then new ones, until the newest block changes or the client
   * disconnects. Ends immediately when this stream is the first to notice a new block. With `mempoolCacheMs` 0 the stream
   * is always up to date and has its own interval.
   * @throws ConnectError when the node fails
   */
  async *stream(signal: AbortSignal): AsyncGenerator<ChainTransaction> {
    const interval = this.#faults.mempoolCacheMs === 0 ? emptyInterval(this.#node.tipHash) : this.#shared
    const { tip } = interval
    const changes = new ChangeWaiter(this.#node, signal)
    let sent = 0
    try {
      while (!signal.aborted && interval.tip === tip) {
        changes.reset()
        this.#checkMempoolFault()
        await this.#refreshOne(interval, tip, signal)
        if (interval.tip !== tip) return
        const unsent = interval.transactions.slice(sent)
        sent += unsent.length
        yield* unsent
        await this.#nextCheck(changes)
      }
    } finally {
      changes.stop()
    }
  }

  async #refreshOne(interval: Interval, tip: string, signal: AbortSignal): Promise<void> {
    if (!this.#isDue(interval.refreshedAtMs)) return
    const refreshed = this.#refreshing.then(async () => {
      if (interval.tip === tip && this.#isDue(interval.refreshedAtMs)) await this.#refresh(interval, signal)
    })
    this.#refreshing = refreshed.catch(() => undefined)
    await refreshed
  }

  /** Adds the new transactions of the node to the interval. After a new block the interval starts again, empty. */
  async #refresh(interval: Interval, signal: AbortSignal): Promise<void> {
    try {
      await this.#node.call('getblockchaininfo', signal)
      const tip = this.#node.tipHash
      if (tip !== interval.tip) {
        Object.assign(interval, emptyInterval(tip))
        return
      }
      await this.#node.call('getrawmempool', signal)
    } catch (error) {
      throw toConnectError(error, Code.Unknown, '')
    }
    for (const transaction of this.#node.mempool()) {
      if (interval.knownIds.has(transaction.id)) continue
      interval.knownIds.add(transaction.id)
      if (await this.#canFetch(signal)) interval.transactions.push(transaction)
    }
    interval.refreshedAtMs = this.#clock.nowMs()
  }

  /** Whether the node returns a transaction that it has listed. */
  async #canFetch(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#node.call('getrawtransaction', signal)
      return true
    } catch (error) {
      if (error instanceof NodeError) return false
      throw error
    }
  }

  /** Zaino 0.10.2 fails every mempool call this way while the mempool of its node has a transaction that it cannot parse. */
  #checkMempoolFault(): void {
    if (this.#faults.mempoolFails) throw new ConnectError('Mempool error: a transaction is unreadable', Code.Internal)
  }

  /** Waits for a change or, with a cache, for the next check. */
  async #nextCheck(changes: ChangeWaiter): Promise<void> {
    if (this.#faults.mempoolCacheMs === 0) return changes.next
    const sleep = new AbortController()
    await Promise.race([changes.next, this.#clock.sleep(CHECK_EVERY_MS, sleep.signal)])
    sleep.abort()
  }

  #isDue(atMs: number): boolean {
    return this.#clock.nowMs() - atMs >= this.#faults.mempoolCacheMs
  }
}

function toConnectError(error: unknown, code: Code, prefix: string): unknown {
  return error instanceof NodeError ? new ConnectError(`${prefix}${error.message}`, code) : error
}

function emptyInterval(tip = ''): Interval {
  return { tip, knownIds: new Set(), transactions: [], refreshedAtMs: Number.NEGATIVE_INFINITY }
}

/** Waits for changes of the node or of the faults, or for cancellation. Changes between `reset` and `next` are kept. */
class ChangeWaiter {
  readonly #unsubscribe: () => void
  readonly #signal: AbortSignal
  #change = Promise.withResolvers<void>()

  constructor(node: ServedNode, signal: AbortSignal) {
    this.#signal = signal
    this.#unsubscribe = node.subscribe(this.#notify)
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
    this.#unsubscribe()
    this.#signal.removeEventListener('abort', this.#notify)
  }

  readonly #notify = () => this.#change.resolve()
}
