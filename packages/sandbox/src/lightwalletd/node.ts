import type { Chain } from '../chain/chain.ts'
import type { Block, ChainView } from '../chain/chain-state.ts'
import type { ChainTransaction } from '../chain/transaction.ts'
import type { LightwalletdFaults } from './faults.ts'
import type { NodeMethod } from './node-methods.ts'

/** A failed call of the node, with the message of lightwalletd. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
}

/** `NewContextRawRequest` in lightwalletd's frontend/rawrequest.go: 10 attempts within 22.5 s. */
const ATTEMPTS = 10
const RETRY_MS = 500

const SPACING_SECS = 75
const NU7_SPACING_SECS = 25

/** The full node of a light-wallet server: a view of the chain with the faults of the server applied. */
export class ServedNode {
  readonly #chain: Chain
  readonly #faults: LightwalletdFaults
  readonly #listeners = new Set<() => void>()
  #frozen: ChainView | undefined

  constructor(chain: Chain, faults: LightwalletdFaults) {
    this.#chain = chain
    this.#faults = faults
  }

  get view(): ChainView {
    if (!this.#faults.frozen) this.#frozen = undefined
    else this.#frozen ??= this.#chain.snapshot()
    return this.#frozen ?? this.#chain
  }

  get height(): number {
    return Math.min(this.view.height, this.#faults.stopsAtHeight ?? Number.POSITIVE_INFINITY)
  }

  get tip(): Block {
    return this.view.block(this.height)!
  }

  /** Identifies the newest block. */
  get tipHash(): string {
    return Buffer.from(this.tip.hash).toString('hex')
  }

  /**
   * Zebra's estimate of the network height, from the time of its newest block, the clock and the target spacing: 75 s, and
   * 25 s from NU7 on. Never below the height of the node.
   */
  get estimatedHeight(): number {
    const { height, time } = this.tip
    const secs = Math.max(Math.floor(this.#chain.clock.nowMs() / 1000) - time, 0)
    const beforeNu7 = Math.max((this.#chain.nu7Height ?? Number.POSITIVE_INFINITY) - 1 - height, 0)
    if (secs <= beforeNu7 * SPACING_SECS) return height + Math.floor(secs / SPACING_SECS)
    return height + beforeNu7 + Math.floor((secs - beforeNu7 * SPACING_SECS) / NU7_SPACING_SECS)
  }

  block(height: number): Block | undefined {
    return height <= this.height ? this.view.block(height) : undefined
  }

  /** The mempool of the node, without the transactions that `hideMempool` or `stopsAtHeight` hides. */
  mempool(): ChainTransaction[] {
    return this.view.mempool().filter(transaction => this.#isVisible(transaction))
  }

  find(id: string): ReturnType<ChainView['find']> {
    const found = this.view.find(id)
    if (found === undefined) return undefined
    const { transaction, location } = found
    if (location === 'mempool') return this.#isVisible(transaction) ? found : undefined
    return typeof location === 'number' && location > this.height ? undefined : found
  }

  /**
   * Simulates a call of the node. Returns no result; the other methods do. A call of a node that is down is retried for
   * 22.5 s of the chain's clock.
   * @throws NodeError when the call fails
   */
  async call(method: NodeMethod, signal?: AbortSignal): Promise<void> {
    for (let attempt = 1; this.#faults.nodeDown; attempt++) {
      if (attempt === ATTEMPTS) throw new NodeError('Post "http://127.0.0.1:8232": connection refused')
      await this.#chain.clock.sleep(attempt * RETRY_MS, signal)
      if (signal?.aborted) throw new NodeError('context canceled')
    }
    if (this.#faults.nodeFails.includes(method)) throw new NodeError('-1: injected fault')
  }

  /** Whether a call of this method would fail now. */
  fails(method: NodeMethod): boolean {
    return this.#faults.nodeDown || this.#faults.nodeFails.includes(method)
  }

  /** Must be called after each change of the faults: `frozen` captures the state of the chain at this moment. */
  faultsChanged(): void {
    void this.view
    for (const listener of [...this.#listeners]) listener()
  }

  /** Calls back after every change of the chain or of the faults, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    const unsubscribe = this.#chain.subscribe(listener)
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      unsubscribe()
    }
  }

  #isVisible({ id, branchId }: ChainTransaction): boolean {
    const { hideMempool } = this.#faults
    if (typeof hideMempool === 'boolean' ? hideMempool : hideMempool.includes(id)) return false
    const { stopsAtHeight } = this.#faults
    if (stopsAtHeight === null || this.view.height < stopsAtHeight) return true
    return branchId === this.#chain.branchAt(stopsAtHeight)
  }
}
