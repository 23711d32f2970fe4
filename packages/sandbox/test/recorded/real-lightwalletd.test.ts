import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { BlockRangeSchema, CompactTxSchema } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { loadRecording, type Recording, recordingMissing } from '../../../zcash/test/recording.ts'
import { lightwalletdMissing, type RealLightwalletd, startLightwalletd } from './real-lightwalletd.ts'
import { type RecordedNode, startRecordedNode } from './recorded-node.ts'

describe('the real lightwalletd in front of the recorded node', {
  skip: recordingMissing || lightwalletdMissing,
}, () => {
  let recording: Recording
  let node: RecordedNode
  let lightwalletd: RealLightwalletd

  before(async () => {
    recording = loadRecording()
    node = await startRecordedNode()
    await node.setTip(recording.blocks.length - 1)
    lightwalletd = await startLightwalletd({ rpcPort: node.rpcPort })
  })
  after(async () => {
    await lightwalletd?.close()
    await node?.close()
  })

  test('serves the recorded compact blocks byte for byte', async () => {
    assert.deepEqual(await recordedRange(), Object.values(recording.compact))
  })

  test('serves the same blocks after a restart without its cache', async () => {
    await lightwalletd.kill()
    assert.equal(await lightwalletd.exited, null)
    await lightwalletd.restart({ deleteCache: true })
    assert.deepEqual(await recordedRange(), Object.values(recording.compact))
  })

  test('shows the mempool of the recording', async () => {
    const unmined = recording.transactions.at(-1)!.txid
    await node.setMempool([unmined])
    const [transaction] = await callRaw(lightwalletd.url, 'GetMempoolTx', new Uint8Array())
    const { txid } = fromBinary(CompactTxSchema, transaction!)
    assert.equal(Buffer.from(txid).reverse().toString('hex'), unmined)
  })

  test('exits when its node fails, and responds again when both have restarted', async () => {
    await node.setError('getbestblockhash', 'warming up')
    assert.equal(await lightwalletd.exited, 1)
    await node.setError(null)
    await lightwalletd.restart()
    assert.equal((await recordedRange()).length, Object.keys(recording.compact).length)
  })

  /** The encoded blocks in base64. */
  async function recordedRange(): Promise<string[]> {
    const heights = Object.keys(recording.compact).map(Number)
    const range = { start: { height: BigInt(heights[0]!) }, end: { height: BigInt(heights.at(-1)!) } }
    const request = toBinary(BlockRangeSchema, create(BlockRangeSchema, range))
    const messages = await callRaw(lightwalletd.url, 'GetBlockRange', request)
    return messages.map(message => message.toString('base64'))
  }
})

/** Calls a method and returns the encoded response messages. */
async function callRaw(url: string, method: string, request: Uint8Array): Promise<Buffer[]> {
  const session = connect(url)
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/cash.z.wallet.sdk.rpc.CompactTxStreamer/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.setTimeout(30_000, () => stream.close())
    const frame = Buffer.alloc(5)
    frame.writeUInt32BE(request.length, 1)
    stream.end(Buffer.concat([frame, request]))
    const trailers = once(stream, 'trailers') as Promise<[Record<string, string>]>
    const body = Buffer.concat(await stream.toArray())
    assert.equal((await trailers)[0]['grpc-status'], '0')
    const messages: Buffer[] = []
    for (let offset = 0; offset < body.length; ) {
      const end = offset + 5 + body.readUInt32BE(offset + 1)
      messages.push(body.subarray(offset + 5, end))
      offset = end
    }
    return messages
  } finally {
    session.destroy()
  }
}
