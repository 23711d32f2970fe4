import { after, before } from 'node:test'
import type { NodeMethod } from '../../../src/lightwalletd/node-methods.ts'
import { connectClient, type LightwalletClient } from '../../lightwallet-client.ts'

/** A block of the chain behind the server. Hashes and txids in display byte order. */
export interface ExpectedBlock {
  readonly hash: string
  /** Unix seconds. */
  readonly time: number
  /** The coinbase transaction first. */
  readonly txids: readonly string[]
  /** Sizes of the note commitment trees at the end of the block. */
  readonly trees: { readonly sapling: number; readonly orchard: number; readonly ironwood: number }
}

/** A transaction that is not mined. */
export interface UnminedTransaction {
  /** Display byte order. */
  readonly txid: string
  readonly raw: Uint8Array
}

export type Upgrade = 'NU6.2' | 'NU6.3' | 'NU7'

/** Activation heights of the upgrades on every chain of the suite. */
export const UPGRADES: readonly { readonly name: Upgrade; readonly height: number; readonly branchId: string }[] = [
  { name: 'NU6.2', height: 1, branchId: '5437f330' },
  { name: 'NU6.3', height: 24, branchId: '37a5165b' },
  { name: 'NU7', height: 44, branchId: '77190ad9' },
]

/** The suite of every server fills the mempool at this height; the next block contains none of its transactions. */
export const MEMPOOL_HEIGHT = 32

/** The only height at which `reorganise` works: it replaces the last two blocks with three. */
export const FORK_HEIGHT = 34

/** A light-wallet server and its node, controlled as far as every implementation can be. */
export interface ChainServer {
  /** A new client after each `restart`. */
  readonly client: LightwalletClient['client']
  readonly height: number
  /** A block of the best chain. */
  block(height: number): ExpectedBlock
  /** Transactions for `setMempool` at this height: at `MEMPOOL_HEIGHT` at least one, with Ironwood actions. */
  readonly unmined: readonly UnminedTransaction[]
  /** Mines an empty block. The mempool does not change. */
  mine(): Promise<void>
  /** Replaces the last two blocks with three; at `FORK_HEIGHT` only. */
  reorganise(): Promise<void>
  /** Puts transactions of `unmined` into the mempool. */
  setMempool(txids: readonly string[]): Promise<void>
  /** Resolves right after a poll in which the server found no new block. */
  polled(): Promise<void>
  /** Resolves after `ms` milliseconds of the server's time. */
  pass(ms: number): Promise<void>
  /** Creates another client of the same server. */
  connect(): LightwalletClient['client']
  close(): Promise<void>
}

/** A lightwalletd: its caches and its failures are controlled too. */
export interface ServerUnderTest extends ChainServer {
  readonly url: string
  /** As of every server; from NU6.3 on at least two, all with Ironwood actions. */
  readonly unmined: readonly UnminedTransaction[]
  /** Replaces the mempool with transactions of `unmined`. */
  setMempool(txids: readonly string[]): Promise<void>
  /** Makes one method of the node fail; null: none. */
  failNode(method: NodeMethod | null): Promise<void>
  setNodeDown(down: boolean): Promise<void>
  /** Milliseconds of the server's time that passed outside of `pass` and `polled`. */
  readonly overheadMs: number
  readonly running: boolean
  /** Restarts the process, and ends a running one first. Its caches are empty afterwards. */
  restart(): Promise<void>
}

/** Starts a server for a chain of this height. */
export type StartServer<Server extends ChainServer = ServerUnderTest> = (height: number) => Promise<Server>

/** Returns `start` with the servers closed after the tests of the current `describe`. */
export function closedAfterTests<Server extends ChainServer>(start: StartServer<Server>): StartServer<Server> {
  const servers: Server[] = []
  after(() => Promise.all(servers.map(server => server.close())))
  return async height => {
    const server = await start(height)
    servers.push(server)
    return server
  }
}

/** Starts one server for the tests of the current `describe`, in which the returned function gives it. */
export function serverAt<Server extends ChainServer>(start: StartServer<Server>, height: number): () => Server {
  const startAt = closedAfterTests(start)
  let server: Server
  before(async () => {
    server = await startAt(height)
  })
  return () => server
}

/** The clients of one server; `close` disconnects them. */
export class Connections {
  readonly #clients: LightwalletClient[] = []

  connect(url: string): LightwalletClient['client'] {
    const connected = connectClient(url)
    this.#clients.push(connected)
    return connected.client
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }
}
