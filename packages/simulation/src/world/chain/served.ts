import type { Owner } from '../../runtime/scheduler.ts'
import type { WorldBlock } from './network.ts'
import type { WorldTransaction } from './transaction.ts'

/** A chain server, as far as its calls are noted. */
interface ServingServer {
  readonly name: string
  /** Whether it does not serve the newest state of the network. */
  readonly isBehind: boolean
}

/** A mempool as it was served; Unix milliseconds. */
interface MempoolList {
  readonly atMs: number
  readonly txids: readonly string[]
}

/** Consecutive readings of a process whose lists lacked a transaction that the node had when it was asked for them. */
export interface OutdatedReadings {
  /** When the reading before them took place; Unix milliseconds. */
  readonly afterMs: number
  readonly atMs: readonly number[]
}

/** The readings of a process up to its last one. A reading is the mempool of a server, and at once its tip. */
interface Readings {
  readonly count: number
  readonly lastMs: number
  readonly outdated: ReadonlyMap<string, OutdatedReadings>
}

/** When a process was shown a transaction; Unix milliseconds. */
interface Shown {
  readonly lastMs: number
  /** The number of the reading in which it was shown last. What a stream shows belongs to the next one. */
  readonly reading: number
  /** When it was shown before that reading; null: never. */
  readonly earlierMs: number | null
}

/** The transactions that the servers have shown to the service. It can know no others. */
export class ServedTransactions {
  /** When each transaction was first and last shown unmined; Unix milliseconds. */
  readonly #inMempool = new Map<string, { readonly firstMs: number; readonly lastMs: number }>()
  /** The transactions that a stream has shown in full. */
  readonly #inFull = new Set<string>()
  /** The transactions that a process was shown by the server that it follows, while that was not behind the network. */
  readonly #byFollowedServer = new Map<Owner, Map<string, Shown>>()
  /** The mempool of each server that a process has read first since its last tip, comparisons left out. */
  readonly #lists = new Map<Owner, Map<string, MempoolList>>()
  readonly #serverOf = new Map<Owner, string>()
  /** The last list that each server has served to a process, with the transactions that it lacked. */
  readonly #outdated = new Map<Owner, Map<string, MempoolList>>()
  readonly #readings = new Map<Owner, Readings>()
  readonly #now: () => number
  readonly #blocks = new Map<string, WorldBlock>()
  readonly #inBlocks = new Map<string, WorldBlock[]>()

  /** @param now the true time in Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A process reads the mempool of the server that it follows, then its tip. */
  tip(process: Owner, server: ServingServer): void {
    this.#serverOf.set(process, server.name)
    this.#noteReading(process, server)
    const list = this.#lists.get(process)?.get(server.name)
    this.#lists.delete(process)
    if (list) this.#noteFollowed(process, list, this.#readingOf(process))
  }

  /** @param outdated transactions that the node has by now, and that the list of a moment ago lacks */
  mempool(
    process: Owner,
    server: ServingServer,
    transactions: readonly WorldTransaction[],
    outdated: readonly WorldTransaction[],
  ): void {
    const last = this.#outdated.get(process) ?? new Map<string, MempoolList>()
    this.#outdated.set(process, last.set(server.name, { atMs: this.#now(), txids: outdated.map(({ txid }) => txid) }))
    const lists = this.#lists.get(process) ?? new Map<string, MempoolList>()
    this.#lists.set(process, lists)
    const list = this.#note(transactions)
    if (!server.isBehind && !lists.has(server.name)) lists.set(server.name, list)
  }

  /** A mempool that a process reads to compare the servers: no sync records it. */
  comparedMempool(transactions: readonly WorldTransaction[]): void {
    this.#note(transactions)
  }

  #noteReading(process: Owner, server: ServingServer): void {
    const atMs = this.#now()
    const before = this.#readings.get(process)
    const list = this.#outdated.get(process)?.get(server.name)
    const outdated = new Map<string, OutdatedReadings>()
    // A list that was read earlier belongs to another reading, or to a service that reads in another order.
    for (const txid of list?.atMs === atMs ? list.txids : []) {
      const earlier = before?.outdated.get(txid)
      const afterMs = earlier?.afterMs ?? before?.lastMs ?? Number.NEGATIVE_INFINITY
      outdated.set(txid, { afterMs, atMs: [...(earlier?.atMs ?? []), atMs] })
    }
    this.#readings.set(process, { count: this.#readingOf(process) + 1, lastMs: atMs, outdated })
  }

  streamed(process: Owner, server: ServingServer, transaction: WorldTransaction): void {
    const list = this.#note([transaction])
    if (!server.isBehind) this.#noteFollowed(process, list, this.#readingOf(process) + 1)
    this.#inFull.add(transaction.txid)
  }

  #note(transactions: readonly WorldTransaction[]): MempoolList {
    const atMs = this.#now()
    const txids = transactions.map(({ txid }) => txid)
    for (const txid of txids) this.#inMempool.set(txid, { firstMs: this.firstInMempoolMs(txid) ?? atMs, lastMs: atMs })
    return { atMs, txids }
  }

  #noteFollowed(process: Owner, { atMs, txids }: MempoolList, reading: number): void {
    const own = this.#byFollowedServer.get(process) ?? new Map<string, Shown>()
    this.#byFollowedServer.set(process, own)
    for (const txid of txids) {
      const before = own.get(txid)
      const earlierMs = before?.reading === reading ? before.earlierMs : (before?.lastMs ?? null)
      own.set(txid, { lastMs: atMs, reading, earlierMs })
    }
  }

  /** The number of the last reading of a process. */
  #readingOf(process: Owner): number {
    return this.#readings.get(process)?.count ?? 0
  }

  /** Whether a stream has shown the transaction in full, with its expiry height. Lists and blocks are compact. */
  wasInFull(txid: string): boolean {
    return this.#inFull.has(txid)
  }

  /** The server whose tip a process read last: the one that it follows. It reads the mempools of others to compare them. */
  serverOf(process: Owner): string | null {
    return this.#serverOf.get(process) ?? null
  }

  /** The last readings of a process, if their lists lacked the transaction and the node did not; else null. */
  outdatedReadings(process: Owner, txid: string): OutdatedReadings | null {
    return this.#readings.get(process)?.outdated.get(txid) ?? null
  }

  /** When the transaction was first shown to any process, unmined; null: never. */
  firstInMempoolMs(txid: string): number | null {
    return this.#inMempool.get(txid)?.firstMs ?? null
  }

  /** When the transaction was last shown to any process, unmined; null: never. */
  lastInMempoolMs(txid: string): number | null {
    return this.#inMempool.get(txid)?.lastMs ?? null
  }

  /**
   * When the server that this process follows last showed the transaction to a sync or a stream, unmined and not behind;
   * null: never.
   */
  lastShownMs(process: Owner | null, txid: string): number | null {
    return (process && this.#byFollowedServer.get(process)?.get(txid)?.lastMs) ?? null
  }

  /** As `lastShownMs`, without what a stream has shown since the last reading. */
  lastReadMs(process: Owner | null, txid: string): number | null {
    const shown = process && this.#byFollowedServer.get(process)?.get(txid)
    if (!process || !shown) return null
    return shown.reading > this.#readingOf(process) ? shown.earlierMs : shown.lastMs
  }

  block(_process: Owner, block: WorldBlock): void {
    if (this.#blocks.has(block.hash)) return
    this.#blocks.set(block.hash, block)
    for (const { txid } of block.transactions) this.#inBlocks.set(txid, [...(this.#inBlocks.get(txid) ?? []), block])
  }

  /** The height of the highest block that was served: no process has recorded a higher one. */
  get maxHeight(): number {
    return Math.max(0, ...[...this.#blocks.values()].map(({ height }) => height))
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
