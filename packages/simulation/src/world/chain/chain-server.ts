import { Code, ConnectError } from '@connectrpc/connect'
import { InvalidResponse } from '@zatgate/server/adapters/lightwalletd/decode'
import type { ServerInspection } from '@zatgate/server/adapters/lightwalletd/inspection'
import type { LightwalletServer } from '@zatgate/server/adapters/lightwalletd/server'
import type { Block } from '@zatgate/server/domain/chain/chain'
import { type ConsensusParams, isActive } from '@zatgate/server/domain/chain/network-upgrade'
import { currentOwner, type Scheduler } from '../../runtime/scheduler.ts'
import { CallOrigins } from './call-origins.ts'
import { MempoolCache, mempoolError } from './mempool-cache.ts'
import { MempoolStreams } from './mempool-streams.ts'
import { type Branch, compactBlock, minedAt, type Network, type WorldBlock } from './network.ts'
import type { ServedTransactions } from './served.ts'
import { compact, type WorldTransaction } from './transaction.ts'

const MEMPOOL_CACHE_MS = 2_000

/** The time of the servers, and the order in which their clients go on. */
export type ServerScheduler = Pick<Scheduler, 'nowMs' | 'pause' | 'startTimer' | 'cancelTimer' | 'draw'>

type Transactions = readonly WorldTransaction[]

/** The state of a node: a branch and a mempool. */
interface NodeState {
  readonly branch: Branch
  readonly mempool: Transactions
}

/** A light-client server with its node, the caches of lightwalletd, and the faults that the actions set. */
export class ChainServer {
  readonly name: string
  /** lightwalletd asks its node for the mempool at most this often, for all clients together. */
  mempoolCacheMs = MEMPOOL_CACHE_MS
  /** Reports the hash of its newest block. */
  reportsHash = true
  /** Mempool streams end after the present mempool. */
  endMempoolAtOnce = false
  /** Called when a client has read the tip: it reads blocks up to there. */
  onTipServed: (() => void) | null = null
  /** Requests fail. */
  down = false
  /** Requests get no response until the process gives up. */
  hangs = false
  /** Fraction of the requests that fail. */
  failureRate = 0
  /** The mempool is empty: the node was restarted. */
  mempoolEmpty = false
  /** Does not serve the newest blocks. */
  lagBlocks = 0
  /** Transactions that are left out of mempool and stream. */
  readonly hidden = new Set<string>()
  /** Transactions that are left out of the stream. */
  readonly unstreamed = new Set<string>()
  /** Transactions that are left out of blocks. The tree sizes then show it. */
  readonly omitted = new Set<string>()
  /** A range of blocks ends with an error after this number of blocks. */
  maxRange = Number.POSITIVE_INFINITY
  #mempoolFails = false
  readonly #network: Network
  readonly #scheduler: ServerScheduler
  readonly #params: ConsensusParams
  readonly #served: ServedTransactions
  readonly #streams = new MempoolStreams()
  #frozen: NodeState | null = null
  readonly #cache = new MempoolCache()

  constructor(
    name: string,
    deps: {
      readonly network: Network
      readonly scheduler: ServerScheduler
      readonly params: ConsensusParams
      readonly served: ServedTransactions
    },
  ) {
    this.name = name
    this.#network = deps.network
    this.#scheduler = deps.scheduler
    this.#params = deps.params
    this.#served = deps.served
  }

  get mempoolFails(): boolean {
    return this.#mempoolFails
  }

  /** The node does not return its mempool. Open streams end with an error at the next read of the node. */
  set mempoolFails(fails: boolean) {
    this.#mempoolFails = fails
    if (!fails) return
    this.#scheduler.startTimer(MEMPOOL_CACHE_MS, () => {
      if (this.#mempoolFails) this.#streams.end()
    })
  }

  /** Keeps the present branch and mempool until `thaw`: the node is stalled, or on an abandoned branch. */
  freeze(): void {
    this.#frozen ??= { branch: this.#network.branch, mempool: [...this.#network.mempool.values()] }
  }

  /** Makes the node follow this branch, with this mempool, until `thaw`. */
  fork(branch: Branch, mempool: Transactions): void {
    this.#frozen = { branch, mempool }
    this.blockFound()
  }

  thaw(): void {
    if (!this.#frozen) return
    this.#frozen = null
    this.blockFound()
  }

  /** Whether it does not serve the newest state of the network. */
  get isBehind(): boolean {
    return this.isFrozen || this.lagBlocks > 0
  }

  get isFrozen(): boolean {
    return this.#frozen !== null
  }

  /** Removes every fault. */
  heal(): void {
    this.thaw()
    this.down = false
    this.hangs = false
    this.failureRate = 0
    this.mempoolFails = false
    this.mempoolEmpty = false
    this.lagBlocks = 0
    this.hidden.clear()
    this.unstreamed.clear()
    this.omitted.clear()
    this.maxRange = Number.POSITIVE_INFINITY
  }

  /** Whether the service cannot read the mempool here, so that it must not conclude anything from it. */
  get isSilent(): boolean {
    return (this.down || this.hangs || this.mempoolFails) && !this.isFrozen && this.lagBlocks === 0
  }

  /** Whether a client that asks now can see the transaction. The cache of the mempool is left out. */
  shows(txid: string): boolean {
    const { mempool } = this.#state
    const inMempool = !this.mempoolEmpty && mempool.some(other => other.txid === txid)
    return (inMempool && !this.hidden.has(txid)) || (!this.omitted.has(txid) && minedAt(this.#branch, txid) !== null)
  }

  /** The branch that clients see. */
  get branch(): Branch {
    return this.#branch
  }

  /** Ends the mempool streams: the node has a new block. */
  blockFound(): void {
    this.#streams.end()
  }

  /** The node has a new transaction. */
  transactionSeen(transaction: WorldTransaction): void {
    const { txid } = transaction
    if (this.#frozen || this.mempoolEmpty || this.hidden.has(txid) || this.unstreamed.has(txid)) return
    this.#streams.send(transaction)
  }

  /** Another client reads the mempool: the cached list is new, and served to all for a while. */
  readByOthers(): void {
    if (!this.down && !this.mempoolFails) this.#cache.renew(this.#scheduler.nowMs, this.#nodeMempool)
  }

  /** The connection of the running process. */
  connect(): LightwalletServer {
    const origins = new CallOrigins()
    return {
      name: this.name,
      tip: signal => this.#call(origins.reading(signal), () => this.#tip()),
      blocks: (from, to, signal) => this.#blocks(from, to, signal),
      mempool: signal =>
        this.#call(origins.reading(signal), () => this.#mempool(origins.isComparison(signal)).map(compact)),
      mempoolStream: signal => this.#stream(signal),
      inspect: signal => this.#call(origins.inspection(signal), () => this.#inspect()),
      close: () => {},
    }
  }

  get #state(): NodeState {
    return this.#frozen ?? { branch: this.#network.branch, mempool: [...this.#network.mempool.values()] }
  }

  get #nodeMempool(): Transactions {
    return this.mempoolEmpty ? [] : this.#state.mempool
  }

  get #branch(): Branch {
    const { branch } = this.#state
    return this.lagBlocks > 0 ? branch.slice(0, Math.max(1, branch.length - this.lagBlocks)) : branch
  }

  async #call<T>(signal: AbortSignal, respond: () => T): Promise<T> {
    await this.#request(signal)
    const response = respond()
    await this.#scheduler.pause()
    return response
  }

  /** Waits until the request arrives. @throws ConnectError when it fails */
  async #request(signal: AbortSignal): Promise<void> {
    await this.#scheduler.pause()
    signal.throwIfAborted()
    if (this.hangs) await this.#hang(signal)
    if (this.down || this.#scheduler.draw.chance(this.failureRate))
      throw new ConnectError('the server does not respond', Code.Unavailable)
  }

  /** The deadline of a call is 10 s; the process may give up earlier. */
  async #hang(signal: AbortSignal): Promise<never> {
    await new Promise<void>(resolve => {
      const timer = this.#scheduler.startTimer(10_000, resolve)
      const abort = () => {
        this.#scheduler.cancelTimer(timer)
        resolve()
      }
      signal.addEventListener('abort', abort, { once: true })
    })
    signal.throwIfAborted()
    throw new ConnectError('the deadline has passed', Code.DeadlineExceeded)
  }

  async *#blocks(from: number, to: number, signal: AbortSignal): AsyncGenerator<Block> {
    await this.#request(signal)
    for (let height = from; height <= to; height++) {
      const block = this.#branch[height]
      if (!block) throw new ConnectError('past the tip', Code.OutOfRange)
      if (height - from >= this.maxRange) throw new ConnectError('the stream was reset', Code.Unavailable)
      this.#checkIronwood(block)
      this.#served.block(currentOwner(), block)
      yield compactBlock(block, this.omitted)
      await this.#scheduler.pause()
    }
  }

  #checkIronwood({ height, treeSizes }: WorldBlock): void {
    if (isActive(this.#params, 'NU6.3', height) && treeSizes.ironwood === 0)
      throw new InvalidResponse(`hides Ironwood: its tree is empty at height ${height}, after NU6.3`)
  }

  #tip() {
    this.#served.tip(currentOwner(), this)
    const { height, hash } = this.#branch.at(-1)!
    this.onTipServed?.()
    return { height, hash: this.reportsHash ? hash : null }
  }

  #mempool(isComparison: boolean): Transactions {
    const { nowMs } = this.#scheduler
    const node = this.mempoolFails ? null : this.#nodeMempool
    const shown = this.#cache.read(nowMs, this.mempoolCacheMs, node).filter(({ txid }) => !this.hidden.has(txid))
    const outdated = this.#cache.lacks(nowMs, this.mempoolCacheMs, this.#nodeMempool)
    if (isComparison) this.#served.comparedMempool(shown)
    else this.#served.mempool(currentOwner(), this, shown, outdated)
    return shown
  }

  async *#stream(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await this.#request(signal)
    if (this.mempoolFails) throw mempoolError()
    const isShown = ({ txid }: WorldTransaction) => !this.hidden.has(txid) && !this.unstreamed.has(txid)
    const shown = this.#nodeMempool.filter(isShown)
    const stream = this.#streams.open(currentOwner(), shown)
    stream.ended = this.endMempoolAtOnce
    signal.addEventListener('abort', stream.wake)
    try {
      for (;;) {
        await this.#scheduler.pause()
        signal.throwIfAborted()
        const transaction = stream.queue.shift()
        if (transaction) {
          this.#served.streamed(stream.owner, this, transaction)
          yield Buffer.from(transaction.txid, 'hex')
        } else if (stream.ended && this.mempoolFails) throw mempoolError()
        else if (stream.ended || this.down) return
        else await stream.changed()
      }
    } finally {
      signal.removeEventListener('abort', stream.wake)
      this.#streams.close(stream)
    }
  }

  #inspect(): ServerInspection {
    const height = this.#branch.length - 1
    const nodeHeight = this.#state.branch.length - 1
    const blocksBehindNode = nodeHeight - height
    return { height, version: 'simulated', estimatedLag: 0, blocksBehindNode, nodeIsAhead: blocksBehindNode > 3 }
  }
}
