import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { type CompactBlock, PoolType } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { parseTransaction } from '@zatgate/zcash/transaction'
import {
  assertCompactActions,
  blockRange,
  collect,
  display,
  eventually,
  heights,
  internal,
  treeSizes,
} from './assertions.ts'
import {
  type ChainServer,
  closedAfterTests,
  FORK_HEIGHT,
  MEMPOOL_HEIGHT,
  type StartServer,
  serverAt,
  UPGRADES,
} from './server-under-test.ts'

const HEIGHT = 30
const ALL_POOLS = [PoolType.TRANSPARENT, PoolType.SAPLING, PoolType.ORCHARD, PoolType.IRONWOOD]
/** Past the tip lightwalletd and Zaino respond with the first, Zebra with the second. */
const PAST_TIP = [Code.OutOfRange, Code.NotFound]

/** Asserts that a call fails with one of these codes. The messages are those of each implementation. */
async function failsWith(operation: Promise<unknown>, ...codes: readonly Code[]): Promise<void> {
  await assert.rejects(operation, error => {
    const { code, rawMessage } = ConnectError.from(error)
    assert.ok(codes.includes(code), `${Code[code]}: ${rawMessage}`)
    return true
  })
}

/** The behaviour that zatgate relies on, of every server of the light-client protocol. */
export function protocolSuite(start: StartServer<ChainServer>): void {
  describe('blocks of every server', { concurrency: 1 }, () => {
    const server = serverAt(start, HEIGHT)
    const range = (from: number, to: number, poolTypes?: PoolType[]) => blockRange(server(), from, to, poolTypes)

    test('GetLatestBlock returns the height and the hash of the tip, in internal byte order', async () => {
      const { height, hash } = await server().client.getLatestBlock({})
      assert.deepEqual([height, display(hash)], [BigInt(HEIGHT), server().block(HEIGHT).hash])
    })

    test('a range from 1 returns every block in order, with the hashes, time and tree sizes of the chain', async () => {
      const blocks = await collect(range(1, HEIGHT))
      assert.deepEqual(
        heights(blocks),
        Array.from({ length: HEIGHT }, (_, index) => index + 1),
      )
      for (const block of blocks) {
        const expected = server().block(Number(block.height))
        const parent = server().block(Number(block.height) - 1).hash
        assert.deepEqual(
          [display(block.hash), display(block.prevHash), block.time],
          [expected.hash, parent, expected.time],
        )
        assert.deepEqual([block.protoVersion, block.header.length], [0, 0])
        assert.deepEqual(treeSizes(block), expected.trees)
      }
    })

    test('transactions are in block order, with position and txid and without fee', async () => {
      let several = 0
      for (const { height, vtx } of await collect(range(1, HEIGHT))) {
        const { txids } = server().block(Number(height))
        const positions = vtx.map(({ index }) => Number(index))
        assert.deepEqual(
          positions,
          positions.toSorted((a, b) => a - b),
        )
        for (const { index, txid, fee } of vtx) assert.deepEqual([display(txid), fee], [txids[Number(index)], 0])
        if (vtx.some(({ index }) => index > 0n)) several++
      }
      assert.ok(several >= 3, 'the chain has blocks with more than a coinbase transaction')
    })

    test('trees grow by the outputs and actions of each block, and all fields have their full length', async () => {
      let previous = { sapling: 0, orchard: 0, ironwood: 0 }
      for (const { height, vtx } of await collect(range(1, HEIGHT))) {
        const { trees } = server().block(Number(height))
        assert.deepEqual(
          {
            sapling: previous.sapling + vtx.flatMap(({ outputs }) => outputs).length,
            orchard: previous.orchard + vtx.flatMap(({ actions }) => actions).length,
            ironwood: previous.ironwood + vtx.flatMap(({ ironwoodActions }) => ironwoodActions).length,
          },
          trees,
        )
        previous = trees
        for (const action of vtx.flatMap(tx => [...tx.actions, ...tx.ironwoodActions])) {
          const { nullifier, cmx, ephemeralKey, ciphertext } = action
          assert.deepEqual([nullifier, cmx, ephemeralKey, ciphertext].map(lengthOf), [32, 32, 32, 52])
        }
      }
      assert.ok(previous.orchard > 0 && previous.ironwood > 0)
    })

    test('GetBlock returns the same block as a range with all pools', async () => {
      for (const height of [1, 5, 9, 13, 23, 24, 25, 26, HEIGHT]) {
        const [block] = await collect(range(height, height, ALL_POOLS))
        assert.deepEqual(await server().client.getBlock({ height: BigInt(height) }), block)
      }
    })

    test('a descending range is sent in descending order', async () => {
      assert.deepEqual(heights(await collect(range(5, 2))), [5, 4, 3, 2])
      assert.deepEqual(heights(await collect(range(3, 3))), [3])
    })

    test('a range beyond the tip returns the existing blocks and fails; a descending one returns none', async () => {
      const received: CompactBlock[] = []
      await failsWith(collect(range(HEIGHT - 1, HEIGHT + 3), received), ...PAST_TIP)
      assert.deepEqual(heights(received), [HEIGHT - 1, HEIGHT])
      received.length = 0
      await failsWith(collect(range(HEIGHT + 3, HEIGHT - 1), received), ...PAST_TIP)
      assert.deepEqual(received, [])
      await failsWith(server().client.getBlock({ height: BigInt(HEIGHT + 1) }), ...PAST_TIP)
    })

    test('a request that names no block is INVALID_ARGUMENT', async () => {
      const { client } = server()
      await failsWith(client.getBlock({}), Code.InvalidArgument)
      await failsWith(collect(client.getBlockRange({ end: { height: 2n } })), Code.InvalidArgument)
      await failsWith(collect(client.getBlockRange({ start: { height: 2n } })), Code.InvalidArgument)
    })

    test('a new block is the tip and is served immediately', async () => {
      await server().polled()
      await server().mine()
      assert.equal((await server().client.getLatestBlock({})).height, BigInt(server().height))
      const block = await server().client.getBlock({ height: BigInt(server().height) })
      assert.equal(display(block.hash), server().block(server().height).hash)
    })
  })

  describe('a reorganisation of every server', { concurrency: 1 }, () => {
    const server = serverAt(start, FORK_HEIGHT)

    test('after it the blocks of the longer branch are served, and no longer those that it replaces', async () => {
      const { client } = server()
      const hashes = async () => {
        const blocks = await collect(blockRange(server(), 32, server().height))
        return blocks.map(({ hash }) => display(hash))
      }
      const expected = () => Array.from({ length: server().height - 31 }, (_, index) => server().block(32 + index).hash)
      const replaced = expected()
      assert.deepEqual(await hashes(), replaced)
      await server().reorganise()
      assert.equal(server().height, FORK_HEIGHT + 1)
      assert.notEqual(expected()[1], replaced[1])
      // A range over the replaced and the new blocks may fail meanwhile.
      await eventually(server(), 'the longer branch', async () =>
        hashes().then(
          served => served.join() === expected().join(),
          error => ConnectError.from(error).code !== Code.Aborted && Promise.reject(error),
        ),
      )
      const { height, hash } = await client.getLatestBlock({})
      assert.deepEqual([height, display(hash)], [BigInt(server().height), server().block(server().height).hash])
    })
  })

  describe('single responses of every server', { concurrency: 1 }, () => {
    const startAt = closedAfterTests(start)

    test('LightdInfo has the height, the chain name of Zebra and the branch of the tip across both upgrades', async () => {
      const [nu62, nu63, nu7] = UPGRADES
      const server = await startAt(nu63!.height - 1)
      const branch = async () => {
        const info = await server.client.getLightdInfo({})
        assert.deepEqual(
          [info.chainName, info.saplingActivationHeight, info.blockHeight],
          ['test', 1n, BigInt(server.height)],
        )
        assert.ok(info.estimatedHeight >= info.blockHeight)
        assert.ok(info.vendor !== '' && info.version !== '')
        return info.consensusBranchId
      }
      assert.equal(await branch(), nu62!.branchId)
      await server.mine()
      assert.equal(await branch(), nu63!.branchId)
      while (server.height < nu7!.height - 1) await server.mine()
      assert.equal(await branch(), nu63!.branchId)
      await server.mine()
      assert.equal(await branch(), nu7!.branchId)
    })

    test('GetTransaction returns the bytes and the height of a mined transaction, and height 0 in the mempool', async () => {
      const server = await startAt(MEMPOOL_HEIGHT)
      let mined = 0
      for (let height = 1; height <= server.height; height++) {
        // The recorded node does not serve coinbase transactions.
        for (const txid of server.block(height).txids.slice(1)) {
          const found = await server.client.getTransaction({ hash: internal(txid) })
          assert.equal(found.height, BigInt(height))
          assert.equal(display(parseTransaction(found.data).txid), txid)
          mined++
        }
      }
      assert.ok(mined >= 3)
      const [pending] = server.unmined
      await server.setMempool([pending!.txid])
      const unmined = await server.client.getTransaction({ hash: internal(pending!.txid) })
      assert.equal(unmined.height, 0n)
      assert.deepEqual(unmined.data, pending!.raw)
    })

    test('GetTransaction rejects invalid txids and does not find unknown transactions', async () => {
      const { client } = await startAt(HEIGHT)
      await failsWith(client.getTransaction({ hash: new Uint8Array(32).fill(1) }), Code.NotFound)
      for (const length of [1, 31, 33])
        await failsWith(client.getTransaction({ hash: new Uint8Array(length) }), Code.InvalidArgument)
      await failsWith(client.getTransaction({}), Code.InvalidArgument)
    })
  })

  describe('the mempool of every server', { concurrency: 1 }, () => {
    const server = serverAt(start, MEMPOOL_HEIGHT)
    let txid: string
    let raw: Uint8Array
    before(() => {
      ;({ txid, raw } = server().unmined[0]!)
    })

    const listed = (excludeTxidSuffixes: Uint8Array[] = []) =>
      collect(server().client.getMempoolTx({ excludeTxidSuffixes }))

    test('is empty at first', async () => {
      assert.deepEqual(await listed(), [])
    })

    test('GetMempoolTx has the compact form of a transaction, without position and fee', async () => {
      await server().setMempool([txid])
      await eventually(server(), 'the transaction', async () => (await listed()).length === 1)
      const [transaction] = await listed()
      const { orchard, ironwood, saplingOutputs } = parseTransaction(raw)
      const { index, fee, spends, outputs, actions, ironwoodActions } = transaction!
      assert.equal(display(transaction!.txid), txid)
      assert.deepEqual([index, fee, spends.length], [0n, 0, 0])
      assert.deepEqual([outputs.length, actions.length], [saplingOutputs, orchard.length])
      assert.ok(ironwood.length > 0)
      assertCompactActions(ironwoodActions, ironwood)
    })

    test('GetMempoolTx leaves out what a txid suffix names, and rejects more than 20,000 suffixes', async () => {
      const id = internal(txid)
      for (const length of [1, 4, 31, 32])
        assert.deepEqual(await listed([id.subarray(32 - length)]), [], `${length} bytes`)
      assert.equal((await listed([id.subarray(0, 4)])).length, 1, 'a prefix is not a suffix')
      const tooMany = Array.from({ length: 20_001 }, () => new Uint8Array(1))
      await failsWith(listed(tooMany), Code.InvalidArgument)
    })

    test('GetMempoolStream sends each transaction once to every client, and ends after the next block', async () => {
      const streams = [server().client, server().connect()].map(client => ({
        client,
        received: [] as string[],
        ended: false,
      }))
      // lightwalletd ends the first stream of a process at once and empty.
      const readings = streams.map(async stream => {
        while (stream.received.length === 0)
          for await (const { data, height } of stream.client.getMempoolStream({})) {
            assert.equal(height, 0n)
            stream.received.push(display(parseTransaction(data).txid))
          }
        stream.ended = true
      })
      await eventually(server(), 'the transaction', () => streams.every(({ received }) => received.length > 0))
      await server().pass(500)
      for (const { received, ended } of streams) assert.deepEqual([received, ended], [[txid], false])
      await server().mine()
      await eventually(server(), 'the end', () => streams.every(({ ended }) => ended))
      await Promise.all(readings)
      for (const { received } of streams) assert.deepEqual(received, [txid])
    })
  })
}

function lengthOf({ length }: Uint8Array): number {
  return length
}
