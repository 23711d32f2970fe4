import type { ChainServer } from './chain-server.ts'
import { minedAt, type Network } from './network.ts'

/**
 * Since when each transaction can be seen: the network has it, in the mempool or in the best chain, and no server that
 * answers lacks it. Servers that do not answer are left out, since the service must wait for them.
 */
export class Visibility {
  /** Transactions whose notes a scan has missed: they count as never seen. */
  readonly missed = new Set<string>()
  readonly #network: Network
  readonly #servers: readonly ChainServer[]
  readonly #since = new Map<string, number>()
  readonly #shownSince = new Map<string, number>()
  readonly #sinceOn = new Map<string, number>()

  constructor(network: Network, servers: readonly ChainServer[]) {
    this.#network = network
    this.#servers = servers
  }

  /** To be called after each change of the network or of a server. */
  update(nowMs: number): void {
    for (const txid of this.#network.transactions.keys()) {
      const exists = this.#network.mempool.has(txid) || minedAt(this.#network.branch, txid) !== null
      const answers = this.#servers.map(server => server.shows(txid))
      const noneLacksIt = this.#servers.every((server, i) => answers[i] || server.isSilent)
      note(this.#since, txid, exists && noneLacksIt, nowMs)
      note(this.#shownSince, txid, exists && answers.every(Boolean), nowMs)
      for (const [i, server] of this.#servers.entries())
        note(this.#sinceOn, `${server.name} ${txid}`, exists && (answers[i]! || server.isSilent), nowMs)
    }
  }

  /** Unix milliseconds; null for a transaction that cannot be seen now. */
  since(txid: string): number | null {
    return this.missed.has(txid) ? null : (this.#since.get(txid) ?? null)
  }

  /** As `since`, of one server. */
  sinceOn(server: string, txid: string): number | null {
    return this.missed.has(txid) ? null : (this.#sinceOn.get(`${server} ${txid}`) ?? null)
  }

  /** Since when every server shows the transaction; Unix milliseconds. */
  shownSince(txid: string): number | null {
    return this.missed.has(txid) ? null : (this.#shownSince.get(txid) ?? null)
  }
}

function note(since: Map<string, number>, txid: string, holds: boolean, nowMs: number): void {
  if (!holds) since.delete(txid)
  else if (!since.has(txid)) since.set(txid, nowMs)
}
