import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { type CompactBlock, PoolType } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { tryDecryptCompactBlock, tryDecryptTransaction } from '@zatgate/zcash/scan'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import { Chain } from '../../src/chain/chain.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { Lightwalletd } from '../../src/lightwalletd/server.ts'
import { merchantKey, paymentUri, SEED } from '../fixtures.ts'
import { chain, client, clock, collect, connect, failsWith, heights, range, wallet } from './harness.ts'

describe('blocks', () => {
  test('contain linked hashes in internal byte order and the tree sizes of all pools', async () => {
    wallet.pay({ uri: paymentUri(1n) })
    chain.mine(4)
    const blocks = await collect(range(0, chain.height))
    assert.deepEqual(
      heights(blocks),
      Array.from({ length: chain.height + 1 }, (_, i) => i),
    )
    for (const block of blocks) {
      const own = chain.block(Number(block.height))!
      assert.deepEqual(block.hash, own.hash)
      assert.deepEqual(block.prevHash, own.prevHash)
      assert.equal(block.time, own.time)
      assert.equal(block.chainMetadata!.orchardCommitmentTreeSize, own.treeSizes.orchard)
      assert.equal(block.chainMetadata!.ironwoodCommitmentTreeSize, own.treeSizes.ironwood)
    }
  })

  test('the key of the payee decrypts a payment from the compact block in both pools', async () => {
    const orchard = (await collect(range(2, 2)))[0]!
    assert.deepEqual(
      tryDecryptCompactBlock([merchantKey], orchard).map(({ pool, note }) => [pool, note.value]),
      [['orchard', 1n]],
    )
    const { txid } = wallet.pay({ uri: paymentUri(250n, 9n) })
    chain.mine()
    const block = await client.getBlock({ height: BigInt(chain.height) })
    assert.deepEqual(
      block.vtx.map(({ index }) => index),
      [0n, 1n],
    )
    const [found] = tryDecryptCompactBlock([merchantKey], block)
    assert.deepEqual(found!.txid, txid)
    assert.deepEqual([found!.pool, found!.note.value, found!.note.diversifierIndex], ['ironwood', 250n, 9n])
  })

  test('a range can be descending and includes both ends', async () => {
    assert.deepEqual(heights(await collect(range(4, 2))), [4, 3, 2])
  })

  test('a range beyond the tip returns the existing blocks and ends with OUT_OF_RANGE', async () => {
    const got: CompactBlock[] = []
    await failsWith(Code.OutOfRange, collect(range(chain.height - 1, chain.height + 5), got))
    assert.deepEqual(heights(got), [chain.height - 1, chain.height])
    await failsWith(Code.OutOfRange, client.getBlock({ height: BigInt(chain.height + 1) }))
  })

  test('a range without an end and a block by hash are INVALID_ARGUMENT', async () => {
    await failsWith(Code.InvalidArgument, collect(client.getBlockRange({ start: { height: 1n } })))
    await failsWith(Code.InvalidArgument, client.getBlock({ hash: chain.tip.hash }))
  })

  test('only the requested pools are sent, all shielded pools by default; tree sizes are always sent', async () => {
    const [height] = [3]
    for (const [poolTypes, count] of [
      [[], 1],
      [[PoolType.IRONWOOD, PoolType.SAPLING], 1],
      [[PoolType.ORCHARD], 0],
    ] as const) {
      const [block] = await collect(range(height, height, [...poolTypes]))
      assert.equal(block!.vtx.length, count)
      assert.equal(block!.chainMetadata!.ironwoodCommitmentTreeSize, 2)
    }
  })
})

describe('the mempool', () => {
  test('streams the mempool, then new transactions, and ends at the next block', async () => {
    const there = wallet.pay({ uri: paymentUri(11n, 1n, 'first') })
    const stream = client.getMempoolStream({})[Symbol.asyncIterator]()
    const first = (await stream.next()).value!
    assert.equal(first.height, 0n)
    const [payment] = tryDecryptTransaction([merchantKey], parseTransaction(first.data))
    assert.equal(payment!.note.value, 11n)
    assert.equal(new TextDecoder().decode(payment!.memo).replaceAll('\0', ''), 'first')
    const later = wallet.pay({ uri: paymentUri(12n) })
    assert.deepEqual(parseTransaction((await stream.next()).value!.data).txid, later.txid)
    chain.mine()
    assert.equal((await stream.next()).done, true)
    assert.notDeepEqual(there.txid, later.txid)
  })

  test('stream also ends when blocks are removed without replacement', async () => {
    const stream = client.getMempoolStream({})[Symbol.asyncIterator]()
    wallet.pay({ uri: paymentUri(1n) })
    await stream.next()
    chain.reorg({ depth: 1, blocks: 0 })
    assert.equal((await stream.next()).done, true)
    chain.mine()
  })

  test('is sent in full on each new stream', async () => {
    wallet.pay({ uri: paymentUri(13n) })
    wallet.pay({ uri: paymentUri(14n) })
    for (let i = 0; i < 2; i++) {
      const leave = new AbortController()
      const stream = client.getMempoolStream({}, { signal: leave.signal })[Symbol.asyncIterator]()
      const txids = [(await stream.next()).value!, (await stream.next()).value!].map(
        raw => parseTransaction(raw.data).txid,
      )
      assert.deepEqual(
        txids,
        chain.mempool().map(({ txid }) => txid),
      )
      leave.abort()
    }
  })

  test('is listed in compact form without excluded transactions: a suffix excludes the single transaction that it matches', async () => {
    const [first, second] = chain.mempool().sort((a, b) => (a.id < b.id ? -1 : 1))
    const all = await collect(client.getMempoolTx({}))
    assert.deepEqual(
      all.map(({ txid, index, ironwoodActions }) => [txid, index, ironwoodActions.length]),
      [first!, second!].map(({ txid }) => [txid, 0n, 2]),
    )
    const excluding = (suffixes: Uint8Array[]) => collect(client.getMempoolTx({ excludeTxidSuffixes: suffixes }))
    assert.deepEqual(
      (await excluding([first!.txid.subarray(28)])).map(({ txid }) => txid),
      [second!.txid],
    )
    assert.equal((await excluding([new Uint8Array(0)])).length, 2)
    await failsWith(Code.InvalidArgument, excluding([new Uint8Array(33).fill(1)]))
    assert.equal((await collect(client.getMempoolTx({ poolTypes: [PoolType.ORCHARD] }))).length, 0)
  })
})

describe('single responses', () => {
  test('GetTransaction returns the height of a mined transaction, 0 in the mempool, 2^64 − 1 on a fork, or NOT_FOUND', async () => {
    const waiting = chain.mempool()[0]!
    assert.equal((await client.getTransaction({ hash: waiting.txid })).height, 0n)
    chain.mine()
    const mined = await client.getTransaction({ hash: waiting.txid })
    assert.equal(mined.height, BigInt(chain.height))
    assert.deepEqual(parseTransaction(mined.data).txid, waiting.txid)
    chain.reorg({ depth: 1, drop: [waiting.id] })
    assert.equal((await client.getTransaction({ hash: waiting.txid })).height, 2n ** 64n - 1n)
    await failsWith(Code.NotFound, client.getTransaction({ hash: new Uint8Array(32) }))
  })

  test('GetLightdInfo returns the network, the tip and its branch; GetLatestBlock returns the tip', async () => {
    const info = await client.getLightdInfo({})
    assert.deepEqual(
      [info.chainName, info.consensusBranchId, info.blockHeight, info.lightwalletProtocolVersion],
      ['test', '37a5165b', BigInt(chain.height), 'v0.5.0'],
    )
    assert.deepEqual((await client.getLatestBlock({})).hash, chain.tip.hash)
  })
})

test('a server of a testnet chain reports testnet, and payments below NU6.3 are Orchard notes', async () => {
  const testnet = new Chain({ seed: SEED, clock, network: 'test' })
  const server = await Lightwalletd.start(testnet)
  const address = encodeAddress('test', orchardReceiver(merchantKey, 1n))
  const { id } = new Wallet(testnet).pay({ uri: formatPaymentUri({ address, amount: 5n }) })
  testnet.mine()
  const own = connect(server.url)
  const info = await own.getLightdInfo({})
  assert.deepEqual([info.chainName, info.consensusBranchId], ['test', '5437f330'])
  const found = tryDecryptCompactBlock([merchantKey], await own.getBlock({ height: BigInt(testnet.height) }))
  assert.deepEqual(
    found.map(({ txid, pool, note }) => [txidToHex(txid), pool, note.value]),
    [[id, 'orchard', 5n]],
  )
  await server.close()
})
