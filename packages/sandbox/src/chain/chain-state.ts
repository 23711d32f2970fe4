import type { ShieldedPool } from '@zatgate/zcash/shielded-pool'
import type { ChainTransaction } from './transaction.ts'

export interface Block {
  readonly height: number
  /** 32 bytes, internal byte order, like all hashes here */
  readonly hash: Uint8Array
  readonly prevHash: Uint8Array
  /** Unix seconds */
  readonly time: number
  /** the coinbase transaction first */
  readonly transactions: readonly ChainTransaction[]
  /** sizes of the note commitment trees at the end of the block */
  readonly treeSizes: Readonly<Record<ShieldedPool, number>>
}

/** A change of the chain. Replaying all events in order rebuilds the state of the chain. */
export type ChainEvent =
  | { readonly kind: 'transaction'; readonly transaction: ChainTransaction }
  | { readonly kind: 'evicted'; readonly id: string; readonly reason: EvictionReason }
  | { readonly kind: 'block'; readonly block: NewBlock }
  /** the blocks above `height` are no longer part of the best chain */
  | { readonly kind: 'disconnected'; readonly height: number }

export type EvictionReason = 'expired' | 'dropped' | 'wrong_pool' | 'wrong_branch'

export interface NewBlock {
  readonly height: number
  readonly hash: Uint8Array
  readonly time: number
  readonly coinbase: ChainTransaction
  /** ids of mempool transactions, in block order */
  readonly ids: readonly string[]
}

/** The location of a transaction: a height of the best chain, the mempool, or only a replaced block. */
export type TransactionLocation = number | 'mempool' | 'fork'

export interface LocatedTransaction {
  readonly transaction: ChainTransaction
  readonly location: TransactionLocation
}

interface KnownTransaction extends LocatedTransaction {
  readonly everMined: boolean
}

/** Read access to a chain or to a snapshot of it. */
export interface ChainView {
  readonly height: number
  block(height: number): Block | undefined
  /** Oldest first. */
  mempool(): ChainTransaction[]
  find(id: string): LocatedTransaction | undefined
}

const NO_HASH = new Uint8Array(32)
const EMPTY_TREES: Readonly<Record<ShieldedPool, number>> = { orchard: 0, ironwood: 0 }

export class ChainState implements ChainView {
  readonly #blocks: Block[]
  readonly #known: Map<string, KnownTransaction>
  readonly #mempool: Map<string, ChainTransaction>
  #createdCount: number

  /** @param from the state to copy; default: an empty one */
  constructor(from?: ChainState) {
    this.#blocks = from ? [...from.#blocks] : []
    this.#known = new Map(from ? from.#known : [])
    this.#mempool = new Map(from ? from.#mempool : [])
    this.#createdCount = from ? from.#createdCount : 0
  }

  /** −1 before the first block */
  get height(): number {
    return this.#blocks.length - 1
  }

  get tip(): Block | undefined {
    return this.#blocks.at(-1)
  }

  /** The number of transactions ever created, coinbase transactions included. */
  get createdCount(): number {
    return this.#createdCount
  }

  block(height: number): Block | undefined {
    return this.#blocks[height]
  }

  /** Oldest first. */
  mempool(): ChainTransaction[] {
    return [...this.#mempool.values()]
  }

  inMempool(id: string): boolean {
    return this.#mempool.has(id)
  }

  find(id: string): LocatedTransaction | undefined {
    return this.#known.get(id)
  }

  apply(event: ChainEvent): void {
    switch (event.kind) {
      case 'transaction':
        this.#createdCount++
        this.#enterMempool(event.transaction, false)
        break
      case 'evicted':
        this.#evict(event.id)
        break
      case 'block':
        this.#createdCount++
        this.#connect(event.block)
        break
      case 'disconnected':
        while (this.height > event.height) this.#disconnectTip()
        break
    }
  }

  #enterMempool(transaction: ChainTransaction, everMined: boolean): void {
    this.#mempool.set(transaction.id, transaction)
    this.#known.set(transaction.id, { transaction, location: 'mempool', everMined })
  }

  #evict(id: string): void {
    const known = this.#known.get(id)
    if (known === undefined || !this.#mempool.delete(id)) throw new Error(`transaction ${id} is not in the mempool`)
    if (known.everMined) this.#known.set(id, { ...known, location: 'fork' })
    else this.#known.delete(id)
  }

  #connect({ height, hash, time, coinbase, ids }: NewBlock): void {
    if (height !== this.height + 1) throw new Error(`block ${height} does not follow block ${this.height}`)
    const transactions = [coinbase, ...ids.map(id => this.#takeFromMempool(id))]
    const treeSizes = { ...(this.tip?.treeSizes ?? EMPTY_TREES) }
    for (const transaction of transactions) {
      treeSizes[transaction.pool] += transaction.actions.length
      this.#known.set(transaction.id, { transaction, location: height, everMined: true })
    }
    this.#blocks.push({ height, hash, prevHash: this.tip?.hash ?? NO_HASH, time, transactions, treeSizes })
  }

  #takeFromMempool(id: string): ChainTransaction {
    const transaction = this.#mempool.get(id)
    if (transaction === undefined) throw new Error(`transaction ${id} is not in the mempool`)
    this.#mempool.delete(id)
    return transaction
  }

  #disconnectTip(): void {
    const [coinbase, ...others] = this.#blocks.pop()!.transactions
    this.#known.set(coinbase!.id, { transaction: coinbase!, location: 'fork', everMined: true })
    for (const transaction of others) this.#enterMempool(transaction, true)
  }
}
