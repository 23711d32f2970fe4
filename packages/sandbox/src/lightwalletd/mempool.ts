import { Code, ConnectError } from '@connectrpc/connect'
import type { ChainTransaction } from '../chain/transaction.ts'
import type { Clock } from '../clock.ts'
import type { LightwalletdFaults } from './faults.ts'
import { NodeError, type ServedNode } from './node.ts'

/** How often an open stream checks whether another one has asked the node. */
const CHECK_EVERY_MS = 200

/** What the streams of one server share: the transactions of the current block interval. */
interface Interval {
  /** the newest block when the node was last asked */
  tip: string
  /** ids of all transactions that the node has listed, those included that it did not give */
  seen: Set<string>
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
  /** the refresh of the streams' interval that is under way; there is one at a time */
  #refreshing: Promise<unknown> = Promise.resolve()

  constructor(node: ServedNode, clock: Clock, faults: LightwalletdFaults) {
    this.#node = node
    this.#clock = clock
    this.#faults = faults
  }

  /**
   * The list of GetMempoolTx, by txid in display order. A call that comes too early gets the list of the call before,
   * whatever was mined since. A transaction that the node lists but does not give is left out until the next refresh.
   * @throws ConnectError when the node fails; that counts as a refresh
   */
  async list(signal: AbortSignal): Promise<readonly ChainTransaction[]> {
    this.#checkUp()
    if (!this.#isDue(this.#listedAtMs)) return this.#list
    this.#listedAtMs = this.#clock.nowMs()
    const before = new Set(this.#list.map(({ id }) => id))
    try {
      await this.#node.ask('getrawmempool', signal)
    } catch (error) {
      throw failure(error, Code.Internal, 'GetMempoolTx: getrawmempool error: ')
    }
    const list: ChainTransaction[] = []
    for (const transaction of this.#node.mempool())
      if (before.has(transaction.id) || (await this.#gives(signal))) list.push(transaction)
    this.#list = list.sort((a, b) => (a.id < b.id ? -1 : 1))
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
   * @throws ConnectError when the node fails
   */
  async *stream(signal: AbortSignal): AsyncGenerator<ChainTransaction> {
    const interval = this.#faults.mempoolCacheMs === 0 ? emptyInterval(this.#node.tipHash) : this.#shared
    const { tip } = interval
    const changes = new Changes(this.#node, signal)
    let sent = 0
    try {
      while (!signal.aborted && interval.tip === tip) {
        changes.reset()
        this.#checkUp()
        await this.#refreshOne(interval, tip, signal)
        if (interval.tip !== tip) return
        const waiting = interval.transactions.slice(sent)
        sent += waiting.length
        yield* waiting
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

  /** Adds what the node has to the interval. When a block has ended the interval, the next one begins empty. */
  async #refresh(interval: Interval, signal: AbortSignal): Promise<void> {
    try {
      await this.#node.ask('getblockchaininfo', signal)
      const tip = this.#node.tipHash
      if (tip !== interval.tip) {
        Object.assign(interval, emptyInterval(tip))
        return
      }
      await this.#node.ask('getrawmempool', signal)
    } catch (error) {
      throw failure(error, Code.Unknown, '')
    }
    for (const transaction of this.#node.mempool()) {
      if (interval.seen.has(transaction.id)) continue
      interval.seen.add(transaction.id)
      if (await this.#gives(signal)) interval.transactions.push(transaction)
    }
    interval.refreshedAtMs = this.#clock.nowMs()
  }

  /** Whether the node gives a transaction that it has listed. */
  async #gives(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#node.ask('getrawtransaction', signal)
      return true
    } catch (error) {
      if (error instanceof NodeError) return false
      throw error
    }
  }

  /** Zaino 0.10.2 fails every call so while its node's mempool holds a transaction that it cannot parse. */
  #checkUp(): void {
    if (this.#faults.mempoolFails) throw new ConnectError('Mempool error: a transaction is unreadable', Code.Internal)
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

function failure(error: unknown, code: Code, prefix: string): unknown {
  return error instanceof NodeError ? new ConnectError(`${prefix}${error.message}`, code) : error
}

function emptyInterval(tip = ''): Interval {
  return { tip, seen: new Set(), transactions: [], refreshedAtMs: Number.NEGATIVE_INFINITY }
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
