import { createServer, type Http2Server, type Http2ServerRequest, type ServerHttp2Session } from 'node:http2'
import { createContextValues } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Chain } from '../chain/chain.ts'
import { LOOPBACK, listen, stopListening } from '../http/listen.ts'
import { ServedBlocks } from './blocks.ts'
import { type LightwalletdFaults, NO_FAULTS } from './faults.ts'
import { ServedMempool } from './mempool.ts'
import { NodeError, ServedNode } from './node.ts'
import { faultInterceptor, nodeRequest, sendGarbage } from './scheduled-faults.ts'
import { compactTxStreamer } from './service.ts'

/** What ends with a process of the server: its caches, and the service over them. */
interface Process {
  readonly blocks: ServedBlocks
  readonly handle: ReturnType<typeof connectNodeAdapter>
  readonly ended: AbortController
  /** whether it asks its node whether it still fails */
  asking: boolean
}

/**
 * A light-wallet server over HTTP/2 without TLS that speaks gRPC and serves one chain with lightwalletd's habits. Several
 * of them on one chain, each with faults of its own, are what a client has to choose from.
 */
export class Lightwalletd {
  readonly #chain: Chain
  readonly #faults: LightwalletdFaults = { ...NO_FAULTS }
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #node: ServedNode
  #process: Process | undefined
  #server: Http2Server | undefined
  #port = 0

  private constructor(chain: Chain, faults: Partial<LightwalletdFaults>) {
    this.#chain = chain
    Object.assign(this.#faults, faults)
    this.#node = new ServedNode(chain, this.#faults)
    this.#process = this.#begin()
  }

  /** Starts a server; port 0 takes a free one. `faults` are those it begins with. */
  static async start(chain: Chain, port = 0, faults: Partial<LightwalletdFaults> = {}): Promise<Lightwalletd> {
    const lightwalletd = new Lightwalletd(chain, faults)
    await lightwalletd.#open(port)
    await lightwalletd.setFaults({})
    return lightwalletd
  }

  get url(): string {
    return `http://${LOOPBACK}:${this.#port}`
  }

  get faults(): Readonly<LightwalletdFaults> {
    return this.#faults
  }

  /** Whether its process runs: it ends when its node fails (`nodeDown`, `nodeFails`), and starts when the node is back. */
  get running(): boolean {
    return this.#process !== undefined
  }

  /**
   * Changes what is named and leaves the rest. When it resolves, `down` is in force or over, and a process that had ended
   * runs again if its node is back.
   */
  async setFaults(change: Partial<LightwalletdFaults>): Promise<void> {
    Object.assign(this.#faults, change)
    this.#node.faultsChanged()
    const nodeFails = this.#node.fails('getbestblockhash')
    if (!nodeFails) this.#process ??= this.#begin()
    this.#process?.blocks.faultsChanged()
    if (this.#faults.down) await this.#shut()
    else if (this.#server === undefined && this.#process !== undefined) await this.#open(this.#port)
    if (nodeFails) void this.#endWithNode()
  }

  /** Ends every call and frees the port. */
  async close(): Promise<void> {
    await this.#end()
  }

  /** A fresh process: its caches are empty. */
  #begin(): Process {
    const [chain, faults, node] = [this.#chain, this.#faults, this.#node]
    const mempool = new ServedMempool(node, chain.clock, faults)
    const blocks = new ServedBlocks(chain, faults, node)
    const handle = connectNodeAdapter({
      routes: router => router.service(CompactTxStreamer, compactTxStreamer(chain, faults, node, blocks, mempool)),
      interceptors: [faultInterceptor(faults, mempool)],
      contextValues: request => createContextValues().set(nodeRequest, request as Http2ServerRequest),
      connect: false,
      grpcWeb: false,
      acceptCompression: [],
    })
    return { blocks, handle, ended: new AbortController(), asking: false }
  }

  async #end(): Promise<void> {
    this.#process?.ended.abort()
    this.#process?.blocks.close()
    this.#process = undefined
    await this.#shut()
  }

  /** Asks the node for its best block at every poll while it fails; the first answer that is an error ends the process. */
  async #endWithNode(): Promise<void> {
    const process = this.#process
    if (process === undefined || process.asking) return
    process.asking = true
    const { signal } = process.ended
    try {
      while (this.#node.fails('getbestblockhash') && !signal.aborted) {
        const { msToPoll } = process.blocks
        if (msToPoll > 0) await this.#chain.clock.sleep(msToPoll, signal)
        await this.#node.ask('getbestblockhash', signal)
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      if (!signal.aborted) await this.#end()
    } finally {
      process.asking = false
    }
  }

  async #open(port: number): Promise<void> {
    const server = createServer((request, response) => {
      if (this.#faults.garbage === 'bytes') sendGarbage(response)
      else this.#process?.handle(request, response)
    })
    server.on('session', session => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
      // A client that goes away in the middle of a call is no matter of ours.
      session.on('error', () => undefined)
    })
    this.#port = await listen(server, port)
    this.#server = server
  }

  async #shut(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    const stopped = stopListening(server)
    for (const session of this.#sessions) session.destroy()
    await stopped
  }
}
