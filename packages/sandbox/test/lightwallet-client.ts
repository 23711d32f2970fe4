import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { Http2Sessions } from '@zatgate/server/adapters/lightwalletd/http2-sessions'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'

export interface LightwalletClient {
  readonly client: Client<typeof CompactTxStreamer>
  /** Ends its connections. */
  close(): void
}

/** A client that may outlive its server. */
export function connectClient(url: string): LightwalletClient {
  const sessionManager = new Http2Sessions(url)
  const transport = createGrpcTransport({ baseUrl: url, sessionManager, acceptCompression: [] })
  return { client: createClient(CompactTxStreamer, transport), close: () => sessionManager.abort() }
}
