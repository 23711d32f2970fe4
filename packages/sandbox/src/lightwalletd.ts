import { createServer, type Http2Server, type Http2ServerRequest, type ServerHttp2Session } from 'node:http2'
import { createContextValues } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Chain } from './chain.ts'
import { faultInterceptor, nodeRequest, sendGarbage } from './lightwalletd-failing.ts'
import { type LightwalletdFaults, NO_FAULTS } from './lightwalletd-faults.ts'
import { ServedMempool } from './lightwalletd-mempool.ts'
import { ServedNode } from './lightwalletd-node.ts'
import { compactTxStreamer } from './lightwalletd-service.ts'
import { LOOPBACK, listen, stopListening } from './listen.ts'

/**
 * A light-wallet server over HTTP/2 without TLS that speaks gRPC and serves one chain with lightwalletd's habits. Several
 * of them on one chain, each with faults of its own, are what a client has to choose from.
 */
export class Lightwalletd {
  readonly #faults: LightwalletdFaults = { ...NO_FAULTS }
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #node: ServedNode
  readonly #handler: ReturnType<typeof connectNodeAdapter>
  #server: Http2Server | undefined
  #port = 0

  private constructor(chain: Chain, faults: Partial<LightwalletdFaults>) {
    Object.assign(this.#faults, faults)
    this.#node = new ServedNode(chain, this.#faults)
    const mempool = new ServedMempool(this.#node, chain.clock, this.#faults)
    const service = compactTxStreamer(chain, this.#faults, this.#node, mempool)
    this.#handler = connectNodeAdapter({
      routes: router => router.service(CompactTxStreamer, service),
      interceptors: [faultInterceptor(this.#faults, mempool)],
      contextValues: request => createContextValues().set(nodeRequest, request as Http2ServerRequest),
      connect: false,
      grpcWeb: false,
      acceptCompression: [],
    })
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

  /** Changes what is named and leaves the rest. When it resolves, `down` is in force or over. */
  async setFaults(change: Partial<LightwalletdFaults>): Promise<void> {
    Object.assign(this.#faults, change)
    this.#node.faultsChanged()
    if (this.#faults.down) await this.#shut()
    else if (this.#server === undefined) await this.#open(this.#port)
  }

  /** Ends every call and frees the port. */
  async close(): Promise<void> {
    await this.#shut()
  }

  async #open(port: number): Promise<void> {
    const server = createServer((request, response) => {
      if (this.#faults.garbage === 'bytes') sendGarbage(response)
      else this.#handler(request, response)
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
