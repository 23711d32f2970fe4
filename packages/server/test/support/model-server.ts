import type { Clock } from '../../src/ports.ts'
import type { ModelChain, ModelTransaction } from './model-chain.ts'

type ModelBlocks = readonly ModelChain['blocks'][number][]

interface View {
  readonly blocks: ModelBlocks
  readonly mempool: readonly ModelTransaction[]
}

/** A light-wallet server of the model chain, with the habits and faults of real ones. */
export class ModelServer {
  /** How old the list of the mempool may be: lightwalletd asks its node for it at most every 2 s. */
  cacheSecs = 0
  /** Its mempool shows nothing: it was restarted, or it refuses what others take. */
  emptyMempool = false
  readonly hidden = new Set<string>()
  #mempoolFails = false
  readonly #chain: ModelChain
  readonly #clock: Clock
  #frozen: View | null = null
  #list: { readonly atMs: number; readonly transactions: readonly ModelTransaction[] } | null = null

  constructor(chain: ModelChain, clock: Clock) {
    this.#chain = chain
    this.#clock = clock
  }

  /** Serves what it has now, whatever the chain does, until it is thawed: a stall, or an old branch. */
  freeze(): void {
    this.#frozen = { blocks: [...this.#chain.blocks], mempool: [...this.#chain.mempool.values()] }
  }

  thaw(): void {
    this.#frozen = null
  }

  /** Its node does not answer about the mempool; the list of before is served to who asks within the cache's time. */
  set mempoolFails(fails: boolean) {
    this.#mempoolFails = fails
  }

  tip(): number {
    return this.#view.blocks.length - 1
  }

  blocksOf(from: number, to: number): ModelBlocks {
    return this.#view.blocks.slice(from, to + 1)
  }

  mempool(): readonly ModelTransaction[] {
    const nowMs = this.#clock.nowMs()
    const refresh = this.#list === null || nowMs - this.#list.atMs >= this.cacheSecs * 1000
    if (refresh) {
      // The try counts, whatever becomes of it: those who ask next get the list of before.
      this.#list = { atMs: nowMs, transactions: this.#list?.transactions ?? [] }
      if (this.#mempoolFails) throw new Error('the node does not answer about its mempool')
      this.#list = { atMs: nowMs, transactions: this.#view.mempool }
    }
    const transactions = this.#list?.transactions ?? []
    return this.emptyMempool ? [] : transactions.filter(({ txid }) => !this.hidden.has(txid))
  }

  /** What its stream of the mempool sends, from a list of its own. */
  stream(): readonly ModelTransaction[] {
    return this.emptyMempool ? [] : this.#view.mempool.filter(({ txid }) => !this.hidden.has(txid))
  }

  get #view(): View {
    return this.#frozen ?? { blocks: this.#chain.blocks, mempool: [...this.#chain.mempool.values()] }
  }
}
