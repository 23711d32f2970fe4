import type { Owner } from '../../runtime/scheduler.ts'
import type { ServedListener } from './chain-server.ts'
import type { WorldBlock } from './network.ts'
import type { WorldTransaction } from './transaction.ts'

/** What the servers have really shown to the service: nothing else can be known to it. */
export class ServedTransactions implements ServedListener {
  /** When each transaction was last shown unmined; Unix milliseconds. */
  readonly #inMempool = new Map<string, number>()
  readonly #serverOf = new Map<Owner, string>()
  readonly #now: () => number
  readonly #blocks = new Map<string, WorldBlock>()
  readonly #inBlocks = new Map<string, WorldBlock[]>()

  /** @param now the true time in Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  mempool(process: Owner, server: string, transactions: readonly WorldTransaction[]): void {
    this.#serverOf.set(process, server)
    for (const { txid } of transactions) this.#inMempool.set(txid, this.#now())
  }

  /** The server that a process read a mempool from last. */
  serverOf(process: Owner): string | null {
    return this.#serverOf.get(process) ?? null
  }

  /** When the transaction was last shown to any process, unmined; null: never. */
  lastInMempoolMs(txid: string): number | null {
    return this.#inMempool.get(txid) ?? null
  }

  block(_process: Owner, block: WorldBlock): void {
    if (this.#blocks.has(block.hash)) return
    this.#blocks.set(block.hash, block)
    for (const { txid } of block.transactions) this.#inBlocks.set(txid, [...(this.#inBlocks.get(txid) ?? []), block])
  }

  /** Whether a mempool with the transaction was served. */
  wasInMempool(txid: string): boolean {
    return this.#inMempool.has(txid)
  }

  /** The served blocks that contain the transaction. */
  blocksWith(txid: string): readonly WorldBlock[] {
    return this.#inBlocks.get(txid) ?? []
  }

  blockByHash(hash: string): WorldBlock | undefined {
    return this.#blocks.get(hash)
  }
}
