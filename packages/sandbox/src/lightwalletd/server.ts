import { createServer, type Http2Server, type Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import { createContextValues } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Chain } from '../chain/chain.ts'
import { LOOPBACK, listen, openConnections, stopListening } from '../http/listen.ts'
import { ServedBlocks } from './blocks.ts'
import { faultInterceptor, nodeRequest, sendGarbage } from './fault-interceptor.ts'
import { type LightwalletdFaults, NO_FAULTS } from './faults.ts'
import { ServedMempool } from './mempool.ts'
import { NodeError, ServedNode } from './node.ts'
import { compactTxStreamer } from './service.ts'

/** The state of one server process: its caches and its service. It is lost when the process ends. */
interface Process {
  readonly blocks: ServedBlocks
  readonly handle: ReturnType<typeof connectNodeAdapter>
  readonly ended: AbortController
  /** whether it polls its failing node */
  polling: boolean
}

/**
 * A light-wallet server for one chain: gRPC over HTTP/2 without TLS, with the behaviour of lightwalletd. Several servers
 * can serve one chain, each with its own faults.
 */
export class Lightwalletd {
  readonly #chain: Chain
  readonly #faults: LightwalletdFaults = { ...NO_FAULTS }
  readonly #node: ServedNode
  #process: Process | undefined
  #server: Http2Server | undefined
  #connections: ReadonlySet<Socket> = new Set()
  #port = 0

  private constructor(chain: Chain, faults: Partial<LightwalletdFaults>) {
    this.#chain = chain
    Object.assign(this.#faults, faults)
    this.#node = new ServedNode(chain, this.#faults)
    this.#process = this.#startProcess()
  }

  /** Starts a server with initial faults; port 0 selects a free port. */
  static async start(chain: Chain, port = 0, faults: Partial<LightwalletdFaults> = {}): Promise<Lightwalletd> {
    const lightwalletd = new Lightwalletd(chain, faults)
    await lightwalletd.#openPort(port)
    await lightwalletd.setFaults({})
    return lightwalletd
  }

  get url(): string {
    return `http://${LOOPBACK}:${this.#port}`
  }

  get faults(): Readonly<LightwalletdFaults> {
    return this.#faults
  }

  /** Whether the server process runs. It exits when its node fails (`nodeDown`, `nodeFails`) and restarts when the node is back. */
  get running(): boolean {
    return this.#process !== undefined
  }

  /**
   * Sets the given faults and keeps the others. When the call resolves, the port is open or closed as `down` requires, and
   * an exited process has restarted if its node is back.
   */
  async setFaults(change: Partial<LightwalletdFaults>): Promise<void> {
    Object.assign(this.#faults, change)
    this.#node.faultsChanged()
    const nodeFails = this.#node.fails('getbestblockhash')
    if (!nodeFails) this.#process ??= this.#startProcess()
    this.#process?.blocks.faultsChanged()
    if (this.#faults.down) await this.#closePort()
    else if (this.#server === undefined && this.#process !== undefined) await this.#openPort(this.#port)
    if (nodeFails) void this.#exitOnNodeFailure()
  }

  /** Ends all calls and closes the port. */
  async close(): Promise<void> {
    await this.#endProcess()
  }

  /** Starts a process with empty caches. */
  #startProcess(): Process {
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
    return { blocks, handle, ended: new AbortController(), polling: false }
  }

  async #endProcess(): Promise<void> {
    this.#process?.ended.abort()
    this.#process?.blocks.close()
    this.#process = undefined
    await this.#closePort()
  }

  /** Polls the best block of a failing node. The first error ends the process. */
  async #exitOnNodeFailure(): Promise<void> {
    const process = this.#process
    if (process === undefined || process.polling) return
    process.polling = true
    const { signal } = process.ended
    try {
      while (this.#node.fails('getbestblockhash') && !signal.aborted) {
        const { msToPoll } = process.blocks
        if (msToPoll > 0) await this.#chain.clock.sleep(msToPoll, signal)
        await this.#node.call('getbestblockhash', signal)
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      if (!signal.aborted) await this.#endProcess()
    } finally {
      process.polling = false
    }
  }

  async #openPort(port: number): Promise<void> {
    const server = createServer((request, response) => {
      if (this.#faults.garbage === 'bytes') sendGarbage(response)
      else this.#process?.handle(request, response)
    })
    server.on('session', session => {
      // Clients may disconnect during a call.
      session.on('error', () => undefined)
    })
    this.#connections = openConnections(server)
    this.#port = await listen(server, port)
    this.#server = server
  }

  async #closePort(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    const stopped = stopListening(server)
    for (const connection of this.#connections) connection.destroy()
    await stopped
  }
}
