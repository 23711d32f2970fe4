import type { Block } from '../../../src/domain/chain.ts'
import type { DecryptedNote } from '../../../src/ports/note-scanner.ts'

/** A transaction with one Ironwood note. */
export interface ModelTransaction {
  readonly txid: string
  readonly diversifierIndex: bigint
  readonly valueZat: bigint
}

interface ModelBlock extends Block {
  readonly paying: readonly ModelTransaction[]
}

/** A chain without cryptography, with the blocks that a server returns and the notes that a viewing key finds. */
export class ModelChain {
  readonly blocks: ModelBlock[] = []
  readonly mempool = new Map<string, ModelTransaction>()
  #blocksMined = 0

  /** @param time time of the first block in Unix seconds */
  constructor(time = 0) {
    this.mine([], time)
  }

  get height(): number {
    return this.blocks.length - 1
  }

  broadcast(transaction: ModelTransaction): void {
    if (!this.minedAt(transaction.txid)) this.mempool.set(transaction.txid, transaction)
  }

  mine(txids: readonly string[], time: number): void {
    const before = this.blocks.at(-1)
    const paying = txids.flatMap(txid => this.mempool.get(txid) ?? [])
    for (const { txid } of paying) this.mempool.delete(txid)
    this.blocks.push({
      height: this.blocks.length,
      hash: `block ${this.#blocksMined++}`,
      prevHash: before?.hash ?? '',
      time,
      treeSizes: { sapling: 0, orchard: 0, ironwood: (before?.treeSizes.ironwood ?? 0) + paying.length },
      outputCounts: { sapling: 0, orchard: 0, ironwood: paying.length },
      transactions: paying.map(({ txid }) => ({ txid, orchard: [], ironwood: [] })),
      paying,
    })
  }

  /** Removes up to `depth` newest blocks, never the first. Their transactions return to the mempool or vanish. */
  removeBlocks(depth: number, returns: (txid: string) => boolean): void {
    for (let i = 0; i < depth && this.height > 0; i++) {
      for (const transaction of this.blocks.pop()!.paying) {
        if (returns(transaction.txid)) this.mempool.set(transaction.txid, transaction)
      }
    }
  }

  minedAt(txid: string): number | undefined {
    return this.blocks.find(block => block.paying.some(transaction => transaction.txid === txid))?.height
  }

  minedZat(diversifierIndex: bigint, confirmations: number): bigint {
    const deep = this.blocks.filter(block => this.height - block.height + 1 >= confirmations)
    return sum(deep.flatMap(block => block.paying).filter(paying => paying.diversifierIndex === diversifierIndex))
  }

  unminedZat(diversifierIndex: bigint): bigint {
    return sum([...this.mempool.values()].filter(paying => paying.diversifierIndex === diversifierIndex))
  }
}

export function notesOf(transactions: Iterable<ModelTransaction>, viewingKeyId: number): DecryptedNote[] {
  return [...transactions].map(transaction => ({ ...transaction, viewingKeyId, pool: 'ironwood', outputIndex: 0 }))
}

function sum(transactions: readonly ModelTransaction[]): bigint {
  return transactions.reduce((total, { valueZat }) => total + valueZat, 0n)
}
