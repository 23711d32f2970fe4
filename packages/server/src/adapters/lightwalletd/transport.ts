import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DescMessage, DescMethodServerStreaming, MessageInitShape } from '@bufbuild/protobuf'
import { create } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { createAsyncIterable, encodeEnvelope } from '@connectrpc/connect/protocol'
import { createTransport } from '@connectrpc/connect/protocol-grpc'
import { createNodeHttpClient } from '@connectrpc/connect-node'
import { CompactTxStreamer, RawTransactionSchema } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { InvalidResponse } from './decode.ts'
import type { Http2Sessions } from './http2-sessions.ts'

const { getBlockRange, getMempoolTx, getMempoolStream } = CompactTxStreamer.method

/** Consensus limit of a block and of a transaction. */
const MAX_BLOCK_BYTES = 2_000_000
/** Heights, hashes and a server's description of itself. */
const MAX_SMALL_BYTES = 16 * 1024
/** A compact block leaves out proofs and signatures. Headers of old servers and framing need some more. */
const MAX_BYTES = new Map([
  [getBlockRange.name, 2 * MAX_BLOCK_BYTES],
  [getMempoolTx.name, MAX_BLOCK_BYTES],
  [getMempoolStream.name, MAX_BLOCK_BYTES + 1_024],
])
/** A message arrives in frames of some 16 KB. Each frame costs time, whatever its size. */
const MAX_FIRST_CHUNKS = 100
const MIN_CHUNK_BYTES = 64
/** Small messages that were received together are handled without a pause in between. */
const MESSAGES_PER_TURN = 32
const PREFIX_BYTES = 5

/** Methods whose messages are passed on undecoded. The generic decoder makes an object of every two bytes, if they say so. */
const UNDECODED = new Set<string>([getBlockRange.name, getMempoolTx.name])

/** gRPC over these connections. The messages of each method have a maximum size and arrive with pauses for other work. */
export function createBoundedTransport(baseUrl: string, sessions: Http2Sessions): Transport {
  return createTransport({
    baseUrl,
    async httpClient(request) {
      const { signal } = request
      const sessionProvider = () => (signal ? sessions.cancelledBy(signal) : sessions)
      const httpClient = createNodeHttpClient({ httpVersion: '2', sessionProvider })
      const response = await httpClient(request)
      const method = request.url.slice(request.url.lastIndexOf('/') + 1)
      return { ...response, body: bounded(response.body, method) }
    },
    useBinaryFormat: true,
    binaryOptions: { readUnknownFields: false },
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: 1_024,
    readMaxBytes: 3 * MAX_BLOCK_BYTES,
    writeMaxBytes: MAX_SMALL_BYTES,
  })
}

/** Calls a method of `UNDECODED`. Yields each message in the protocol's encoding. */
export async function* streamUndecoded<I extends DescMessage>(
  transport: Transport,
  method: DescMethodServerStreaming<I, DescMessage>,
  request: MessageInitShape<I>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const input = createAsyncIterable([create(method.input, request)])
  const output = { ...method, output: RawTransactionSchema }
  const response = await transport.stream(output, signal, undefined, undefined, input)
  for await (const { data } of response.message) yield data
}

/** Splits a body into whole messages, and puts those of `UNDECODED` methods into the `data` of a RawTransaction. */
async function* bounded(body: AsyncIterable<Uint8Array>, method: string): AsyncGenerator<Uint8Array> {
  const maxBytes = MAX_BYTES.get(method) ?? MAX_SMALL_BYTES
  let chunks: Uint8Array[] = []
  let bytes = 0
  let length: number | null = null
  let messages = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    for (;;) {
      if (length === null && bytes >= PREFIX_BYTES) {
        if (chunks.length > 1) chunks = [Buffer.concat(chunks)]
        length = Buffer.from(chunks[0]!.buffer, chunks[0]!.byteOffset, PREFIX_BYTES).readUInt32BE(1)
        if (length > maxBytes)
          throw new InvalidResponse(`${method} sends a message of ${length} bytes, larger than ${maxBytes}`)
      }
      if (length === null || bytes < PREFIX_BYTES + length) break
      const received = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      const end = PREFIX_BYTES + length
      const message = received.subarray(PREFIX_BYTES, end)
      yield encodeEnvelope(received[0]!, UNDECODED.has(method) ? asData(message) : message)
      chunks = bytes > end ? [received.subarray(end)] : []
      bytes -= end
      length = null
      if (++messages % MESSAGES_PER_TURN === 0) await yieldToEventLoop()
    }
    if (chunks.length > MAX_FIRST_CHUNKS + bytes / MIN_CHUNK_BYTES)
      throw new InvalidResponse(`${method} sends a message in pieces of less than ${MIN_CHUNK_BYTES} bytes`)
  }
  // The end of a message is missing: the transport reports it.
  if (bytes > 0) yield Buffer.concat(chunks)
}

/** The encoding of `RawTransaction { data: message }`: the tag of field 1, the length as a varint, the bytes. */
function asData(message: Uint8Array): Uint8Array {
  const prefix = [0x0a]
  let rest = message.length
  for (; rest > 0x7f; rest >>>= 7) prefix.push((rest & 0x7f) | 0x80)
  prefix.push(rest)
  return Buffer.concat([Buffer.from(prefix), message])
}
