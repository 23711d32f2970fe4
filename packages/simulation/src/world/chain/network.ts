import type { Block, TreeSizes } from '@zatgate/server/domain/chain/chain'
import type { ShieldedPool } from '@zatgate/server/domain/chain/shielded-pool'
import { compact, type WorldTransaction } from './transaction.ts'

/** A block of the network, with its transactions. */
export interface WorldBlock extends Omit<Block, 'transactions'> {
  readonly transactions: readonly WorldTransaction[]
}

/** A branch of the chain from height 0: the block at index h has height h. */
export type Branch = readonly WorldBlock[]

/** The true Zcash network: its best chain and the mempool of its nodes. */
export class Network {
  /** Replaced, never changed, so that servers may keep an old branch. */
  branch: Branch
  readonly mempool = new Map<string, WorldTransaction>()
  /** Every transaction that was ever broadcast. */
  readonly transactions = new Map<string, WorldTransaction>()
  readonly #nu63Height: number
  #blocks = 0

  /** @param start time of the first block in Unix seconds, height of the last one, and the spacing in seconds */
  constructor(
    start: { readonly time: number; readonly height: number; readonly spacingSecs: number },
    nu63Height: number,
  ) {
    this.branch = []
    this.#nu63Height = nu63Height
    for (let i = 0; i <= start.height; i++) this.mine(start.time + i * start.spacingSecs, [])
  }

  /** The pool that new value may enter at a height: Orchard below NU6.3, Ironwood from there on. */
  poolAt(height: number): ShieldedPool {
    return height >= this.#nu63Height ? 'ironwood' : 'orchard'
  }

  /** Whether the network may mine the transaction at a height. */
  isMinable({ expiryHeight, notes }: WorldTransaction, height: number): boolean {
    return (expiryHeight === 0 || height <= expiryHeight) && notes.every(({ pool }) => pool === this.poolAt(height))
  }

  /** Whether the next block may hold the transaction as far as its expiry height tells, which is all the service knows. */
  mayBeMined(txid: string): boolean {
    const expiryHeight = this.transactions.get(txid)?.expiryHeight ?? -1
    return expiryHeight === 0 || expiryHeight > this.height
  }

  get height(): number {
    return this.branch.length - 1
  }

  get tip(): WorldBlock {
    return this.branch.at(-1)!
  }

  /** Adds a transaction to the mempool. False when it can not be mined any more, or conflicts with another one. */
  broadcast(transaction: WorldTransaction): boolean {
    this.transactions.set(transaction.txid, transaction)
    if (!this.isMinable(transaction, this.height + 1) || this.isSpent(transaction)) return false
    for (const { spends } of this.mempool.values()) if (spends === transaction.spends) return false
    this.mempool.set(transaction.txid, transaction)
    return true
  }

  /** Removes a transaction from the mempool of all nodes. */
  evict(txid: string): void {
    this.mempool.delete(txid)
  }

  /** Mines a block with these transactions, as far as they are valid. @param time in Unix seconds */
  mine(time: number, transactions: readonly WorldTransaction[] = [...this.mempool.values()]): WorldBlock {
    const height = this.branch.length
    const spent = new Set<string>()
    const included = transactions.filter(transaction => {
      if (spent.has(transaction.spends) || !this.isMinable(transaction, height) || this.isSpent(transaction))
        return false
      spent.add(transaction.spends)
      return true
    })
    const block = this.#block(height, time, included)
    this.branch = [...this.branch, block]
    for (const other of this.mempool.values())
      if (spent.has(other.spends) || !this.isMinable(other, height + 1)) this.mempool.delete(other.txid)
    return block
  }

  /**
   * Removes the `depth` newest blocks, never the first. The next `mine` begins the new branch.
   * @param returns whether a removed transaction returns to the mempool
   */
  removeBlocks(depth: number, returns: (transaction: WorldTransaction) => boolean): void {
    const kept = Math.max(1, this.branch.length - depth)
    const removed = this.branch.slice(kept)
    this.branch = this.branch.slice(0, kept)
    for (const transaction of removed.flatMap(block => block.transactions))
      if (returns(transaction)) this.broadcast(transaction)
  }

  /** Another branch: the best chain without its `depth` newest blocks, and with `blocks` empty ones. */
  fork(depth: number, blocks: number, time: number): Branch {
    const own = this.branch
    this.branch = own.slice(0, Math.max(1, own.length - depth))
    const mempool = [...this.mempool]
    for (let i = 0; i < blocks; i++) this.mine(time, [])
    const fork = this.branch
    this.branch = own
    for (const [txid, transaction] of mempool) this.mempool.set(txid, transaction)
    return fork
  }

  /** Whether the best chain contains a transaction that spends the same notes. */
  isSpent({ spends }: WorldTransaction): boolean {
    return this.branch.some(block => block.transactions.some(other => other.spends === spends))
  }

  minedAt(txid: string): number | null {
    return minedAt(this.branch, txid)
  }

  #block(height: number, time: number, transactions: readonly WorldTransaction[]): WorldBlock {
    const previous = this.branch.at(-1)
    const outputCounts = countOutputs(transactions)
    const before = previous?.treeSizes ?? { sapling: 3, orchard: 5, ironwood: 1 }
    return {
      height,
      hash: (this.#blocks++).toString(16).padStart(64, '0'),
      prevHash: previous?.hash ?? 'f'.repeat(64),
      time,
      treeSizes: addSizes(before, outputCounts),
      outputCounts,
      transactions,
    }
  }
}

/** A block as servers send it. @param omitted transactions that they leave out; the tree sizes then show it */
export function compactBlock(block: WorldBlock, omitted: ReadonlySet<string> = new Set()): Block {
  const shown = block.transactions.filter(({ txid }) => !omitted.has(txid))
  return { ...block, outputCounts: countOutputs(shown), transactions: shown.map(compact) }
}

/** The height at which a branch contains a transaction; null when it does not. */
export function minedAt(branch: Branch, txid: string): number | null {
  for (let height = branch.length - 1; height >= 0; height--)
    if (branch[height]!.transactions.some(transaction => transaction.txid === txid)) return height
  return null
}

function countOutputs(transactions: readonly WorldTransaction[]): TreeSizes {
  const count = (pool: ShieldedPool) =>
    transactions.reduce((sum, { notes }) => sum + notes.filter(note => note.pool === pool).length, 0)
  return { sapling: 0, orchard: count('orchard'), ironwood: count('ironwood') }
}

function addSizes(a: TreeSizes, b: TreeSizes): TreeSizes {
  return { sapling: a.sapling + b.sapling, orchard: a.orchard + b.orchard, ironwood: a.ironwood + b.ironwood }
}
