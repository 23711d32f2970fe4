import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands between lightwalletd and the recorded node. */
export interface RecordedNodeProxy {
  readonly rpcPort: number
  /** How many calls came so far, and how many of them asked for the best block. */
  readonly counts: { readonly calls: number; readonly polls: number }
  close(): Promise<void>
}

interface RpcRequest {
  readonly method: string
  readonly params?: readonly unknown[]
}

/**
 * Passes JSON-RPC on to a recorded node, and answers `getrawtransaction` with verbosity 0 as zebrad does: with the bytes
 * in hex. The recorded node gives an object there, which lightwalletd's GetMempoolTx cannot read.
 */
export async function startRecordedNodeProxy(nodePort: number): Promise<RecordedNodeProxy> {
  const counts = { calls: 0, polls: 0 }
  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray()).toString()
      const { method, params } = JSON.parse(body) as RpcRequest
      counts.calls += 1
      if (method === 'getbestblockhash') counts.polls += 1
      const answer = await fetch(`http://127.0.0.1:${nodePort}`, { method: 'POST', body })
      const message = (await answer.json()) as { result: { hex: string } | string | null }
      if (method === 'getrawtransaction' && params?.[1] === 0 && typeof message.result === 'object')
        message.result = message.result?.hex ?? null
      response.setHeader('content-type', 'application/json').end(JSON.stringify(message))
    } catch {
      // The node is down: it closes connections without an answer.
      request.socket.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    rpcPort: (server.address() as AddressInfo).port,
    counts,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
