import type { Clock } from '../../../src/ports/clock.ts'
import type { ModelChain, ModelTransaction } from './model-chain.ts'

type ModelBlocks = readonly ModelChain['blocks'][number][]

interface ChainState {
  readonly blocks: ModelBlocks
  readonly mempool: readonly ModelTransaction[]
}

/** A light-wallet server of the model chain, with the caching and the faults of real servers. */
export class ModelServer {
  /** Maximum age of the mempool list: lightwalletd asks its node at most every 2 s. */
  cacheSecs = 0
  /** The mempool is empty: the server was restarted, or rejects transactions that others accept. */
  emptyMempool = false
  readonly hidden = new Set<string>()
  #mempoolFails = false
  readonly #chain: ModelChain
  readonly #clock: Clock
  #frozen: ChainState | null = null
  #cachedList: { readonly atMs: number; readonly transactions: readonly ModelTransaction[] } | null = null

  constructor(chain: ModelChain, clock: Clock) {
    this.#chain = chain
    this.#clock = clock
  }

  /** Serves the present state until `thaw`, to simulate a stall or an old branch. */
  freeze(): void {
    this.#frozen = { blocks: [...this.#chain.blocks], mempool: [...this.#chain.mempool.values()] }
  }

  thaw(): void {
    this.#frozen = null
  }

  /** The node does not return its mempool. Requests within the cache time after a failure get the previous list. */
  set mempoolFails(fails: boolean) {
    this.#mempoolFails = fails
  }

  tipHeight(): number {
    return this.#state.blocks.length - 1
  }

  blocksBetween(from: number, to: number): ModelBlocks {
    return this.#state.blocks.slice(from, to + 1)
  }

  mempool(): readonly ModelTransaction[] {
    const nowMs = this.#clock.nowMs()
    const refresh = this.#cachedList === null || nowMs - this.#cachedList.atMs >= this.cacheSecs * 1000
    if (refresh) {
      // A failed attempt also renews the cache time: the next requests get the previous list.
      this.#cachedList = { atMs: nowMs, transactions: this.#cachedList?.transactions ?? [] }
      if (this.#mempoolFails) throw new Error('the node does not return its mempool')
      this.#cachedList = { atMs: nowMs, transactions: this.#state.mempool }
    }
    const transactions = this.#cachedList?.transactions ?? []
    return this.emptyMempool ? [] : transactions.filter(({ txid }) => !this.hidden.has(txid))
  }

  /** The transactions of the mempool stream, which does not use the cached list and fails when the node does. */
  stream(): readonly ModelTransaction[] {
    if (this.#mempoolFails) throw new Error('the node does not return its mempool')
    return this.emptyMempool ? [] : this.#state.mempool.filter(({ txid }) => !this.hidden.has(txid))
  }

  get #state(): ChainState {
    return this.#frozen ?? { blocks: this.#chain.blocks, mempool: [...this.#chain.mempool.values()] }
  }
}
