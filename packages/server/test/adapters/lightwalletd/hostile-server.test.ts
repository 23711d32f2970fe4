import assert from 'node:assert/strict'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import {
  BlockIDSchema,
  CompactBlockSchema,
  CompactTxSchema,
  LightdInfoSchema,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { createLightwalletd } from '../../../src/adapters/lightwalletd/chain.ts'
import { decodeBlock } from '../../../src/adapters/lightwalletd/decode.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import type { Chain } from '../../../src/ports/chain.ts'
import { recordingLog } from '../../harness/log.ts'

const never = new AbortController().signal
const TIP = 5n
const HASH = new Uint8Array(32).fill(1)

type Messages = Iterable<Uint8Array>

/** A gRPC server that sends these bytes. */
interface Answers {
  blocks?: () => Messages
  mempool?: () => Messages
  stream?: () => Messages
  info?: () => Messages
  /** Bytes of a DATA frame. Default: whole messages. */
  frameBytes?: number
}

const block = (vtx: Uint8Array = new Uint8Array(0)) =>
  Buffer.concat([
    toBinary(
      CompactBlockSchema,
      create(CompactBlockSchema, {
        height: TIP,
        hash: HASH,
        prevHash: HASH,
        chainMetadata: { ironwoodCommitmentTreeSize: 9 },
      }),
    ),
    vtx,
  ])

/** A transaction without shielded parts, as a field of a block. */
const TRANSACTION = (() => {
  const bytes = toBinary(CompactTxSchema, create(CompactTxSchema, { txid: HASH }))
  return Buffer.concat([Buffer.from([0x3a, bytes.length]), bytes])
})()

const repeat = (field: Uint8Array, times: number) => Buffer.alloc(field.length * times, field)

async function serve(t: TestContext, answers: Answers) {
  const info = () => [toBinary(LightdInfoSchema, create(LightdInfoSchema, { chainName: 'regtest' }))]
  const byMethod: Record<string, () => Messages> = {
    GetLightdInfo: answers.info ?? info,
    GetLatestBlock: () => [toBinary(BlockIDSchema, create(BlockIDSchema, { height: TIP }))],
    GetBlockRange: answers.blocks ?? (() => [block()]),
    GetMempoolTx: answers.mempool ?? (() => []),
    GetMempoolStream: answers.stream ?? (() => []),
  }
  const server = createServer()
  server.on('session', session => {
    t.after(() => session.destroy())
  })
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {})
    const messages = byMethod[String(headers[':path']).split('/').at(-1)!]!()
    void send(stream, messages, answers.frameBytes).catch(() => {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const log = recordingLog()
  const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const chain = createLightwalletd({ urls, params: consensusParams('regtest'), clock: systemClock, log })
  t.after(async () => {
    await chain.close()
    server.close()
  })
  return { chain, log }
}

async function send(stream: ServerHttp2Stream, messages: Messages, frameBytes: number | undefined): Promise<void> {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  const write = async (bytes: Uint8Array) => {
    if (!stream.write(bytes)) await new Promise<void>(resolve => stream.once('drain', resolve))
  }
  const envelopes = [...messages].map(message => encodeEnvelope(0, message))
  if (frameBytes === undefined) await write(Buffer.concat(envelopes))
  else
    for (const envelope of envelopes)
      for (let at = 0; at < envelope.length && !stream.destroyed; at += frameBytes) {
        await write(envelope.subarray(at, at + frameBytes))
        await new Promise(resolve => setImmediate(resolve))
      }
  stream.end()
}

async function read(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of items) count++
  return count
}

const blocksOf = (chain: Chain) => read(chain.blocks(Number(TIP), Number(TIP), never))

const HOSTILE_BLOCKS: [name: string, message: () => Uint8Array, error: RegExp][] = [
  ['40,000 transactions', () => block(repeat(TRANSACTION, 40_000)), /more content than a block/],
  ['100,000 empty transactions', () => block(repeat(Buffer.from([0x3a, 0]), 100_000)), /txid has 0 bytes|more content/],
  ['400,000 unknown fields', () => block(repeat(Buffer.from([0x7a, 0]), 400_000)), /more fields than a block/],
  ['600,000 times the same field', () => block(repeat(Buffer.from([0x28, 1]), 600_000)), /more fields than a block/],
  ['more than 4 MB', () => block(repeat(Buffer.from([0x7a, 0]), 2_000_100)), /message of \d+ bytes/],
]

for (const [name, message, error] of HOSTILE_BLOCKS)
  test(`a block with ${name} is refused`, async t => {
    const served = message()
    const { chain } = await serve(t, { blocks: () => [served] })
    await assert.rejects(blocksOf(chain), { name: 'InvalidResponse', message: error })
  })

test('a transaction has at most as many actions, outputs and spends as 2 MB hold', async () => {
  const transaction = (field: number, times: number) => {
    const bytes = Buffer.concat([TRANSACTION.subarray(2), repeat(Buffer.from([field, 0]), times)])
    const length = [(bytes.length & 0x7f) | 0x80, ((bytes.length >>> 7) & 0x7f) | 0x80, bytes.length >>> 14]
    return block(Buffer.concat([Buffer.from([0x3a, ...length]), bytes]))
  }
  const refused = { message: /more content than a block/ }
  await assert.rejects(decodeBlock(transaction(0x22, 5_700)), refused)
  await assert.rejects(decodeBlock(transaction(0x2a, 2_200)), refused)
  assert.equal((await decodeBlock(transaction(0x22, 5_600))).height, Number(TIP))
  assert.equal((await decodeBlock(transaction(0x2a, 2_100))).outputCounts.sapling, 2_100)
})

test('the largest block is decoded in slices, between which other work runs', async () => {
  let turns = 0
  let done = false
  const other = (): void => {
    turns++
    if (!done) setImmediate(other)
  }
  other()
  const decoded = await decodeBlock(block(repeat(TRANSACTION, 33_000)))
  done = true
  assert.deepEqual(decoded.transactions, [], 'transactions without actions are not kept')
  assert.ok(turns > 10, `${turns} turns`)
})

test('a message in pieces of a few bytes is refused', async t => {
  const { chain } = await serve(t, { blocks: () => [block(repeat(TRANSACTION, 100))], frameBytes: 4 })
  await assert.rejects(blocksOf(chain), { name: 'InvalidResponse', message: /in pieces of less than 64 bytes/ })
})

test('a mempool of more transactions or bytes than nodes keep is refused, and so is an endless stream', async t => {
  const transaction = TRANSACTION.subarray(2)
  const many = await serve(t, { mempool: () => Array.from({ length: 20_001 }, () => transaction) })
  await assert.rejects(many.chain.mempoolSnapshot(never), { message: /mempool response exceeds the size limit/ })
  const large = Buffer.concat([
    transaction,
    repeat(Buffer.from([0x7a, 100, ...HASH, ...HASH, ...HASH, 0, 0, 0, 0]), 15_000),
  ])
  const heavy = await serve(t, { mempool: () => Array.from({ length: 25 }, () => large) })
  await assert.rejects(heavy.chain.mempoolSnapshot(never), { message: /mempool response exceeds the size limit/ })
  const raw = Buffer.from([0x0a, 1, 7])
  const endless = await serve(t, { stream: () => Array.from({ length: 20_001 }, () => raw) })
  await assert.rejects(read(endless.chain.mempool(never)), { message: /mempool stream exceeds the size limit/ })
})

test('a description of megabytes is refused', async t => {
  const { chain } = await serve(t, { info: () => [repeat(Buffer.from([0x0a, 1, 65]), 10_000)] })
  await assert.rejects(chain.tip(never), { message: /GetLightdInfo sends a message of 30000 bytes/ })
})

test('a server that cannot be compared is logged once, and again when it can be', async t => {
  let hostile = true
  const blocks = () => [hostile ? block(repeat(TRANSACTION, 40_000)) : block()]
  const { chain, log } = await serve(t, { blocks })
  for (let i = 0; i < 3; i++) assert.deepEqual(await chain.views(5, 5, never), [])
  hostile = false
  for (let i = 0; i < 2; i++) assert.equal((await chain.views(5, 5, never)).length, 1)
  const messages = log.lines.map(({ message }) => message)
  assert.deepEqual(messages, [
    'the chain server cannot be compared with the others',
    'the chain server is compared with the others again',
  ])
})
