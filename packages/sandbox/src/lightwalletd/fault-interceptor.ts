import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Code, ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect'
import type { LightwalletdFaults } from './faults.ts'
import type { ServedMempool } from './mempool.ts'

/** The HTTP/2 request of a call, for faults that reset its stream. */
export const nodeRequest = createContextKey<Http2ServerRequest | undefined>(undefined)

/** Methods that do not use the block cache; they work while it is being repaired. */
const UNCACHED_METHODS = new Set(['GetLightdInfo', 'GetTransaction', 'GetMempoolTx', 'GetMempoolStream'])

const COUNTED_FAULTS = [
  ['unavailable', Code.Unavailable],
  ['aborted', Code.Aborted],
  ['internal', Code.Internal],
] as const

/** Applies the faults that are set when a call arrives. A failed GetMempoolTx counts as a refresh of its list. */
export function faultInterceptor(faults: LightwalletdFaults, mempool: ServedMempool): Interceptor {
  return next => async call => {
    if (faults.hang) await untilCancelled(call.signal)
    for (const [name, code] of COUNTED_FAULTS) {
      if (faults[name] > 0) {
        faults[name]--
        if (call.method.name === 'GetMempoolTx') mempool.skipRefresh()
        throw new ConnectError(`injected fault: ${Code[code]}`, code)
      }
    }
    if (faults.repairing && !UNCACHED_METHODS.has(call.method.name)) {
      throw new ConnectError('the block cache is being repaired', Code.Aborted)
    }
    const response = await next(call)
    if (!response.stream || faults.cutStreamAfter === null) return response
    const stream = call.contextValues.get(nodeRequest)!.stream
    return { ...response, message: cutAfter(response.message, faults.cutStreamAfter, stream) }
  }
}

/** Sends one correctly framed message that is not valid protobuf, and the trailers of a successful call. */
export function sendGarbage(response: Http2ServerResponse): void {
  const payload = Buffer.alloc(64, 0xff)
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(payload.length, 1)
  response.writeHead(200, { 'content-type': 'application/grpc+proto', trailer: 'grpc-status' })
  response.addTrailers({ 'grpc-status': '0' })
  response.end(Buffer.concat([frame, payload]))
}

async function* cutAfter<T>(messages: AsyncIterable<T>, limit: number, stream: ServerHttp2Stream): AsyncGenerator<T> {
  let sent = 0
  for await (const message of messages) {
    if (sent++ === limit) break
    yield message
  }
  // Node 24.21 never stops sending when a stream is reset in the same event loop turn as a write to it.
  await nextTurn()
  stream.close(constants.NGHTTP2_INTERNAL_ERROR)
}

async function untilCancelled(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  throw new ConnectError('cancelled by the client', Code.Canceled)
}
