import { Code, ConnectError } from '@connectrpc/connect'
import type { WorldTransaction } from './transaction.ts'

/** The mempool list that lightwalletd keeps for all clients together. */
export class MempoolCache {
  #list: {
    /** When the node was last asked, also in vain. */
    readonly atMs: number
    /** When the node returned these transactions; null: never. */
    readonly readAtMs: number | null
    readonly transactions: readonly WorldTransaction[]
  } | null = null

  /** The node has returned these transactions. */
  renew(nowMs: number, transactions: readonly WorldTransaction[]): void {
    this.#list = { atMs: nowMs, readAtMs: nowMs, transactions }
  }

  /**
   * The list. The node is asked again `maxAgeMs` after the last time, also when that failed: the clients in between get
   * the previous list.
   * @param node its mempool; null when it does not return it
   * @throws ConnectError when the node is asked in vain
   */
  read(nowMs: number, maxAgeMs: number, node: readonly WorldTransaction[] | null): readonly WorldTransaction[] {
    if (this.#list === null || nowMs - this.#list.atMs >= maxAgeMs) {
      this.#list = { atMs: nowMs, readAtMs: this.#list?.readAtMs ?? null, transactions: this.#list?.transactions ?? [] }
      if (node === null) throw mempoolError()
      this.renew(nowMs, node)
    }
    return this.#list.transactions
  }

  /** The transactions of the node that the list lacks, although it is younger than `maxAgeMs`. */
  lacks(nowMs: number, maxAgeMs: number, node: readonly WorldTransaction[]): readonly WorldTransaction[] {
    if (!this.#list || this.#list.readAtMs === null || nowMs - this.#list.readAtMs >= maxAgeMs) return []
    const listed = new Set(this.#list.transactions.map(({ txid }) => txid))
    return node.filter(({ txid }) => !listed.has(txid))
  }
}

export function mempoolError(): ConnectError {
  return new ConnectError('the node does not return its mempool', Code.Internal)
}
