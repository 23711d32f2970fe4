import { isPastTip, type LightwalletServer } from '../../../src/adapters/lightwalletd/server.ts'
import type { Block, CompactTransaction } from '../../../src/domain/chain/chain.ts'
import type { ChainProblem } from '../../../src/domain/chain/chain-problem.ts'
import type { Chain, ServerTip, ServerView } from '../../../src/ports/chain.ts'
import type { Interruption } from './interruption.ts'

/** A chain source whose server and problems the test chooses. */
export class SwitchableServers implements Chain {
  serverEpoch = 1
  problems: readonly ChainProblem[] = []
  #server: LightwalletServer
  readonly #at: Interruption

  constructor(server: LightwalletServer, at: Interruption) {
    this.#server = server
    this.#at = at
  }

  use(server: LightwalletServer): void {
    this.#server = server
    this.serverEpoch += 1
  }

  async tip(signal: AbortSignal): Promise<ServerTip> {
    return this.#around('tip', () => this.#server.tip(signal))
  }

  async *blocks(from: number, to: number, signal: AbortSignal): AsyncGenerator<Block> {
    await this.#at('before blocks')
    try {
      for await (const block of this.#server.blocks(from, to, signal)) {
        yield block
        await this.#at('between blocks')
      }
    } catch (error) {
      if (!isPastTip(error)) throw error
    }
    await this.#at('after blocks')
  }

  mempool(signal: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#server.mempoolStream(signal)
  }

  /** One is in use at a time, and no second one is required. */
  readonly servers = 1

  async views(): Promise<ServerView[]> {
    return []
  }

  async mempoolSnapshot(signal: AbortSignal): Promise<CompactTransaction[]> {
    return this.#around('mempool snapshot', () => this.#server.mempool(signal))
  }

  abandonServer(): void {}

  async close(): Promise<void> {}

  async #around<T>(name: string, call: () => Promise<T>): Promise<T> {
    await this.#at(`before ${name}`)
    const result = await call()
    await this.#at(`after ${name}`)
    return result
  }
}
