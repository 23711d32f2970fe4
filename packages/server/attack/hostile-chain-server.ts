import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import {
  BlockIDSchema,
  BlockRangeSchema,
  CompactBlockSchema,
  CompactTxSchema,
  LightdInfoSchema,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'

/** Appended to each block that the server sends. */
export type Content = Uint8Array

const HASH = new Uint8Array(32).fill(7)
const MESSAGE_BYTES = 3_900_000
const repeat = (bytes: Uint8Array, times: number) => Buffer.alloc(bytes.length * times, bytes)
const BARE = toBinary(CompactTxSchema, create(CompactTxSchema, { txid: HASH }))

/** The tag of field 7 of a block, or of field 6 of a transaction, with an empty message. */
const EMPTY_TRANSACTION = Buffer.from([0x3a, 0])
const EMPTY_ACTION = Buffer.from([0x32, 0])

export const CONTENTS: readonly (readonly [name: string, content: Content, mempool: readonly Uint8Array[]])[] = [
  ['empty transactions', repeat(EMPTY_TRANSACTION, MESSAGE_BYTES / 2), [repeat(EMPTY_ACTION, MESSAGE_BYTES / 4)]],
  ['empty actions', nested(repeat(EMPTY_ACTION, MESSAGE_BYTES / 2)), [repeat(EMPTY_ACTION, MESSAGE_BYTES / 4)]],
  [
    'as many transactions as a block can have',
    repeat(Buffer.concat([Buffer.from([0x3a, BARE.length]), BARE]), 33_000),
    Array.from({ length: 19_000 }, () => BARE),
  ],
]

/** Wraps the content of a transaction as field 7 of a block. */
function nested(content: Uint8Array): Uint8Array {
  const length: number[] = []
  let rest = content.length
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([0x3a, ...length, rest]), content])
}

/** A light-client server on raw HTTP/2. It claims a tip, and serves blocks and a mempool once it has `content`. */
export class HostileChainServer {
  content: Content | null = null
  mempool: readonly Uint8Array[] = []
  /** Blocks sent. */
  sent = 0
  readonly #server = createServer()
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #tip: bigint

  constructor(tip: number) {
    this.#tip = BigInt(tip)
    this.#server.on('session', session => {
      this.#sessions.add(session)
      session.on('error', () => {})
      session.on('close', () => this.#sessions.delete(session))
    })
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => {})
      void this.#answer(stream, String(headers[':path']).split('/').at(-1)!).catch(() => {})
    })
  }

  async start(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy()
    this.#server.close()
  }

  async #answer(stream: ServerHttp2Stream, method: string): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const request = Buffer.concat(chunks).subarray(5)
    if (this.content === null) {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' }, { endStream: true })
      return
    }
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.setMaxListeners(0)
    for (const message of this.#messages(method, request)) {
      if (stream.destroyed) return
      if (!stream.write(encodeEnvelope(0, message)))
        await Promise.race(['drain', 'close'].map(event => new Promise(resolve => stream.once(event, resolve))))
    }
    stream.end()
  }

  *#messages(method: string, request: Uint8Array): Generator<Uint8Array> {
    if (method === 'GetLightdInfo')
      yield toBinary(LightdInfoSchema, create(LightdInfoSchema, { chainName: 'regtest', blockHeight: this.#tip }))
    else if (method === 'GetLatestBlock') yield toBinary(BlockIDSchema, create(BlockIDSchema, { height: this.#tip }))
    else if (method === 'GetMempoolTx') yield* this.mempool
    else if (method === 'GetBlockRange') {
      const { start, end } = fromBinary(BlockRangeSchema, request)
      for (let height = start!.height; height <= end!.height; height++) {
        this.sent++
        yield this.#block(height)
      }
    }
  }

  #block(height: bigint): Uint8Array {
    const chainMetadata = { ironwoodCommitmentTreeSize: 9 }
    const block = create(CompactBlockSchema, { height, hash: HASH, prevHash: HASH, chainMetadata })
    return Buffer.concat([toBinary(CompactBlockSchema, block), this.content!])
  }
}
