import type { Chain } from './chain.ts'
import type { ChainView } from './chain-state.ts'
import type { LightwalletdFaults } from './lightwalletd-faults.ts'
import type { ChainTransaction } from './transaction.ts'

/** The full node behind one light-wallet server: the chain, unless a fault keeps the server at an older state of it. */
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

  /** Identifies the newest block. */
  get tipHash(): string {
    const { view } = this
    return Buffer.from(view.block(view.height)!.hash).toString('hex')
  }

  /** The node's mempool, without what `hideMempool` names. */
  mempool(): ChainTransaction[] {
    return this.view.mempool().filter(({ id }) => !this.#hides(id))
  }

  find(id: string): ReturnType<ChainView['find']> {
    const found = this.view.find(id)
    return found?.place === 'mempool' && this.#hides(id) ? undefined : found
  }

  /** To be called after each change of the faults: the state to keep is that of this moment. */
  faultsChanged(): void {
    void this.view
    for (const listener of [...this.#listeners]) listener()
  }

  /** Calls back after every change of the chain or of the faults, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    const leave = this.#chain.subscribe(listener)
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      leave()
    }
  }

  #hides(id: string): boolean {
    const { hideMempool } = this.#faults
    return typeof hideMempool === 'boolean' ? hideMempool : hideMempool.includes(id)
  }
}
