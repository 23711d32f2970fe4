import type { CompactTransaction } from '../../../src/domain/chain.ts'
import type { ChainProblem } from '../../../src/domain/chain-problem.ts'
import type { Chain, ServerView } from '../../../src/ports/chain.ts'
import type { Interruption } from './interruption.ts'
import type { ModelServer } from './model-server.ts'

/** The servers as one chain source that uses one of them at a time. */
export class SwitchableServers implements Chain {
  serverEpoch = 1
  distrusted: string[] = []
  problems: readonly ChainProblem[] = []
  #server: ModelServer
  readonly #at: Interruption

  constructor(server: ModelServer, at: Interruption) {
    this.#server = server
    this.#at = at
  }

  use(server: ModelServer): void {
    this.#server = server
    this.serverEpoch += 1
  }

  async tip(): Promise<number> {
    return this.#around('tip', () => this.#server.tipHeight())
  }

  async *blocks(from: number, to: number): AsyncGenerator<ReturnType<ModelServer['blocksBetween']>[number]> {
    await this.#at('before blocks')
    for (const block of this.#server.blocksBetween(from, to)) {
      yield block
      await this.#at('between blocks')
    }
    await this.#at('after blocks')
  }

  async *mempool(): AsyncGenerator<Uint8Array> {
    for (const { txid } of this.#server.stream()) yield Buffer.from(txid, 'hex')
  }

  /** One is in use at a time, and no second one is required. */
  readonly servers = 1

  async views(): Promise<ServerView[]> {
    return []
  }

  async mempoolSnapshot(): Promise<CompactTransaction[]> {
    return this.#around('mempool snapshot', () => this.#server.mempool().map(compact))
  }

  abandonServer(reason: string): void {
    this.distrusted.push(reason)
  }

  async close(): Promise<void> {}

  async #around<T>(name: string, call: () => T): Promise<T> {
    await this.#at(`before ${name}`)
    const result = call()
    await this.#at(`after ${name}`)
    return result
  }
}

/** A transaction without actions: the simulated note scanner knows it by its id. */
export function compact({ txid }: { readonly txid: string }): CompactTransaction {
  return { txid, orchard: [], ironwood: [] }
}
