import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { CompactBlock } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { until } from '../../../server/test/harness/until.ts'
import { Chain } from '../../src/chain/chain.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { Lightwalletd } from '../../src/lightwalletd/server.ts'
import { createClock, paymentUri, SEED } from '../fixtures.ts'
import { connectClient, type LightwalletClient } from '../lightwallet-client.ts'

const clock = createClock()
const chain = new Chain({ seed: SEED, clock, nu63Height: 3 })
const wallet = new Wallet(chain)
after(() => chain.close())

const connect = (url: string) => connectClient(url).client

async function failsWith(code: Code, work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, error => {
    assert.equal(Code[ConnectError.from(error).code], Code[code], String(error))
    return true
  })
}

async function collect<T>(stream: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const item of stream) into.push(item)
  return into
}

function heights(blocks: readonly CompactBlock[]): number[] {
  return blocks.map(({ height }) => Number(height))
}

describe('the block cache', () => {
  let served: Lightwalletd
  let caller: LightwalletClient['client']

  beforeEach(async () => {
    chain.mine(3)
    served = await Lightwalletd.start(chain)
    caller = connect(served.url)
  })
  afterEach(() => served.close())

  const hashAt = async (height: number) => txidToHex((await caller.getBlock({ height: BigInt(height) })).hash)
  const ownHashAt = (height: number) => txidToHex(chain.block(height)!.hash)
  const spanFrom = (start: number, end: number) =>
    collect(caller.getBlockRange({ start: { height: BigInt(start) }, end: { height: BigInt(end) } }))

  test('new blocks are served immediately, replaced blocks until the next poll', async () => {
    chain.mine()
    const [fork, replaced] = [chain.height - 2, ownHashAt(chain.height - 1)]
    assert.equal(await hashAt(chain.height), ownHashAt(chain.height))
    chain.reorg({ depth: 2, blocks: 3 })
    assert.deepEqual((await caller.getLatestBlock({})).hash, chain.tip.hash)
    assert.equal(await hashAt(fork + 1), replaced)
    clock.advance(2)
    for (let height = fork; height <= chain.height; height++) assert.equal(await hashAt(height), ownHashAt(height))
  })

  test('a range over replaced and new blocks ends with ABORTED where they meet, in both directions', async () => {
    clock.advance(2)
    const { height } = chain
    chain.reorg({ depth: 1, blocks: 2 })
    const got: CompactBlock[] = []
    const span = { start: { height: BigInt(height - 1) }, end: { height: BigInt(height + 1) } }
    await failsWith(Code.Aborted, collect(caller.getBlockRange(span), got))
    assert.deepEqual(heights(got), [height - 1, height])
    got.length = 0
    await failsWith(Code.Aborted, collect(caller.getBlockRange({ start: span.end, end: span.start }), got))
    assert.deepEqual(heights(got), [height + 1])
    clock.advance(2)
    assert.equal((await spanFrom(height - 1, height + 1)).length, 3)
  })

  test('a block that was mined and replaced between two polls is never served', async () => {
    clock.advance(1)
    chain.mine()
    chain.reorg({ depth: 1 })
    assert.equal(await hashAt(chain.height), ownHashAt(chain.height))
  })
})

describe('a failing node', () => {
  let served: Lightwalletd
  let caller: LightwalletClient['client']

  beforeEach(async () => {
    chain.mine(3)
    served = await Lightwalletd.start(chain)
    caller = connect(served.url)
  })
  afterEach(() => served.close())

  /** Advances the clock until the server process has exited. Returns the elapsed seconds. */
  async function secsUntilExit(): Promise<number> {
    for (let halves = 0; halves <= 60; halves++) {
      for (let turn = 0; turn < 20; turn++) await nextTurn()
      if (!served.running) return halves / 2
      clock.advance(0.5)
    }
    throw new Error('the server did not exit within 30 s')
  }

  test('down: cached blocks are served; after 22.5 s the process exits and connections are cut', async () => {
    const stream = caller.getMempoolStream({})[Symbol.asyncIterator]()
    assert.equal((await stream.next()).done, true)
    const cut = assert.rejects(Promise.resolve(caller.getMempoolStream({})[Symbol.asyncIterator]().next()))
    await caller.getLatestBlock({})
    await served.setFaults({ nodeDown: true })
    assert.equal((await caller.getBlock({ height: 2n })).height, 2n)
    chain.mine()
    const failures = Promise.all([
      failsWith(Code.Unavailable, caller.getLatestBlock({})),
      failsWith(Code.InvalidArgument, caller.getBlock({ height: BigInt(chain.height) })),
    ])
    const secs = await secsUntilExit()
    assert.ok(secs >= 22.5 && secs <= 24.5, `${secs} s`)
    await failures
    await cut
    await failsWith(Code.Unavailable, connect(served.url).getLightdInfo({}))
  })

  test('a node that recovers in time does not end the process', async () => {
    await served.setFaults({ nodeDown: true })
    const response = caller.getLatestBlock({})
    for (let i = 0; i < 20; i++) {
      clock.advance(0.5)
      await nextTurn()
    }
    await served.setFaults({ nodeDown: false })
    for (let i = 0; i < 40; i++) {
      clock.advance(0.5)
      await nextTurn()
    }
    assert.equal((await response).height, BigInt(chain.height))
    assert.equal(served.running, true)
  })

  test('errors: each call fails with its own code, and getbestblockhash ends the process within 2 s', async () => {
    await served.setFaults({ nodeFails: ['getblockchaininfo', 'getrawmempool', 'getblock', 'getrawtransaction'] })
    await failsWith(Code.Unavailable, caller.getLatestBlock({}))
    await failsWith(Code.Internal, caller.getLightdInfo({}))
    await failsWith(Code.Unknown, collect(caller.getMempoolStream({})))
    await failsWith(Code.Internal, collect(caller.getMempoolTx({})))
    await failsWith(Code.NotFound, caller.getTransaction({ hash: chain.tip.transactions[0]!.txid }))
    assert.equal((await caller.getBlock({ height: BigInt(chain.height) })).height, BigInt(chain.height))
    chain.mine()
    await failsWith(Code.InvalidArgument, caller.getBlock({ height: BigInt(chain.height) }))
    await served.setFaults({ nodeFails: ['getbestblockhash'] })
    await caller.getLatestBlock({})
    const secs = await secsUntilExit()
    assert.ok(secs <= 2, `${secs} s`)
  })

  test('a restarted process has the same address and empty caches', async () => {
    const { id } = wallet.pay({ uri: paymentUri(1n) })
    assert.equal((await collect(caller.getMempoolTx({}))).length, 1)
    const stream = () => caller.getMempoolStream({})[Symbol.asyncIterator]().next()
    assert.equal((await stream()).done, true)
    assert.equal((await stream()).done, false)
    await served.setFaults({ nodeFails: ['getbestblockhash'], blockCacheMs: 0 })
    await secsUntilExit()
    const { url } = served
    chain.reorg({ depth: 1, drop: [id] })
    await served.setFaults({ nodeFails: [] })
    assert.equal(served.url, url)
    assert.deepEqual(await collect(caller.getMempoolTx({})), [], 'the list is new although no time has passed')
    assert.equal((await stream()).done, true, 'the first stream of a process ends immediately')
    assert.deepEqual((await caller.getBlock({ height: BigInt(chain.height) })).hash, chain.tip.hash)
  })

  test('close stops a process that waits for its node', async () => {
    await served.setFaults({ nodeDown: true })
    await served.close()
    assert.equal(served.running, false)
  })

  test('a listed transaction that cannot be fetched appears later in the list and never in the streams', async () => {
    const stream = () => caller.getMempoolStream({})[Symbol.asyncIterator]()
    assert.equal((await stream().next()).done, true)
    await served.setFaults({ nodeFails: ['getrawtransaction'] })
    const lost = wallet.pay({ uri: paymentUri(1n) })
    const open = stream()
    const first = open.next()
    await until('the pause', () => clock.sleeping.length >= 1)
    assert.deepEqual(await collect(caller.getMempoolTx({})), [])
    await served.setFaults({ nodeFails: [] })
    clock.advance(2)
    const later = wallet.pay({ uri: paymentUri(2n) })
    clock.advance(2)
    assert.equal((await collect(caller.getMempoolTx({}))).length, 2)
    assert.equal(txidToHex(parseTransaction((await first).value!.data).txid), later.id)
    assert.notEqual(lost.id, later.id)
  })
})

describe('a server without the latest upgrade', () => {
  let upgraded: Chain
  let served: Lightwalletd
  let caller: LightwalletClient['client']
  let own: Wallet

  beforeEach(async () => {
    upgraded = new Chain({ seed: SEED, clock, nu7Height: 4 })
    own = new Wallet(upgraded)
    upgraded.mine()
    served = await Lightwalletd.start(upgraded, 0, { mempoolCacheMs: 0, blockCacheMs: 0 })
    caller = connect(served.url)
  })
  afterEach(() => served.close())

  test('LightdInfo returns the branch of the tip and the next upgrade; branch_id and estimated_height override them', async () => {
    const named = async () => {
      const { consensusBranchId, upgradeName, upgradeHeight, blockHeight, estimatedHeight } =
        await caller.getLightdInfo({})
      return [consensusBranchId, upgradeName, upgradeHeight, blockHeight, estimatedHeight]
    }
    assert.deepEqual(await named(), ['37a5165b', 'NU7', 4n, 2n, 2n])
    upgraded.mine(2)
    assert.deepEqual(await named(), ['77190ad9', '', 0n, 4n, 4n])
    await served.setFaults({ branchId: '37a5165b', estimatedHeight: 9 })
    assert.deepEqual(await named(), ['37a5165b', '', 0n, 4n, 9n])
  })

  test('stops_at_height: tip, blocks, info and mempool end at that block and are complete without the fault', async () => {
    await served.setFaults({ stopsAtHeight: 3 })
    const old = own.pay({ uri: paymentUri(1n) })
    upgraded.mine()
    const stream = caller.getMempoolStream({})[Symbol.asyncIterator]()
    const end = stream.next()
    await caller.getLatestBlock({})
    upgraded.mine(3)
    const young = own.pay({ uri: paymentUri(2n) })
    assert.equal((await caller.getLatestBlock({})).height, 3n)
    assert.deepEqual((await caller.getBlock({ height: 3n })).hash, upgraded.block(3)!.hash)
    await failsWith(Code.OutOfRange, caller.getBlock({ height: 4n }))
    const { blockHeight, estimatedHeight, consensusBranchId } = await caller.getLightdInfo({})
    assert.deepEqual([blockHeight, estimatedHeight, consensusBranchId], [3n, 3n, '37a5165b'])
    assert.deepEqual(await collect(caller.getMempoolTx({})), [])
    assert.equal((await caller.getTransaction({ hash: old.txid })).height, 3n)
    await failsWith(Code.NotFound, caller.getTransaction({ hash: young.txid }))
    await served.setFaults({ stopsAtHeight: null })
    assert.equal((await end).done, true, 'no block ended the stream before')
    assert.equal((await caller.getLatestBlock({})).height, BigInt(upgraded.height))
    assert.equal((await collect(caller.getMempoolTx({}))).length, 1)
  })

  test('mempool_fails: mempool calls and open streams end with INTERNAL; block calls succeed', async () => {
    own.pay({ uri: paymentUri(1n) })
    const stream = caller.getMempoolStream({})[Symbol.asyncIterator]()
    await stream.next()
    const end = failsWith(Code.Internal, Promise.resolve(stream.next()))
    await served.setFaults({ mempoolFails: true })
    await end
    for (let i = 0; i < 3; i++) {
      await failsWith(Code.Internal, collect(caller.getMempoolTx({})))
      await failsWith(Code.Internal, collect(caller.getMempoolStream({})))
    }
    assert.equal((await caller.getBlock({ height: 2n })).height, 2n)
    await served.setFaults({ mempoolFails: false })
    assert.equal((await collect(caller.getMempoolTx({}))).length, 1)
  })
})
