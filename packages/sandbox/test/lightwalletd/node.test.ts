import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Code } from '@connectrpc/connect'
import { Chain } from '../../src/chain/chain.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { Lightwalletd } from '../../src/lightwalletd/server.ts'
import { paymentUri, SEED } from '../fixtures.ts'
import type { LightwalletClient } from '../lightwallet-client.ts'
import { chain, clock, connect, failsWith } from './harness.ts'
import { collect } from './suite/assertions.ts'

describe('a server with caches', () => {
  let served: Lightwalletd
  let caller: LightwalletClient['client']

  beforeEach(async () => {
    chain.mine(3)
    served = await Lightwalletd.start(chain)
    caller = connect(served.url)
  })
  afterEach(() => served.close())

  test('a block that was mined and replaced between two polls is never served', async () => {
    clock.advance(1)
    chain.mine()
    chain.reorg({ depth: 1 })
    const { hash } = await caller.getBlock({ height: BigInt(chain.height) })
    assert.deepEqual(hash, chain.tip.hash)
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

  test('close stops a process that waits for its node', async () => {
    await served.setFaults({ nodeDown: true })
    await served.close()
    assert.equal(served.running, false)
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
