import type { Owner } from '../../runtime/scheduler.ts'
import type { ChainServer, ServedListener } from './chain-server.ts'
import type { WorldBlock } from './network.ts'
import type { WorldTransaction } from './transaction.ts'

/** What the servers have really shown to the service: nothing else can be known to it. */
export class ServedTransactions implements ServedListener {
  /** When each transaction was first and last shown unmined; Unix milliseconds. */
  readonly #inMempool = new Map<string, { readonly firstMs: number; readonly lastMs: number }>()
  /** The transactions that a stream has shown in full. */
  readonly #inFull = new Set<string>()
  /** As above for each process, by servers that are not behind the network. */
  readonly #byCurrentServer = new Map<Owner, Map<string, number>>()
  readonly #serverOf = new Map<Owner, string>()
  readonly #now: () => number
  readonly #blocks = new Map<string, WorldBlock>()
  #maxHeight = 0
  readonly #inBlocks = new Map<string, WorldBlock[]>()

  /** @param now the true time in Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  tip(process: Owner, server: ChainServer): void {
    this.#serverOf.set(process, server.name)
  }

  mempool(process: Owner, server: ChainServer, transactions: readonly WorldTransaction[]): void {
    const own = this.#byCurrentServer.get(process) ?? new Map<string, number>()
    this.#byCurrentServer.set(process, own)
    for (const { txid } of transactions) {
      const nowMs = this.#now()
      this.#inMempool.set(txid, { firstMs: this.firstInMempoolMs(txid) ?? nowMs, lastMs: nowMs })
      if (!server.isBehind) own.set(txid, nowMs)
    }
  }

  streamed(process: Owner, server: ChainServer, transaction: WorldTransaction): void {
    this.mempool(process, server, [transaction])
    this.#inFull.add(transaction.txid)
  }

  /** Whether a stream has shown the transaction in full, with its expiry height. Lists and blocks are compact. */
  wasInFull(txid: string): boolean {
    return this.#inFull.has(txid)
  }

  /** The server whose tip a process read last: the one that it follows. It reads the mempools of others to compare them. */
  serverOf(process: Owner): string | null {
    return this.#serverOf.get(process) ?? null
  }

  /** When the transaction was first shown to any process, unmined; null: never. */
  firstInMempoolMs(txid: string): number | null {
    return this.#inMempool.get(txid)?.firstMs ?? null
  }

  /** When the transaction was last shown to any process, unmined; null: never. */
  lastInMempoolMs(txid: string): number | null {
    return this.#inMempool.get(txid)?.lastMs ?? null
  }

  /** When a server that was not behind showed the transaction to this process, unmined; null: never. */
  lastShownMs(process: Owner | null, txid: string): number | null {
    return (process && this.#byCurrentServer.get(process)?.get(txid)) ?? null
  }

  block(_process: Owner, block: WorldBlock): void {
    if (this.#blocks.has(block.hash)) return
    this.#blocks.set(block.hash, block)
    this.#maxHeight = Math.max(this.#maxHeight, block.height)
    for (const { txid } of block.transactions) this.#inBlocks.set(txid, [...(this.#inBlocks.get(txid) ?? []), block])
  }

  /** The height of the highest block that was served: no process has recorded a higher one. */
  get maxHeight(): number {
    return this.#maxHeight
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
