import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Code, ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect'
import type { LightwalletdFaults } from './faults.ts'
import type { ServedMempool } from './mempool.ts'

/** The HTTP/2 request behind a call, for the faults that break its stream. */
export const nodeRequest = createContextKey<Http2ServerRequest | undefined>(undefined)

/** Methods that need nothing of the block cache go on while it is being repaired. */
const OUTSIDE_THE_CACHE = new Set(['GetLightdInfo', 'GetTransaction', 'GetMempoolTx', 'GetMempoolStream'])

const COUNTED = [
  ['unavailable', Code.Unavailable],
  ['aborted', Code.Aborted],
  ['internal', Code.Internal],
] as const

/** Fails calls as `faults` says at the moment of the call. A GetMempoolTx that fails counts as a refresh of its list. */
export function faultInterceptor(faults: LightwalletdFaults, mempool: ServedMempool): Interceptor {
  return next => async call => {
    if (faults.hang) await cancelled(call.signal)
    for (const [name, code] of COUNTED) {
      if (faults[name] > 0) {
        faults[name]--
        if (call.method.name === 'GetMempoolTx') mempool.skipRefresh()
        throw new ConnectError(`the sandbox was told to answer ${Code[code]}`, code)
      }
    }
    if (faults.repairing && !OUTSIDE_THE_CACHE.has(call.method.name)) {
      throw new ConnectError('the block cache is being repaired', Code.Aborted)
    }
    const answer = await next(call)
    if (!answer.stream || faults.cutStreamAfter === null) return answer
    const stream = call.contextValues.get(nodeRequest)!.stream
    return { ...answer, message: cutAfter(answer.message, faults.cutStreamAfter, stream) }
  }
}

/** One well-framed message that is no protobuf, and the trailers of a call that went well. */
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
  // Node 24.21 sends for ever when a stream is reset in the turn in which it was written to.
  await nextTurn()
  stream.close(constants.NGHTTP2_INTERNAL_ERROR)
}

async function cancelled(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  throw new ConnectError('the client gave up', Code.Canceled)
}
