import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { NodeMethod } from '../../../src/lightwalletd/node.ts'

/** A block as the chain behind the server has it. Hashes and txids in display byte order. */
export interface WorldBlock {
  readonly hash: string
  /** Unix seconds. */
  readonly time: number
  /** The coinbase transaction first. */
  readonly txids: readonly string[]
  /** Sizes of the note commitment trees at the end of the block. */
  readonly trees: { readonly sapling: number; readonly orchard: number; readonly ironwood: number }
}

/** A transaction that no block has yet. */
export interface WorldTransaction {
  /** Display byte order. */
  readonly txid: string
  readonly raw: Uint8Array
}

export type Upgrade = 'NU6.2' | 'NU6.3' | 'NU7'

/** First blocks of the upgrades on every chain of the suite. */
export const UPGRADES: readonly { readonly name: Upgrade; readonly height: number; readonly branchId: string }[] = [
  { name: 'NU6.2', height: 1, branchId: '5437f330' },
  { name: 'NU6.3', height: 24, branchId: '37a5165b' },
  { name: 'NU7', height: 44, branchId: '77190ad9' },
]

/** A chain that ends here can be reorganised: `reorganise` replaces its last two blocks by three. */
export const FORK_HEIGHT = 34

/** A light-wallet server, its node and its chain, all controlled by the suite. */
export interface ServerUnderTest {
  /** Another one after each `restart`. */
  readonly client: Client<typeof CompactTxStreamer>
  readonly height: number
  /** A block of the best chain. */
  block(height: number): WorldBlock
  /** Transactions that can be put into the mempool at this height: at least two, from NU6.3 on all with Ironwood actions. */
  readonly unmined: readonly WorldTransaction[]
  /** Mines an empty block; the mempool stays. */
  mine(): Promise<void>
  /** At `FORK_HEIGHT` only. */
  reorganise(): Promise<void>
  /** Replaces the mempool by some of `unmined`. */
  setMempool(txids: readonly string[]): Promise<void>
  /** Lets one method of the node fail; null ends that. */
  failNode(method: NodeMethod | null): Promise<void>
  setNodeDown(down: boolean): Promise<void>
  /** Resolves right after the server has asked its node for the best block and found none that it does not have. */
  polled(): Promise<void>
  /** Resolves when this much of the server's time has passed. */
  pass(ms: number): Promise<void>
  /** Milliseconds of the server's time that went by unasked: what the machine needed for everything else. */
  readonly overheadMs: number
  readonly running: boolean
  /** Starts the process again after it has ended, or ends it first. Nothing in memory is left. */
  restart(): Promise<void>
  /** Another client of the same server. */
  connect(): Client<typeof CompactTxStreamer>
  close(): Promise<void>
}

/** Starts a server over a chain of this height. */
export type StartServer = (height: number) => Promise<ServerUnderTest>

/** Clients of one server, which `close` cuts off. */
export class Connections {
  readonly #managers: Http2SessionManager[] = []

  connect(url: string): Client<typeof CompactTxStreamer> {
    const sessionManager = new Http2SessionManager(url)
    this.#managers.push(sessionManager)
    return createClient(CompactTxStreamer, createGrpcTransport({ baseUrl: url, sessionManager, acceptCompression: [] }))
  }

  close(): void {
    for (const manager of this.#managers) manager.abort()
  }
}
