import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { type CompactBlock, type CompactTx, PoolType } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import {
  blockRange,
  collect,
  display,
  eventually,
  failsWith,
  heights,
  inTime,
  tolerance,
  treeSizes,
} from './assertions.ts'
import { closedAfterTests, FORK_HEIGHT, type ServerUnderTest, type StartServer, serverAt } from './server-under-test.ts'

const HEIGHT = 30
const ALL_POOLS = [PoolType.TRANSPARENT, PoolType.SAPLING, PoolType.ORCHARD, PoolType.IRONWOOD]
const SHIELDED = ALL_POOLS.slice(1)
const UNKNOWN_POOL = 9 as PoolType

/** GetBlock, GetBlockRange and GetLatestBlock, as lightwalletd responds. */
export function blockSuite(start: StartServer): void {
  describe('blocks', { concurrency: 1 }, () => {
    const server = serverAt(start, HEIGHT)
    const range = (from: number, to: number, poolTypes?: PoolType[]) => blockRange(server(), from, to, poolTypes)

    test('a range from 0 begins with the genesis block', async () => {
      const [genesis, first] = await collect(range(0, 1))
      assert.deepEqual([genesis?.height, first?.height], [0n, 1n])
      const { hash, time, trees } = server().block(0)
      assert.deepEqual([display(genesis!.hash), display(genesis!.prevHash)], [hash, '00'.repeat(32)])
      assert.deepEqual([genesis!.time, treeSizes(genesis!)], [time, trees])
    })

    test('only the requested pools are sent, empty transactions are left out, and all blocks are sent', async () => {
      const all = await collect(range(1, HEIGHT, ALL_POOLS))
      for (const poolTypes of [
        ...ALL_POOLS.map(pool => [pool]),
        [PoolType.TRANSPARENT, PoolType.IRONWOOD],
        [UNKNOWN_POOL],
        [],
      ]) {
        const wanted = poolTypes.length === 0 ? SHIELDED : poolTypes
        const expected = all.map(block => ({ ...block, vtx: block.vtx.flatMap(tx => onlyPools(tx, wanted)) }))
        assert.deepEqual(await collect(range(1, HEIGHT, poolTypes)), expected, `pools ${poolTypes}`)
      }
      await failsWith(
        collect(range(1, HEIGHT, [PoolType.ORCHARD, PoolType.POOL_TYPE_INVALID])),
        Code.Unknown,
        /^GetBlockRange: invalid pool type requested$/,
      )
    })

    test('the input of a coinbase transaction is never sent', async () => {
      for (const { vtx } of await collect(range(1, HEIGHT, ALL_POOLS)))
        for (const { index, vin } of vtx) if (index === 0n) assert.deepEqual(vin, [])
    })

    test('a range beyond the tip returns the existing blocks, then OUT_OF_RANGE; a descending one returns none', async () => {
      const received: CompactBlock[] = []
      const beyond = /^GetBlock: block (31|33) is newer than the latest block$/
      await failsWith(collect(range(HEIGHT - 1, HEIGHT + 3), received), Code.OutOfRange, beyond)
      assert.deepEqual(heights(received), [HEIGHT - 1, HEIGHT])
      received.length = 0
      await failsWith(collect(range(HEIGHT + 3, HEIGHT - 1), received), Code.OutOfRange, beyond)
      assert.deepEqual(received, [])
    })

    test('a range without start or end is INVALID_ARGUMENT; a hash in them is ignored', async () => {
      const message = /^GetBlockRange: must specify start and end heights$/
      await failsWith(collect(server().client.getBlockRange({ end: { height: 2n } })), Code.InvalidArgument, message)
      await failsWith(collect(server().client.getBlockRange({ start: { height: 2n } })), Code.InvalidArgument, message)
      const hash = new Uint8Array(32)
      const named = server().client.getBlockRange({ start: { height: 1n, hash }, end: { height: 2n, hash } })
      assert.deepEqual(heights(await collect(named)), [1, 2])
    })

    test('GetBlock accepts only a height above 0', async () => {
      const { client } = server()
      const unspecified = /^GetBlock: request for unspecified identifier$/
      await failsWith(client.getBlock({}), Code.InvalidArgument, unspecified)
      const byHash = /^GetBlock: Block hash specifier is not yet implemented$/
      await failsWith(client.getBlock({ hash: new Uint8Array(32) }), Code.InvalidArgument, byHash)
      await failsWith(client.getBlock({ height: 3n, hash: new Uint8Array(32) }), Code.InvalidArgument, byHash)
      for (const height of [BigInt(HEIGHT + 1), 2n ** 40n]) {
        const newer = new RegExp(`^GetBlock: block ${height} is newer than the latest block$`)
        await failsWith(client.getBlock({ height }), Code.OutOfRange, newer)
      }
    })
  })

  describe('a reorganisation', { concurrency: 1 }, () => {
    let server: ServerUnderTest
    const startAt = closedAfterTests(start)

    const hashAt = async (height: number) => display((await server.client.getBlock({ height: BigInt(height) })).hash)

    test('replaced blocks are served for 2 s at most, and a range over old and new blocks is ABORTED where they meet', async () => {
      server = await startAt(FORK_HEIGHT)
      await inTime(() => server, replaceBlocks)
    })

    async function replaceBlocks(): Promise<void> {
      // A chain can be reorganised only once.
      if (server.height !== FORK_HEIGHT) server = await startAt(FORK_HEIGHT)
      const { client } = server
      const replaced = server.block(FORK_HEIGHT).hash
      await server.polled()
      assert.equal(await hashAt(FORK_HEIGHT), replaced)
      await server.reorganise()
      assert.equal(server.height, FORK_HEIGHT + 1)
      const latest = await client.getLatestBlock({})
      assert.deepEqual([latest.height, display(latest.hash)], [35n, server.block(35).hash])

      assert.equal(await hashAt(FORK_HEIGHT), replaced)
      assert.equal(await hashAt(35), server.block(35).hash)
      const received: CompactBlock[] = []
      const [start, end] = [{ height: 32n }, { height: 35n }]
      const message = /^GetBlockRange: chain discontinuity during reorg repair$/
      await failsWith(collect(client.getBlockRange({ start, end }), received), Code.Aborted, message)
      assert.deepEqual(heights(received), [32, 33, 34])
      received.length = 0
      await failsWith(collect(client.getBlockRange({ start: end, end: start }), received), Code.Aborted, message)
      assert.deepEqual(heights(received), [35])

      const ms = await eventually(
        server,
        'the new block',
        async () => (await hashAt(FORK_HEIGHT)) === server.block(34).hash,
      )
      assert.ok(ms <= 2_000 + tolerance(server, 500), `${ms} ms`)
      const blocks = await collect(client.getBlockRange({ start, end }))
      assert.deepEqual(
        blocks.map(({ hash }) => display(hash)),
        [32, 33, 34, 35].map(height => server.block(height).hash),
      )
    }
  })
}

function onlyPools(transaction: CompactTx, pools: readonly PoolType[]): CompactTx[] {
  const only = <T>(pool: PoolType, parts: T[]): T[] => (pools.includes(pool) ? parts : [])
  const left: CompactTx = {
    ...transaction,
    vin: only(PoolType.TRANSPARENT, transaction.vin),
    vout: only(PoolType.TRANSPARENT, transaction.vout),
    spends: only(PoolType.SAPLING, transaction.spends),
    outputs: only(PoolType.SAPLING, transaction.outputs),
    actions: only(PoolType.ORCHARD, transaction.actions),
    ironwoodActions: only(PoolType.IRONWOOD, transaction.ironwoodActions),
  }
  const { vin, vout, spends, outputs, actions, ironwoodActions } = left
  return [vin, vout, spends, outputs, actions, ironwoodActions].some(({ length }) => length > 0) ? [left] : []
}
