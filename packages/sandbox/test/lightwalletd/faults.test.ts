import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import type { CompactBlock } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { Lightwalletd } from '../../src/lightwalletd/server.ts'
import { paymentUri } from '../fixtures.ts'
import { chain, client, clock, connect, failsWith, lightwalletd, range, wallet } from './harness.ts'
import { collect, heights } from './suite/assertions.ts'

before(() => {
  // An Orchard payment in block 2, below NU6.3, and Ironwood blocks above it.
  wallet.pay({ uri: paymentUri(1n) })
  chain.mine(10)
})

describe('faults', () => {
  test('down: calls fail and open streams break; afterwards the same address works again', async () => {
    const stream = client.getMempoolStream({})[Symbol.asyncIterator]()
    for (let i = chain.mempool().length; i > 0; i--) await stream.next()
    const broken = assert.rejects(Promise.resolve(stream.next()))
    await lightwalletd.setFaults({ down: true })
    await broken
    await failsWith(Code.Unavailable, connect(lightwalletd.url).getLatestBlock({}))
    await lightwalletd.setFaults({ down: false })
    assert.equal((await client.getLatestBlock({})).height, BigInt(chain.height))
  })

  test('hang: a call gets no response before its deadline', async () => {
    await lightwalletd.setFaults({ hang: true })
    await failsWith(Code.DeadlineExceeded, client.getLatestBlock({}, { timeoutMs: 50 }))
  })

  for (const [fault, code] of [
    ['unavailable', Code.Unavailable],
    ['aborted', Code.Aborted],
    ['internal', Code.Internal],
  ] as const) {
    test(`${fault}: the next calls end with this status, later ones succeed`, async () => {
      await lightwalletd.setFaults({ [fault]: 2 })
      await failsWith(code, collect(range(1, 2)))
      await failsWith(code, client.getLatestBlock({}))
      assert.equal((await collect(range(1, 2))).length, 2)
    })
  }

  test('repairing: calls that use the block cache are ABORTED, other calls succeed', async () => {
    await lightwalletd.setFaults({ repairing: true })
    await failsWith(Code.Aborted, collect(range(1, 2)))
    await failsWith(Code.Aborted, client.getLatestBlock({}))
    await client.getLightdInfo({})
  })

  test('cut_stream_after: a stream is reset after the given number of messages, some of which may be lost', async () => {
    await lightwalletd.setFaults({ cutStreamAfter: 2 })
    const got: CompactBlock[] = []
    await assert.rejects(collect(range(0, 4), got))
    assert.deepEqual(heights(got), [0, 1].slice(0, got.length))
  })

  test('omit_action: the tree sizes do not match the actions', async () => {
    await lightwalletd.setFaults({ omitAction: true })
    const [block, next] = await collect(range(2, 3))
    assert.equal(block!.vtx.flatMap(tx => tx.actions).length, 1)
    assert.equal(block!.chainMetadata!.orchardCommitmentTreeSize, 2)
    assert.equal(next!.vtx.flatMap(tx => tx.ironwoodActions).length, 1)
  })

  test('hide_ironwood: no Ironwood actions, an empty tree, and no transactions with Ironwood actions only', async () => {
    wallet.pay({ uri: paymentUri(3n) })
    await lightwalletd.setFaults({ hideIronwood: true })
    const blocks = await collect(range(2, chain.height))
    assert.equal(blocks[0]!.vtx.length, 1)
    for (const { vtx, chainMetadata } of blocks.slice(1)) {
      assert.deepEqual(vtx, [])
      assert.equal(chainMetadata!.ironwoodCommitmentTreeSize, 0)
    }
    assert.deepEqual(await collect(client.getMempoolTx({})), [])
  })

  test('lag_blocks: the newest blocks are missing although the node has them', async () => {
    await lightwalletd.setFaults({ lagBlocks: 2 })
    assert.equal((await client.getLatestBlock({})).height, BigInt(chain.height - 2))
    await failsWith(Code.OutOfRange, client.getBlock({ height: BigInt(chain.height - 1) }))
    assert.equal((await client.getLightdInfo({})).estimatedHeight, BigInt(chain.height))
  })

  test('chain_name, protocol_version, reverse_latest_hash and forget_transactions change the responses', async () => {
    await lightwalletd.setFaults({
      chainName: 'main',
      protocolVersion: '',
      reverseLatestHash: true,
      forgetTransactions: true,
    })
    const info = await client.getLightdInfo({})
    assert.deepEqual([info.chainName, info.lightwalletProtocolVersion], ['main', ''])
    assert.deepEqual((await client.getLatestBlock({})).hash, chain.tip.hash.toReversed())
    await failsWith(Code.NotFound, client.getTransaction({ hash: chain.tip.transactions[0]!.txid }))
  })

  test('garbage: responses are not valid protobuf, or fields have wrong lengths', async () => {
    await lightwalletd.setFaults({ garbage: 'bytes' })
    await assert.rejects(client.getLatestBlock({}))
    await assert.rejects(collect(range(1, 2)))
    await lightwalletd.setFaults({ garbage: 'fields' })
    const [block] = await collect(range(2, 2))
    assert.deepEqual([block!.hash.length, block!.vtx[0]!.actions[0]!.ciphertext.length], [5, 51])
  })

  test('end_mempool_at_once: the stream ends immediately', async () => {
    await lightwalletd.setFaults({ endMempoolAtOnce: true })
    assert.deepEqual(await collect(client.getMempoolStream({})), [])
  })
})

test('a failed call counts as a refresh of the mempool list: calls of the next 2 s return the cached list', async t => {
  const served = await Lightwalletd.start(chain)
  t.after(() => served.close())
  const caller = connect(served.url)
  const listed = async () => (await collect(caller.getMempoolTx({}))).map(({ txid }) => txidToHex(txid))
  chain.mine()
  assert.deepEqual(await listed(), [])
  const { id } = wallet.pay({ uri: paymentUri(1n) })
  clock.advance(2)
  await served.setFaults({ internal: 1 })
  await failsWith(Code.Internal, listed())
  clock.advance(1)
  assert.deepEqual(await listed(), [])
  clock.advance(1)
  assert.deepEqual(await listed(), [id])
})

describe('a server with its own view of the chain', () => {
  beforeEach(() => void chain.mine())

  test('frozen: tip, blocks and mempool stay unchanged on a replaced branch; without the fault they are current', async () => {
    chain.mine(2)
    const waiting = wallet.pay({ uri: paymentUri(1n) })
    const [tip, height] = [chain.tip, chain.height]
    await lightwalletd.setFaults({ frozen: true })
    chain.reorg({ depth: 2, drop: [waiting.id], blocks: 4 })
    const later = wallet.pay({ uri: paymentUri(2n) })

    assert.deepEqual((await client.getLatestBlock({})).hash, tip.hash)
    assert.deepEqual((await client.getBlock({ height: BigInt(height) })).hash, tip.hash)
    await failsWith(Code.OutOfRange, client.getBlock({ height: BigInt(height + 1) }))
    const info = await client.getLightdInfo({})
    assert.deepEqual([info.blockHeight, info.estimatedHeight], [BigInt(height), BigInt(height)])
    const frozenMempool = await collect(client.getMempoolTx({}))
    assert.deepEqual(
      frozenMempool.map(({ txid }) => txidToHex(txid)),
      [waiting.id],
    )
    assert.equal((await client.getTransaction({ hash: waiting.txid })).height, 0n)
    await failsWith(Code.NotFound, client.getTransaction({ hash: later.txid }))

    await lightwalletd.setFaults({ frozen: false })
    assert.deepEqual((await client.getLatestBlock({})).hash, chain.tip.hash)
    const present = await collect(client.getMempoolTx({}))
    assert.deepEqual(
      present.map(({ txid }) => txidToHex(txid)),
      [later.id],
    )
    chain.mine()
  })

  test('frozen: a stream stays open while the chain continues and ends with the fault', async () => {
    await lightwalletd.setFaults({ frozen: true })
    const stream = client.getMempoolStream({})[Symbol.asyncIterator]()
    const next = stream.next()
    await client.getLatestBlock({})
    wallet.pay({ uri: paymentUri(1n) })
    chain.mine()
    await client.getLatestBlock({})
    await lightwalletd.setFaults({ frozen: false })
    assert.equal((await next).done, true)
  })

  test('two servers of one chain have independent faults', async () => {
    const other = await Lightwalletd.start(chain, 0, {
      mempoolCacheMs: 0,
      hideMempool: true,
      frozen: true,
    })
    wallet.pay({ uri: paymentUri(1n) })
    assert.deepEqual(await collect(connect(other.url).getMempoolTx({})), [])
    assert.equal((await collect(client.getMempoolTx({}))).length, 1)
    chain.mine()
    assert.equal((await connect(other.url).getLatestBlock({})).height, BigInt(chain.height - 1))
    assert.equal((await client.getLatestBlock({})).height, BigInt(chain.height))
    await other.close()
  })

  test('hide_mempool: all or the given transactions are neither listed, streamed nor found', async () => {
    const [hidden, shown] = [wallet.pay({ uri: paymentUri(1n) }), wallet.pay({ uri: paymentUri(2n) })]
    await lightwalletd.setFaults({ hideMempool: [hidden.id] })
    assert.deepEqual(
      (await collect(client.getMempoolTx({}))).map(({ txid }) => txidToHex(txid)),
      [shown.id],
    )
    await failsWith(Code.NotFound, client.getTransaction({ hash: hidden.txid }))
    const stream = client.getMempoolStream({})[Symbol.asyncIterator]()
    assert.deepEqual(parseTransaction((await stream.next()).value!.data).txid, shown.txid)
    await lightwalletd.setFaults({ hideMempool: false })
    assert.deepEqual(parseTransaction((await stream.next()).value!.data).txid, hidden.txid)
    await lightwalletd.setFaults({ hideMempool: true })
    assert.deepEqual(await collect(client.getMempoolTx({})), [])
    chain.mine()
    const mined = await client.getTransaction({ hash: hidden.txid })
    assert.equal(mined.height, BigInt(chain.height), 'a mined one is no matter of the mempool')
  })
})
